/** Episodes of one update, what the filters kept of them, and the figures that they tell. */
import { mean } from '../statistics';
import type { Signal } from './environment';
import type { Use } from './episodes';
import { ROLE, score, type Trajectory } from './trajectory';

export interface Gathered {
  /** Everything that was sampled, by group. */
  readonly sampled: readonly (readonly Trajectory[])[];
  /** What is learned from, by group. */
  readonly kept: readonly (readonly Trajectory[])[];
  readonly use: Use;
  /** Score of a greedy episode of the same task, by group. */
  readonly baselines: ReadonlyMap<number, number>;
}

/**
 * Figures of an update by name; shares are in [0, 1]. Signals are summed over an episode: of all episodes, and of
 * those with success.
 */
export function gatheredMetrics(
  { sampled, kept, use }: Gathered,
  update: number,
  signals: readonly Signal[],
): Record<string, number> {
  const all = sampled.flat();
  const own = (trajectory: Trajectory) => trajectory.roles.filter((role) => role === ROLE.action).length;
  const tokens = all.reduce((total, trajectory) => total + trajectory.tokens.length, 0);
  const lengths = all.map(own);
  const right = lengths.filter((_, i) => all[i].success);
  const wrong = lengths.filter((_, i) => !all[i].success);
  const ages = all.flatMap(({ versions }) => versions.map((version) => update - version));
  const metrics: Record<string, number> = {
    'charts/episodic_return': mean(all.map(score)),
    'charts/episodic_length': mean(all.map(({ turns }) => turns.length)),
    'charts/success': mean(all.map(({ success }) => Number(success))),
    'rollout/pass_at_1': mean(all.map(({ success }) => Number(success))),
    'rollout/pass_at_k': mean(sampled.map((group) => Number(group.some(({ success }) => success)))),
    'rollout/tokens': mean(lengths),
    'rollout/turns': mean(all.map(({ turns }) => turns.length)),
    'rollout/truncated': mean(all.map(({ truncated }) => Number(truncated))),
    'rollout/masked_share': 1 - lengths.reduce((total, length) => total + length, 0) / Math.max(1, tokens),
    'rollout/groups_without_signal': mean(sampled.map((group) => Number(withoutSignal(group)))),
    'rollout/idle_share': 1 - use.usedTurns / Math.max(1, use.slotTurns),
    'rollout/staleness': mean(ages),
    'rollout/samples': all.length,
    'rollout/kept': kept.flat().filter((trajectory) => own(trajectory) > 0).length,
  };
  const correct = all.filter(({ success }) => success);
  const calls = signals.findIndex(({ name }) => name === 'calls');
  if (calls >= 0) metrics['rollout/tool_calls'] = mean(all.map((trajectory) => signalSum(trajectory, calls)));
  for (const [i, { name }] of signals.entries()) {
    metrics[`signals/${name}`] = mean(all.map((trajectory) => signalSum(trajectory, i)));
    if (correct.length > 0)
      metrics[`signals_right/${name}`] = mean(correct.map((trajectory) => signalSum(trajectory, i)));
  }
  if (right.length > 0) metrics['rollout/length_right'] = mean(right);
  if (wrong.length > 0) metrics['rollout/length_wrong'] = mean(wrong);
  return metrics;
}

/** Of all turns of an episode. */
function signalSum({ turns }: Trajectory, signal: number): number {
  return turns.reduce((sum, { signals }) => sum + signals[signal], 0);
}

/** All episodes earned the same, so none is better than its group. */
function withoutSignal(group: readonly Trajectory[]): boolean {
  const scores = group.map(score);
  return Math.max(...scores) - Math.min(...scores) < 1e-6;
}
