/**
 * How the run in the page stands to a claim, by the figure that `npm run claims` records: only a run with the claim's
 * settings, trained for as long as the claim says, has a verdict.
 */
import { defaultsOf } from '../engine/parameters';
import { type Claim, type Scenario, SLOTS } from '../engine/scenario';
import { changeSettings } from '../formats/settings';
import { finalFigure } from '../formats/verdict';
import { REGISTRY } from './registry';
import type { RunState } from './run';
import { differences } from './scenario';
import { CAPACITY, type Series } from './series';

export type Standing =
  /** The run has other settings than the claim, or had for a while. */
  | { readonly kind: 'other settings' }
  /** `figure`: what it comes to so far; undefined where nothing was reported yet. */
  | { readonly kind: 'training'; readonly left: number; readonly figure: number | undefined }
  | { readonly kind: 'complete'; readonly figure: number }
  /** Trained to the end, but the figure of that update is not there. */
  | { readonly kind: 'not evaluated'; readonly update: number };

/** `opened`: the scenario that the claim belongs to, as it was opened. */
export function standingOf(
  claim: Claim,
  opened: Scenario,
  run: Pick<RunState, 'running' | 'marks' | 'tick' | 'series'>,
): Standing {
  const claimed = withDefaults(changeSettings(opened, claim.with ?? {}));
  const { running, marks, tick, series } = run;
  if (running !== undefined && (marks.length > 0 || !trainsAlike(withDefaults(running.scenario), claimed)))
    return { kind: 'other settings' };
  const budget = claimed.training.updates;
  const figure = figureOf(claim.metric, series, budget);
  if (tick.update < budget)
    return { kind: 'training', left: budget - tick.update, figure: figure ?? series.get(claim.metric)?.latest };
  return figure === undefined ? { kind: 'not evaluated', update: budget } : { kind: 'complete', figure };
}

/** Every parameter by name, whichever the scenario leaves out. */
function withDefaults(scenario: Scenario): Scenario {
  const slots = SLOTS.map((slot) => {
    const { id, parameters } = scenario.slots[slot];
    return [slot, { id, parameters: { ...defaultsOf(REGISTRY[slot][id]?.parameters ?? {}), ...parameters } }];
  });
  return { ...scenario, slots: Object.fromEntries(slots) };
}

/** Nothing differs that training depends on. The length of the plan matters only where a setting is annealed over it. */
function trainsAlike(running: Scenario, claimed: Scenario): boolean {
  const anneals = [running.slots.optimizer.parameters.anneal, ...running.phases.map((phase) => phase.with)].some(
    (one) =>
      one === true || (typeof one === 'object' && Object.keys(one ?? {}).some((path) => path.endsWith('anneal'))),
  );
  const beside = ['training.evaluateEvery', ...(anneals ? [] : ['training.updates'])];
  return differences(running, claimed, REGISTRY).every(({ path }) => beside.includes(path));
}

/** As the claims are measured: an evaluation at that very update; up to it, the highest value or the mean of the last ones. */
function figureOf(metric: string, series: ReadonlyMap<string, Series>, update: number): number | undefined {
  const highest = metric.startsWith('max/');
  const points = (series.get(highest ? metric.slice(4) : metric)?.thinned(CAPACITY) ?? []).filter(
    ({ first, count }) => first <= update && count > 0,
  );
  if (points.length === 0) return undefined;
  if (highest) return Math.max(...points.map(({ max }) => max));
  if (!metric.startsWith('eval/')) return finalFigure(points.map(({ mean }) => mean));
  return points.find(({ last }) => last === update)?.mean;
}
