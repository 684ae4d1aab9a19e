/**
 * How the losses of tokens become one number. Every way of averaging is a weight a token, so that the
 * loss is Σ weights · token loss and its gradient is the weight times the token's own.
 */
import { ceilDiv, defineKernel } from '../kernel';
import countsCode from './token_counts.wgsl?raw';
import weightsCode from './token_weights.wgsl?raw';

/** Invocations of a workgroup of the kernels that take one sequence each: few, so that few sequences still spread. */
export const SEQUENCE_WORKGROUP = 16;

/** What a token's loss is divided by: `row` of its sequence, `batch` of all, as token_weights.wgsl numbers them. */
export interface Aggregation {
  readonly row: 0 | 1;
  readonly batch: 0 | 1 | 2 | 3;
}

/**
 * The usual ways, by verl's names (core_algos.py agg_loss @ 1dda039); `divisor` is 1 but for the last four.
 * Sequences without a token to teach do not count, except where the name says `all`, as in TRL's GRPO and verl's GMPO.
 */
export const AGGREGATIONS = {
  'token-mean': { row: 0, batch: 1 },
  'seq-mean-token-sum': { row: 0, batch: 2 },
  'seq-mean-token-mean': { row: 1, batch: 2 },
  'all-seq-mean-token-sum': { row: 0, batch: 3 },
  'all-seq-mean-token-mean': { row: 1, batch: 3 },
  /** Dr. GRPO: the divisor is a constant length. */
  'seq-mean-token-sum-norm': { row: 0, batch: 2 },
  /** The same as TRL has it. */
  'all-seq-mean-token-sum-norm': { row: 0, batch: 3 },
  /** The same as volcengine/verl @ b178a3c has it: not divided by the number of sequences. */
  'token-sum-norm': { row: 0, batch: 0 },
  /** The mean over sequences when the divisor is their number in a larger batch. */
  'token-mean-sum-norm': { row: 1, batch: 0 },
} as const satisfies Readonly<Record<string, Aggregation>>;
export type AggregationName = keyof typeof AGGREGATIONS;

/** `mask` [S, L] → `counts` [S]. */
export const tokenCounts = defineKernel({
  name: 'loss/token_counts',
  wgsl: countsCode,
  bindings: { mask: 'read', counts: 'write' },
  uniforms: { sequences: 'u32', length: 'u32' },
  workgroups: ({ sequences }) => ceilDiv(sequences, SEQUENCE_WORKGROUP),
  reference({ mask, counts }, { sequences, length }) {
    for (let s = 0; s < sequences; s++) {
      let count = 0;
      for (let t = 0; t < length; t++) count += mask[s * length + t];
      counts[s] = count;
    }
  },
});

/** `mask` [S, L] and its `counts` [S] → `weights` [S, L]; exactly 0 where the mask is. */
export const tokenWeights = defineKernel({
  name: 'loss/token_weights',
  wgsl: weightsCode,
  bindings: { mask: 'read', counts: 'read', weights: 'write' },
  uniforms: { sequences: 'u32', length: 'u32', row: 'u32', batch: 'u32', divisor: 'f32' },
  workgroups: ({ sequences }) => ceilDiv(sequences, SEQUENCE_WORKGROUP),
  reference({ mask, counts, weights }, { sequences, length, row, batch, divisor }) {
    let [tokens, filled] = [0, 0];
    for (let s = 0; s < sequences; s++) {
      tokens += counts[s];
      filled += Number(counts[s] > 0);
    }
    const whole = [1, tokens, filled, sequences][batch];
    for (let s = 0; s < sequences; s++) {
      const weight = 1 / (Math.max(row === 1 ? counts[s] : 1, 1) * Math.max(whole, 1) * divisor);
      for (let t = s * length; t < (s + 1) * length; t++) weights[t] = mask[t] === 0 ? 0 : weight;
    }
  },
});
