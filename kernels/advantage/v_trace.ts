/** V-trace over episodes of tokens sampled by an older policy, [sequences, length]. */
import { ceilDiv, defineKernel } from '../kernel';
import code from './v_trace.wgsl?raw';

/** The log-ratio is bounded before exp. */
const LOG_RATIO_MAX = 20;

/**
 * rewards, values, mask, log-probabilities under the policy that sampled (behaviour) and the one being trained
 * (proximal) [S, L], final_values [S] → advantages, returns (critic targets) [S, L]. Mask 0 is jumped over: advantage
 * 0, return = value.
 */
export const vTrace = defineKernel({
  name: 'advantage/v_trace',
  wgsl: code,
  bindings: {
    rewards: 'read',
    values: 'read',
    mask: 'read',
    behaviour: 'read',
    proximal: 'read',
    final_values: 'read',
    advantages: 'write',
    returns: 'write',
  },
  uniforms: {
    sequences: 'u32',
    length: 'u32',
    gamma: 'f32',
    rho_max: 'f32',
    c_max: 'f32',
    policy_rho_max: 'f32',
  },
  workgroups: ({ sequences }) => ceilDiv(sequences, 64),
  reference(buffers, { sequences, length, gamma, rho_max, c_max, policy_rho_max }) {
    const { rewards, values, mask, behaviour, proximal, final_values, advantages, returns } = buffers;
    for (let s = 0; s < sequences; s++) {
      let valueAfter = final_values[s];
      let returnAfter = valueAfter;
      let accumulated = 0;
      for (let i = (s + 1) * length - 1; i >= s * length; i--) {
        const value = values[i];
        advantages[i] = 0;
        returns[i] = value;
        if (mask[i] === 0) continue;
        const logRatio = proximal[i] - behaviour[i];
        const rho = Math.exp(Math.min(Math.max(logRatio, -LOG_RATIO_MAX), LOG_RATIO_MAX));
        const delta = Math.min(rho, rho_max) * (rewards[i] + gamma * valueAfter - value);
        accumulated = delta + gamma * Math.min(rho, c_max) * accumulated;
        advantages[i] = Math.min(rho, policy_rho_max) * (rewards[i] + gamma * returnAfter - value);
        returnAfter = value + accumulated;
        returns[i] = returnAfter;
        valueAfter = value;
      }
    }
  },
});
