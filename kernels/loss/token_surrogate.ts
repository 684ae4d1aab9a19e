/**
 * The policy's loss over tokens: a surrogate of ratio and advantage, weighted, with its gradient and its
 * statistics in one pass. The kernel is put together from a surrogate, in WGSL and here alike.
 */
import { ceilDiv, type Kernel, type ReferenceBuffers, type UniformValues, wgsl } from '../kernel';
import { SURROGATES, type SurrogateCode, type SurrogateName } from './surrogates';
import { addStatistics, STATISTICS_CODE, TOKEN_STATISTICS_SIZE } from './token_statistics';
import code from './token_surrogate.wgsl?raw';
import { SEQUENCE_WORKGROUP } from './token_weights';

const LOG_RATIO_BOUND = 20;
const SEQUENCE_LOG_RATIO_BOUND = 10;

/**
 * `mask`, `weights` (token_weights.ts), `log_probs`, `old_log_probs`, `advantages`, all [S, L] → `log_prob_gradient`
 * [S, L], exactly 0 where the mask is, and the sequences' rows of `statistics` (token_statistics.ts), which it
 * begins anew. The surrogate's own settings are uniforms after `sequence_ratio`.
 */
export function tokenSurrogate(name: SurrogateName): Kernel {
  const surrogate = SURROGATES[name];
  const fields = Object.entries(surrogate.uniforms).map(([field, type]) => `${field}: ${type},`);
  return {
    name: `loss/token_surrogate[${name}]`,
    wgsl: wgsl(STATISTICS_CODE, code.replace('SURROGATE_UNIFORMS', fields.join('\n  ')), surrogate.wgsl),
    bindings: {
      mask: 'read',
      weights: 'read',
      log_probs: 'read',
      old_log_probs: 'read',
      advantages: 'read',
      log_prob_gradient: 'write',
      statistics: 'write',
    },
    uniforms: { sequences: 'u32', length: 'u32', sequence_ratio: 'u32', ...surrogate.uniforms },
    workgroups: ({ sequences }) => ceilDiv(sequences, SEQUENCE_WORKGROUP),
    reference(buffers, u) {
      for (let s = 0; s < u.sequences; s++) sequenceLoss(surrogate, buffers, u, s);
    },
  };
}

function sequenceLoss(surrogate: SurrogateCode, buffers: ReferenceBuffers, u: UniformValues, s: number): void {
  const { mask, weights, log_probs, old_log_probs, advantages, log_prob_gradient, statistics } = buffers;
  const [begin, end] = [s * u.length, (s + 1) * u.length];
  let [count, termSum, advantageSum, logRatioSum] = [0, 0, 0, 0];
  for (let at = begin; at < end; at++) {
    if (mask[at] === 0) continue;
    const logRatio = log_probs[at] - old_log_probs[at];
    count += 1;
    termSum += surrogate.term?.(logRatio, advantages[at], u) ?? logRatio;
    advantageSum += advantages[at];
    logRatioSum += logRatio;
  }

  statistics.fill(0, s * TOKEN_STATISTICS_SIZE, (s + 1) * TOKEN_STATISTICS_SIZE);
  for (let at = begin; at < end; at++) {
    log_prob_gradient[at] = 0;
    if (mask[at] === 0) continue;
    const [logProb, oldLogProb] = [log_probs[at], old_log_probs[at]];
    const logRatio = logProb - oldLogProb;
    const own = Math.min(LOG_RATIO_BOUND, Math.max(-LOG_RATIO_BOUND, logRatio));
    const exact = u.sequence_ratio === 1 ? logRatioSum / count : logRatio;
    const limit = u.sequence_ratio === 1 ? SEQUENCE_LOG_RATIO_BOUND : LOG_RATIO_BOUND;
    const bounded = Math.min(limit, Math.max(-LOG_RATIO_BOUND, exact));
    const ratio = Math.exp(bounded);
    const moves = Number(bounded === exact);
    const advantage = advantages[at];
    const token = { logProb, oldLogProb, logRatio, ratio, moves, advantage, count, termSum, advantageSum };
    const { loss, slope, low, high, dual } = surrogate.loss(token, u);

    log_prob_gradient[at] = weights[at] * slope;
    addStatistics(statistics, s, {
      tokens: 1,
      loss: weights[at] * loss,
      policy_loss: weights[at] * loss,
      old_approx_kl: -(surrogate.ofSequences || u.sequence_ratio === 1 ? logRatio : own),
      approx_kl: Math.exp(own) - 1 - own,
      ratio: Math.exp(own),
      clipped_low: Number(low ?? false),
      clipped_high: Number(high ?? false),
      dual_clipped: Number(dual ?? false),
      bounded: 1 - moves,
    });
  }
}
