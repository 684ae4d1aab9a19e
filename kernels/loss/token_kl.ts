/** The KL penalty towards a reference policy, in the loss. */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import { klEstimate } from './kl_estimator';
import estimatorCode from './kl_estimator.wgsl?raw';
import code from './token_kl.wgsl?raw';
import { addStatistics, STATISTICS_CODE } from './token_statistics';
import { SEQUENCE_WORKGROUP } from './token_weights';

/**
 * Adds the penalty's derivative to `log_prob_gradient` [S, L], and its value to `loss` and `reference_kl` of
 * `statistics`; runs after the surrogate. `estimator` and `straight` as in KL_ESTIMATORS. Without
 * `report` the divergence is from another policy than the reference, and not counted as its.
 */
export const tokenKl = defineKernel({
  name: 'loss/token_kl',
  wgsl: wgsl(STATISTICS_CODE, estimatorCode, code),
  bindings: {
    mask: 'read',
    weights: 'read',
    log_probs: 'read',
    reference_log_probs: 'read',
    log_prob_gradient: 'write',
    statistics: 'write',
  },
  uniforms: { sequences: 'u32', length: 'u32', coefficient: 'f32', estimator: 'u32', straight: 'u32', report: 'u32' },
  workgroups: ({ sequences }) => ceilDiv(sequences, SEQUENCE_WORKGROUP),
  reference({ mask, weights, log_probs, reference_log_probs, log_prob_gradient, statistics }, u) {
    for (let s = 0; s < u.sequences; s++) {
      for (let at = s * u.length; at < (s + 1) * u.length; at++) {
        if (mask[at] === 0) continue;
        const [value, slope] = klEstimate(log_probs[at], reference_log_probs[at], u.estimator, u.straight);
        const weight = u.coefficient * weights[at];
        log_prob_gradient[at] += weight * slope;
        addStatistics(statistics, s, { loss: weight * value });
        if (u.report === 1) addStatistics(statistics, s, { reference_kl: value, reference_tokens: 1 });
      }
    }
  },
});
