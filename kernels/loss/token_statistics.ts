/** What the losses over tokens report of each sequence, and what becomes of it in the metrics. */
import { defineKernel, wgsl } from '../kernel';
import code from './token_statistics.wgsl?raw';

/**
 * Columns of `statistics` [S, TOKEN_STATISTICS_SIZE], one row a sequence. All are sums: over the sequence's tokens
 * that teach, so that over all rows and divided by the count of their group they are means; the losses are weighted
 * already (token_weights.ts), so that the sum over the rows of a minibatch is its loss. The surrogate, the
 * likelihood and the preference loss begin a row; the other terms add to it.
 */
export const TOKEN_STATISTICS = [
  /** Tokens of the policy's surrogate. */
  'tokens',
  /** Everything together, coefficients and all. */
  'loss',
  'policy_loss',
  /** −log r and r − 1 − log r of the token's ratio r: two estimates of KL(old ‖ new) (Schulman 2020). */
  'old_approx_kl',
  'approx_kl',
  'ratio',
  /** Tokens that lost their gradient, or part of it, because their ratio was below or above its range. */
  'clipped_low',
  'clipped_high',
  /** Tokens at the second clip of the dual clip, or at the cap of a truncated ratio. */
  'dual_clipped',
  /** Tokens whose log-ratio had to be bounded before exp. */
  'bounded',
  'imitation_tokens',
  'imitation_loss',
  'entropy_tokens',
  'entropy',
  'value_tokens',
  /** ½ (V − R)², weighted, without its coefficient. */
  'value_loss',
  'value_clipped',
  'reference_tokens',
  /** The estimate of the KL to the reference policy. */
  'reference_kl',
  'pairs',
  'preference_loss',
  'preference_accuracy',
  'preference_margin',
  'chosen_log_prob',
  'rejected_log_prob',
  'chosen_reward',
  'rejected_reward',
] as const;
export type TokenStatistic = (typeof TOKEN_STATISTICS)[number];
export const TOKEN_STATISTICS_SIZE = TOKEN_STATISTICS.length;

/** Their numbers, by name. */
export const TOKEN_STATISTIC = Object.fromEntries(TOKEN_STATISTICS.map((name, column) => [name, column])) as Readonly<
  Record<TokenStatistic, number>
>;

/** The same in WGSL, before the text of each kernel that writes statistics: `STATISTICS`, `STATISTIC_LOSS` … */
export const STATISTICS_CODE = [
  `const STATISTICS = ${TOKEN_STATISTICS_SIZE}u;`,
  ...TOKEN_STATISTICS.map((name, column) => `const STATISTIC_${name.toUpperCase()} = ${column}u;`),
].join('\n');

/** Adds to the row of sequence `s`, in TypeScript. */
export function addStatistics(
  statistics: { [index: number]: number },
  s: number,
  terms: Readonly<Partial<Record<TokenStatistic, number>>>,
): void {
  for (const [name, value] of Object.entries(terms))
    statistics[s * TOKEN_STATISTICS_SIZE + TOKEN_STATISTIC[name as TokenStatistic]] += value;
}

/** `statistics` [sequences, TOKEN_STATISTICS_SIZE] → their sums, in row `row` of `statistics_out`. */
export const tokenStatistics = defineKernel({
  name: 'loss/token_statistics',
  wgsl: wgsl(STATISTICS_CODE, code),
  bindings: { statistics: 'read', statistics_out: 'write' },
  uniforms: { sequences: 'u32', row: 'u32' },
  workgroups: () => 1,
  reference({ statistics, statistics_out }, { sequences, row }) {
    for (let column = 0; column < TOKEN_STATISTICS_SIZE; column++) {
      let sum = 0;
      for (let s = 0; s < sequences; s++) sum += statistics[s * TOKEN_STATISTICS_SIZE + column];
      statistics_out[row * TOKEN_STATISTICS_SIZE + column] = sum;
    }
  },
});

/**
 * The metrics `losses/*` of a minibatch's row of sums, or of the mean of several rows. Terms that took no part give
 * none.
 */
export function tokenMetrics(sums: ArrayLike<number>): Record<string, number> {
  const of = (name: TokenStatistic) => sums[TOKEN_STATISTIC[name]];
  const metrics: Record<string, number> = { 'losses/loss': of('loss') };
  const loss = (name: TokenStatistic) => {
    metrics[`losses/${name}`] = of(name);
  };
  const mean = (name: string, count: TokenStatistic, ...columns: readonly TokenStatistic[]) => {
    metrics[`losses/${name}`] = columns.reduce((sum, column) => sum + of(column), 0) / of(count);
  };
  if (of('tokens') > 0) {
    loss('policy_loss');
    for (const name of ['old_approx_kl', 'approx_kl', 'ratio'] as const) mean(name, 'tokens', name);
    mean('clipfrac', 'tokens', 'clipped_low', 'clipped_high');
    mean('clipfrac_low', 'tokens', 'clipped_low');
    mean('clipfrac_high', 'tokens', 'clipped_high');
    mean('dual_clipfrac', 'tokens', 'dual_clipped');
    mean('bounded_ratios', 'tokens', 'bounded');
  }
  if (of('imitation_tokens') > 0) loss('imitation_loss');
  if (of('entropy_tokens') > 0) mean('entropy', 'entropy_tokens', 'entropy');
  if (of('value_tokens') > 0) {
    loss('value_loss');
    mean('value_clipfrac', 'value_tokens', 'value_clipped');
  }
  if (of('reference_tokens') > 0) mean('reference_kl', 'reference_tokens', 'reference_kl');
  if (of('pairs') > 0) {
    loss('preference_loss');
    for (const name of ['preference_accuracy', 'preference_margin', 'chosen_log_prob', 'rejected_log_prob'] as const)
      mean(name, 'pairs', name);
  }
  return metrics;
}
