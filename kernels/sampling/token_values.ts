/** From a critic's rows to the values of tokens, and back: no shift is left to whoever reads values. */
import { ceilDiv, defineKernel } from '../kernel';
import forward from './token_values.wgsl?raw';
import backward from './token_values_backward.wgsl?raw';

const UNIFORMS = { sequences: 'u32', length: 'u32', sequence_stride: 'u32', position_stride: 'u32' } as const;

/**
 * `rows` [*], `lengths`, `truncated` [S] → `values` [S, L], before each token; `final_values` [S], after the last one
 * where the episode was truncated, else 0.
 */
export const tokenValues = defineKernel({
  name: 'sampling/token_values',
  wgsl: forward,
  bindings: { rows: 'read', lengths: 'read', truncated: 'read', values: 'write', final_values: 'write' },
  uniforms: UNIFORMS,
  workgroups: ({ sequences, length }) => ceilDiv(sequences * length, 64),
  reference({ rows, lengths, truncated, values, final_values }, u) {
    for (let s = 0; s < u.sequences; s++) {
      const row = (t: number) => s * u.sequence_stride + t * u.position_stride;
      for (let t = 0; t < u.length; t++) values[s * u.length + t] = t > 0 && t < lengths[s] ? rows[row(t - 1)] : 0;
      final_values[s] = lengths[s] > 0 && truncated[s] !== 0 ? rows[row(lengths[s] - 1)] : 0;
    }
  },
});

/** `values_gradient` [S, L] → every row of `rows_gradient` [*]. */
export const tokenValuesBackward = defineKernel({
  name: 'sampling/token_values_backward',
  wgsl: backward,
  bindings: { values_gradient: 'read', rows_gradient: 'write' },
  uniforms: UNIFORMS,
  workgroups: ({ sequences, length }) => ceilDiv(sequences * length, 64),
  reference({ values_gradient, rows_gradient }, u) {
    for (let s = 0; s < u.sequences; s++)
      for (let t = 0; t < u.length; t++)
        rows_gradient[s * u.sequence_stride + t * u.position_stride] =
          t + 1 < u.length ? values_gradient[s * u.length + t + 1] : 0;
  },
});
