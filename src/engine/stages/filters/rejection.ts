/** Rejection sampling: only successes are learned from. */
import type { Filter } from './filter';

const parameters = {
  rejection: {
    kind: 'flag',
    label: 'Only successes',
    help: 'Failed episodes are left out altogether. With cross-entropy as the loss this is rejection-sampling fine-tuning.',
    default: false,
    live: true,
  },
} as const;

export const rejection: Filter<typeof parameters> = {
  id: 'rejection',
  title: 'Rejection sampling',
  summary: 'Learns only from episodes that succeeded.',
  formula: 'keep an episode where success = 1',
  source: 'Zelikman et al. 2022 (STaR), arXiv:2203.14465; Dong et al. 2023 (RAFT), arXiv:2304.06767',
  parameters,
  active: (p) => p.rejection,
  apply: (group) => group.filter(({ success }) => success),
};
