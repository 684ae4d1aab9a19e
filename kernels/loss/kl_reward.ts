/** The KL penalty towards a reference policy, in the reward. */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import { klEstimate } from './kl_estimator';
import estimatorCode from './kl_estimator.wgsl?raw';
import code from './kl_reward.wgsl?raw';

/** Takes the penalty from `rewards` where `mask` is not 0; all [S, L], `tokens` = S · L. */
export const klReward = defineKernel({
  name: 'loss/kl_reward',
  wgsl: wgsl(estimatorCode, code),
  bindings: { mask: 'read', log_probs: 'read', reference_log_probs: 'read', rewards: 'write' },
  uniforms: { tokens: 'u32', coefficient: 'f32', estimator: 'u32' },
  workgroups: ({ tokens }) => ceilDiv(tokens, 64),
  reference({ mask, log_probs, reference_log_probs, rewards }, { tokens, coefficient, estimator }) {
    for (let at = 0; at < tokens; at++)
      if (mask[at] !== 0)
        rewards[at] -= coefficient * klEstimate(log_probs[at], reference_log_probs[at], estimator, 0)[0];
  },
});
