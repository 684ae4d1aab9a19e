/** Discounted Monte-Carlo returns over a control rollout, time-major [steps, copies]. */
import { ceilDiv, defineKernel } from '../kernel';
import code from './returns.wgsl?raw';

/** What follows the last step of an episode that is unfinished there. */
export const TAIL = { end: 0, leaveOut: 1, bootstrap: 2 } as const;

/**
 * rewards, final_values, terminated, truncated [steps, copies] and values [steps + 1, copies] →
 * returns, advantages, weights [steps, copies]. A weight of 0 marks a step that `TAIL.leaveOut` left
 * out. Without a critic bind zeros as values and final_values.
 */
export const returns = defineKernel({
  name: 'advantage/returns',
  wgsl: code,
  bindings: {
    rewards: 'read',
    values: 'read',
    final_values: 'read',
    terminated: 'read',
    truncated: 'read',
    returns: 'write',
    advantages: 'write',
    weights: 'write',
  },
  uniforms: { steps: 'u32', copies: 'u32', gamma: 'f32', tail: 'u32', use_baseline: 'u32' },
  workgroups: ({ copies }) => ceilDiv(copies, 64),
  reference(buffers, { steps, copies, gamma, tail, use_baseline }) {
    const { rewards, values, final_values, terminated, truncated, advantages, weights } = buffers;
    for (let copy = 0; copy < copies; copy++) {
      let following = tail === TAIL.bootstrap ? values[steps * copies + copy] : 0;
      let counts = tail !== TAIL.leaveOut;
      for (let t = steps - 1; t >= 0; t--) {
        const i = t * copies + copy;
        if (terminated[i] !== 0 || truncated[i] !== 0) {
          following = terminated[i] !== 0 ? 0 : final_values[i];
          counts = true;
        }
        following = rewards[i] + gamma * following;
        buffers.returns[i] = counts ? following : values[i];
        advantages[i] = counts ? following - (use_baseline ? values[i] : 0) : 0;
        weights[i] = Number(counts);
      }
    }
  },
});
