/**
 * What a scenario's claims came to when they were measured: the same five words everywhere, a bad result
 * as plain as a good one.
 */
import type { Claim } from '../engine/scenario';

export type Verdict = 'holds' | 'in part' | 'does not show' | 'not enough seeds' | 'not measured';
export const VERDICTS: readonly Verdict[] = ['holds', 'in part', 'does not show', 'not enough seeds', 'not measured'];

/** Fewer seeds than this say nothing about a method. */
export const ENOUGH_SEEDS = 3;

export function meets(claim: Pick<Claim, 'comparison' | 'value'>, figure: number): boolean {
  return claim.comparison === '>=' ? figure >= claim.value : figure <= claim.value;
}

/** Holds: the mean over the seeds meets the bound. In part: the mean does not, but some seed does. */
export function verdictOf(claim: Claim): Verdict {
  const figures = claim.measured?.figures ?? [];
  if (figures.length === 0) return 'not measured';
  if (figures.length < ENOUGH_SEEDS) return 'not enough seeds';
  if (meets(claim, mean(figures))) return 'holds';
  return figures.some((figure) => meets(claim, figure)) ? 'in part' : 'does not show';
}

/** One verdict for all claims of a scenario. */
export function verdictOfAll(claims: readonly Claim[]): Verdict {
  const verdicts = claims.map(verdictOf);
  const first = verdicts[0];
  if (first === undefined) return 'not measured';
  if (verdicts.every((verdict) => verdict === first)) return first;
  if (verdicts.includes('not measured')) return 'not measured';
  return verdicts.includes('not enough seeds') ? 'not enough seeds' : 'in part';
}

export function mean(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0) / figures.length;
}

/** Sample deviation (n − 1); undefined for fewer than two figures. */
export function deviation(figures: readonly number[]): number | undefined {
  if (figures.length < 2) return undefined;
  const centre = mean(figures);
  return Math.sqrt(figures.reduce((sum, figure) => sum + (figure - centre) ** 2, 0) / (figures.length - 1));
}
