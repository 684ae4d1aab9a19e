/** The entropy bonus over tokens. */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import code from './entropy_bonus.wgsl?raw';
import { addStatistics, STATISTICS_CODE } from './token_statistics';
import { SEQUENCE_WORKGROUP } from './token_weights';

/**
 * `entropies` [S, L] → `entropy_gradient` [S, L], the loss's derivative by entropy; adds to `loss` and `entropy` of
 * `statistics`. Runs after the surrogate.
 */
export const entropyBonus = defineKernel({
  name: 'loss/entropy_bonus',
  wgsl: wgsl(STATISTICS_CODE, code),
  bindings: { mask: 'read', weights: 'read', entropies: 'read', entropy_gradient: 'write', statistics: 'write' },
  uniforms: { sequences: 'u32', length: 'u32', coefficient: 'f32' },
  workgroups: ({ sequences }) => ceilDiv(sequences, SEQUENCE_WORKGROUP),
  reference({ mask, weights, entropies, entropy_gradient, statistics }, { sequences, length, coefficient }) {
    for (let s = 0; s < sequences; s++) {
      for (let at = s * length; at < (s + 1) * length; at++) {
        entropy_gradient[at] = mask[at] === 0 ? 0 : -coefficient * weights[at];
        if (mask[at] === 0) continue;
        const loss = -coefficient * weights[at] * entropies[at];
        addStatistics(statistics, s, { loss, entropy: entropies[at], entropy_tokens: 1 });
      }
    }
  },
});
