/** What the losses over tokens report of each sequence, and what becomes of it in a minibatch. */
import { defineKernel } from '../kernel';
import code from './token_statistics.wgsl?raw';

/**
 * Columns of `statistics` [S, 16], one row a sequence; the last two are spare. The surrogate
 * (token_surrogate.ts) begins the row, the other losses add to it.
 */
export const TOKEN_STATISTICS = [
  /** Tokens that teach. */
  'tokens',
  /** Weighted: the sum over sequences is the loss. `loss` is the whole, coefficients and all. */
  'loss',
  'policy_loss',
  /** ½ (V − R)², without its coefficient. */
  'value_loss',
  /** From here on sums over the sequence's tokens, unweighted. */
  'entropy',
  /** −log r and r − 1 − log r of the token's ratio r: two estimates of KL(old ‖ new) (Schulman 2020). */
  'old_approx_kl',
  'approx_kl',
  'ratio',
  /** Tokens whose ratio was below or above its range and so (or by its surrogate's own rule) lost its gradient. */
  'clipped_low',
  'clipped_high',
  /** Tokens at the second clip of the dual clip, or at the cap of a truncated ratio. */
  'dual_clipped',
  /** The estimate of the KL to the reference policy. */
  'reference_kl',
  'value_clipped',
  /** Tokens whose log-ratio had to be bounded before exp. */
  'bounded',
] as const;
export type TokenStatistic = (typeof TOKEN_STATISTICS)[number];
/** Numbers of a row. */
export const TOKEN_STATISTICS_SIZE = 16;
/** The first column that is a mean over tokens in the end. */
const FIRST_MEAN = 4;

export const TOKEN_STATISTIC = Object.fromEntries(TOKEN_STATISTICS.map((name, column) => [name, column])) as Readonly<
  Record<TokenStatistic, number>
>;

/**
 * `statistics` [S, 16] → row `row` of `statistics_out` [·, 16]: tokens and losses summed over the sequences,
 * the other columns as means over the tokens; 0 where there is none.
 */
export const tokenStatistics = defineKernel({
  name: 'loss/token_statistics',
  wgsl: code,
  bindings: { statistics: 'read', statistics_out: 'write' },
  uniforms: { sequences: 'u32', row: 'u32' },
  workgroups: () => 1,
  reference({ statistics, statistics_out }, { sequences, row }) {
    const sums = new Float64Array(TOKEN_STATISTICS_SIZE);
    for (let s = 0; s < sequences; s++)
      for (let column = 0; column < TOKEN_STATISTICS_SIZE; column++)
        sums[column] += statistics[s * TOKEN_STATISTICS_SIZE + column];
    const tokens = Math.max(sums[TOKEN_STATISTIC.tokens], 1);
    for (let column = 0; column < TOKEN_STATISTICS_SIZE; column++)
      statistics_out[row * TOKEN_STATISTICS_SIZE + column] = sums[column] / (column >= FIRST_MEAN ? tokens : 1);
  },
});

/**
 * The metrics `losses/*` of a row that tokenStatistics wrote; the value's and the reference's only where
 * there is a critic and a reference.
 */
export function tokenMetrics(
  row: ArrayLike<number>,
  has: { readonly critic: boolean; readonly reference: boolean },
): Record<string, number> {
  const of = (name: TokenStatistic) => row[TOKEN_STATISTIC[name]];
  return {
    'losses/loss': of('loss'),
    'losses/policy_loss': of('policy_loss'),
    'losses/entropy': of('entropy'),
    'losses/old_approx_kl': of('old_approx_kl'),
    'losses/approx_kl': of('approx_kl'),
    'losses/ratio': of('ratio'),
    'losses/clipfrac': of('clipped_low') + of('clipped_high'),
    'losses/clipfrac_low': of('clipped_low'),
    'losses/clipfrac_high': of('clipped_high'),
    'losses/dual_clipfrac': of('dual_clipped'),
    'losses/bounded_ratios': of('bounded'),
    ...(has.critic ? { 'losses/value_loss': of('value_loss'), 'losses/value_clipfrac': of('value_clipped') } : {}),
    ...(has.reference ? { 'losses/reference_kl': of('reference_kl') } : {}),
  };
}
