/** The critic's loss over tokens. */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import { addStatistics, STATISTICS_CODE } from './token_statistics';
import code from './token_value_loss.wgsl?raw';
import { SEQUENCE_WORKGROUP } from './token_weights';

/**
 * `values`, `old_values`, `returns` [S, L] → `value_gradient` [S, L]; adds to `loss`, `value_loss` and `value_clipped`
 * of `statistics`. Runs after the surrogate. `value_clip` 0: not clipped;
 * `coefficient` 0: there is no critic, and the gradient is 0.
 */
export const tokenValueLoss = defineKernel({
  name: 'loss/token_value_loss',
  wgsl: wgsl(STATISTICS_CODE, code),
  bindings: {
    mask: 'read',
    weights: 'read',
    values: 'read',
    old_values: 'read',
    returns: 'read',
    value_gradient: 'write',
    statistics: 'write',
  },
  uniforms: { sequences: 'u32', length: 'u32', coefficient: 'f32', value_clip: 'f32' },
  workgroups: ({ sequences }) => ceilDiv(sequences, SEQUENCE_WORKGROUP),
  reference({ mask, weights, values, old_values, returns, value_gradient, statistics }, u) {
    for (let s = 0; s < u.sequences; s++) {
      for (let at = s * u.length; at < (s + 1) * u.length; at++) {
        value_gradient[at] = 0;
        if (mask[at] === 0 || u.coefficient === 0) continue;
        const error = values[at] - returns[at];
        const kept = Math.min(old_values[at] + u.value_clip, Math.max(old_values[at] - u.value_clip, values[at]));
        const clippedError = kept - returns[at];
        const clipped = u.value_clip > 0 && clippedError ** 2 > error ** 2;
        value_gradient[at] = clipped ? 0 : u.coefficient * weights[at] * error;
        const loss = weights[at] * 0.5 * (clipped ? clippedError : error) ** 2;
        addStatistics(statistics, s, {
          loss: u.coefficient * loss,
          value_loss: loss,
          value_clipped: Number(clipped),
          value_tokens: 1,
        });
      }
    }
  },
});
