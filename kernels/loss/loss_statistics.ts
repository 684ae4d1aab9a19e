/** The means of a minibatch's loss statistics, from the partial sums of policy_loss.ts. */
import { defineKernel } from '../kernel';
import code from './loss_statistics.wgsl?raw';

/** The columns of `statistics`; the last of STATISTICS_SIZE is spare. */
export const LOSS_STATISTICS = [
  'policy_loss',
  'value_loss',
  'entropy',
  'old_approx_kl',
  'approx_kl',
  'clipped',
  'bounded',
] as const;
export type LossStatistic = (typeof LOSS_STATISTICS)[number];
export const STATISTICS_SIZE = 8;

/** `statistics` [partials, 8], sums over `rows` samples → row `row` of `statistics_out` [·, 8]. */
export const lossStatistics = defineKernel({
  name: 'loss/loss_statistics',
  wgsl: code,
  bindings: { statistics: 'read', statistics_out: 'write' },
  uniforms: { partials: 'u32', rows: 'u32', row: 'u32' },
  workgroups: ({ rows }) => Math.min(rows, 1),
  reference({ statistics, statistics_out }, { partials, rows, row }) {
    if (rows === 0) return;
    for (let column = 0; column < STATISTICS_SIZE; column++) {
      let sum = 0;
      for (let i = 0; i < partials; i++) sum += statistics[i * STATISTICS_SIZE + column];
      statistics_out[row * STATISTICS_SIZE + column] = sum / rows;
    }
  },
});
