/**
 * What a scenario's claims came to when they were measured: the same five words everywhere, a bad result
 * as plain as a good one.
 */
import type { Claim } from '../engine/scenario';
import { formatFigure, formatFixed, writeNumber } from './number';

export type Verdict = 'holds' | 'in part' | 'does not show' | 'not enough seeds' | 'not measured';
export const VERDICTS: readonly Verdict[] = ['holds', 'in part', 'does not show', 'not enough seeds', 'not measured'];

/** Fewer seeds than this say nothing about a method. */
export const ENOUGH_SEEDS = 3;

/** Updates at the end over which a figure of training is averaged. */
const LAST = 5;

/** What a figure of training came to: the mean of its last values. */
export function finalFigure(values: readonly number[]): number {
  return mean(values.slice(-LAST));
}

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

type Bound = Pick<Claim, 'comparison' | 'value'>;

/** “≥ 0.90”. */
export function boundText({ comparison, value }: Bound): string {
  const figure = formatFigure(value);
  return `${comparison === '>=' ? '≥' : '≤'}\u00a0${Number(figure.replace('\u2212', '-')) === value ? figure : writeNumber(value)}`;
}

/** A figure with as many decimals as it takes to see on which side of the bound it is. */
export function figureText(bound: Bound, figure: number): string {
  return formatFixed(figure, decimalsFor(bound, figure));
}

/** “Measured 0.37 ± 0.07 over 5 seeds, asked ≥ 0.38: not reached (2 seeds reach it).” */
export function measuredText(claim: Claim): string {
  const { measured } = claim;
  if (measured === undefined) return 'Not measured yet.';
  const { figures, seeds } = measured;
  const centre = mean(figures);
  const spread = deviation(figures);
  const decimals = decimalsFor(claim, centre);
  const figure = `${formatFixed(centre, decimals)}${spread === undefined ? '' : ` ± ${formatFixed(spread, decimals)}`}`;
  return `Measured ${figure} over ${countSeeds(seeds.length)}, asked ${boundText(claim)}: ${reachedText(claim, figures)}.`;
}

function reachedText(claim: Claim, figures: readonly number[]): string {
  const reached = meets(claim, mean(figures));
  const others = figures.filter((figure) => meets(claim, figure) !== reached).length;
  const verb = reached ? (others === 1 ? 'does not' : 'do not') : others === 1 ? 'reaches it' : 'reach it';
  return `${reached ? 'reached' : 'not reached'}${others === 0 ? '' : ` (${countSeeds(others)} ${verb})`}`;
}

const countSeeds = (count: number) => `${count} ${count === 1 ? 'seed' : 'seeds'}`;

/** As a read-out has them; more, while the rounded figure would stand on the wrong side of the bound. */
function decimalsFor(bound: Bound, figure: number): number {
  const size = Math.abs(figure);
  const usual = size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 || size === 0 ? 2 : 1 - Math.floor(Math.log10(size));
  const tells = (decimals: number) => meets(bound, Number(figure.toFixed(decimals))) === meets(bound, figure);
  const enough = [0, 1, 2, 3, 4].map((more) => Math.min(usual, 8) + more);
  return enough.find(tells) ?? 12;
}
