/** Cross-entropy with the tokens that were shown: the loss of imitation. */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import code from './token_likelihood.wgsl?raw';
import { addStatistics, STATISTICS_CODE, TOKEN_STATISTICS_SIZE } from './token_statistics';
import { SEQUENCE_WORKGROUP } from './token_weights';

/**
 * `mask`, `weights`, `log_probs` [S, L] → `log_prob_gradient` [S, L], exactly 0 where the mask is, and the sequences'
 * rows of `statistics` (token_statistics.ts), which it begins anew.
 */
export const tokenLikelihood = defineKernel({
  name: 'loss/token_likelihood',
  wgsl: wgsl(STATISTICS_CODE, code),
  bindings: { mask: 'read', weights: 'read', log_probs: 'read', log_prob_gradient: 'write', statistics: 'write' },
  uniforms: { sequences: 'u32', length: 'u32' },
  workgroups: ({ sequences }) => ceilDiv(sequences, SEQUENCE_WORKGROUP),
  reference({ mask, weights, log_probs, log_prob_gradient, statistics }, { sequences, length }) {
    statistics.fill(0, 0, sequences * TOKEN_STATISTICS_SIZE);
    for (let s = 0; s < sequences; s++)
      for (let at = s * length; at < (s + 1) * length; at++) {
        log_prob_gradient[at] = mask[at] === 0 ? 0 : -weights[at];
        if (mask[at] === 0) continue;
        const loss = -weights[at] * log_probs[at];
        addStatistics(statistics, s, { loss, imitation_loss: loss, imitation_tokens: 1 });
      }
  },
});
