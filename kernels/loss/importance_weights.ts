/** Weights of tokens that an older policy sampled: the decoupled objective. */
import { ceilDiv, defineKernel } from '../kernel';
import code from './importance_weights.wgsl?raw';

const LOG_RATIO_BOUND = 20;

/** `weights`, log-probabilities of the proximal and the behaviour policy, all [S, L] → `weights_out` [S, L]. */
export const importanceWeights = defineKernel({
  name: 'loss/importance_weights',
  wgsl: code,
  bindings: { weights: 'read', proximal_log_probs: 'read', behaviour_log_probs: 'read', weights_out: 'write' },
  uniforms: { tokens: 'u32', cap: 'f32', drop: 'u32' },
  workgroups: ({ tokens }) => ceilDiv(tokens, 64),
  reference({ weights, proximal_log_probs, behaviour_log_probs, weights_out }, { tokens, cap, drop }) {
    for (let at = 0; at < tokens; at++) {
      const logRatio = proximal_log_probs[at] - behaviour_log_probs[at];
      const importance = Math.exp(Math.min(LOG_RATIO_BOUND, Math.max(-LOG_RATIO_BOUND, logRatio)));
      const capped = drop === 1 && importance > cap ? 0 : Math.min(importance, cap);
      weights_out[at] = weights[at] === 0 ? 0 : weights[at] * capped;
    }
  },
});
