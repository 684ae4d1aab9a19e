/** Generalised advantage estimation over a control rollout, time-major [steps, copies]. */
import { ceilDiv, defineKernel } from '../kernel';
import code from './gae.wgsl?raw';

/**
 * rewards, final_values, terminated, truncated [steps, copies] and values [steps + 1, copies] →
 * advantages, returns [steps, copies]. final_values is V of the real last observation, read only
 * where a step was truncated and not terminated. Flags are 0 or 1.
 */
export const gae = defineKernel({
  name: 'advantage/gae',
  wgsl: code,
  bindings: {
    rewards: 'read',
    values: 'read',
    final_values: 'read',
    terminated: 'read',
    truncated: 'read',
    advantages: 'write',
    returns: 'write',
  },
  uniforms: { steps: 'u32', copies: 'u32', gamma: 'f32', lambda: 'f32' },
  workgroups: ({ copies }) => ceilDiv(copies, 64),
  reference(buffers, { steps, copies, gamma, lambda }) {
    const { rewards, values, final_values, terminated, truncated, advantages, returns } = buffers;
    for (let copy = 0; copy < copies; copy++) {
      let advantage = 0;
      for (let t = steps - 1; t >= 0; t--) {
        const i = t * copies + copy;
        const ended = terminated[i] !== 0 || truncated[i] !== 0;
        const after = terminated[i] !== 0 ? 0 : truncated[i] !== 0 ? final_values[i] : values[i + copies];
        const delta = rewards[i] + gamma * after - values[i];
        advantage = delta + (ended ? 0 : gamma * lambda * advantage);
        advantages[i] = advantage;
        returns[i] = advantage + values[i];
      }
    }
  },
});
