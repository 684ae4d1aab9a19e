/** DAPO’s dynamic sampling: groups in which all episodes earned the same teach nothing to a group-relative advantage. */
import { score } from '../../text/trajectory';
import type { Filter } from './filter';

const parameters = {
  dynamic_sampling: {
    kind: 'flag',
    label: 'Dynamic sampling',
    help: 'Leave out groups whose episodes all scored the same, and sample more until enough are left.',
    default: false,
    live: true,
  },
  max_rounds: {
    kind: 'number',
    label: 'Rounds at most',
    help: 'Times that an update may sample anew to replace groups that were left out; 1 learns from fewer.',
    default: 4,
    min: 1,
    max: 50,
    integer: true,
    live: true,
  },
} as const;

/**
 * Whether a group's scores differ. A group of one is kept, as DAPO does: it has nobody to differ from. Differences
 * below rounding are none.
 */
export function hasSignal(scores: readonly number[]): boolean {
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  return scores.length === 1 || high - low > 1e-6 * Math.max(1, Math.abs(low), Math.abs(high));
}

export const dynamicSampling: Filter<typeof parameters> = {
  id: 'dynamic_sampling',
  title: 'Dynamic sampling',
  summary: 'Groups without a difference between their episodes are replaced by new ones.',
  formula: 'keep a group where std(R₁…R_G) > 0',
  source: 'Yu et al. 2025 (DAPO), arXiv:2503.14476',
  parameters,
  active: (p) => p.dynamic_sampling,
  apply: (group) => (hasSignal(group.map(score)) ? group : []),
};
