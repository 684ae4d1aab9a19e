/** Learnability: tasks that are never or always solved have nothing to teach. */
import type { Filter } from './filter';

const parameters = {
  success_range: {
    kind: 'flag',
    label: 'Only learnable tasks',
    help: 'Leave out groups whose success rate lies outside a range: too hard or too easy for now.',
    default: false,
    live: true,
  },
  success_low: {
    kind: 'number',
    label: 'Lowest success',
    help: 'Groups below are too hard.',
    default: 0.1,
    min: 0,
    max: 1,
    step: 0.05,
    live: true,
  },
  success_high: {
    kind: 'number',
    label: 'Highest success',
    help: 'Groups above are too easy.',
    default: 0.9,
    min: 0,
    max: 1,
    step: 0.05,
    live: true,
  },
} as const;

export const successRange: Filter<typeof parameters> = {
  id: 'success_range',
  title: 'Only learnable tasks',
  summary: 'Keeps groups that are solved sometimes; the rest is replaced by new ones.',
  formula: 'keep a group where low ≤ mean(success) ≤ high',
  source: 'Xue et al. 2025 (SimpleTIR), arXiv:2509.02479: 0.1 to 0.9',
  parameters,
  active: (p) => p.success_range,
  apply(group, { success_low, success_high }) {
    const rate = group.filter(({ success }) => success).length / group.length;
    return rate >= success_low && rate <= success_high ? group : [];
  },
};
