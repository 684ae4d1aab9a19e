/** DAPO’s overlong filter: what was cut off has not failed, so it should not be punished. */
import { type Filter, mute } from './filter';

const parameters = {
  overlong: {
    kind: 'flag',
    label: 'Leave out truncated',
    help: 'Episodes that a limit cut off teach nothing; their group still counts them.',
    default: false,
    live: true,
  },
} as const;

export const overlong: Filter<typeof parameters> = {
  id: 'overlong',
  title: 'Overlong filter',
  summary: 'Truncated episodes leave the loss, since their reward says nothing about what they wrote.',
  formula: 'mask ← mask · (1 − truncated)',
  source: 'Yu et al. 2025 (DAPO), arXiv:2503.14476',
  parameters,
  active: (p) => p.overlong,
  apply: (group) => group.map((trajectory) => (trajectory.truncated ? mute(trajectory) : trajectory)),
};
