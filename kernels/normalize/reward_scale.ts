/** Running scale of rewards: divided by the deviation of the discounted return, copy by copy. */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import { type Moments, mergeMoments } from '../reduce/chan';
import chan from '../reduce/chan.wgsl?raw';
import code from './reward_scale.wgsl?raw';

const EPSILON = 1e-8;
const FIRST_COUNT = 1e-4;
const STATE_SIZE = 4;

/** Statistics before anything was seen, [copies, 4]: return 0, mean 0, variance 1, count 1e-4. */
export function initialRewardScale(copies: number): Float32Array {
  const running = new Float32Array(copies * STATE_SIZE);
  for (let copy = 0; copy < copies; copy++) running.set([0, 0, 1, FIRST_COUNT], copy * STATE_SIZE);
  return running;
}

/** rewards, terminated, truncated [steps, copies] → scaled [steps, copies]; running [copies, 4] goes on. */
export const rewardScale = defineKernel({
  name: 'normalize/reward_scale',
  wgsl: wgsl(chan, code),
  bindings: { rewards: 'read', terminated: 'read', truncated: 'read', running: 'write', scaled: 'write' },
  uniforms: { steps: 'u32', copies: 'u32', gamma: 'f32', clip: 'f32' },
  workgroups: ({ copies }) => ceilDiv(copies, 64),
  reference({ rewards, terminated, truncated, running, scaled }, { steps, copies, gamma, clip }) {
    for (let copy = 0; copy < copies; copy++) {
      const at = copy * STATE_SIZE;
      let discounted = running[at];
      let seen: Moments = { n: running[at + 3], mean: running[at + 1], m2: running[at + 2] * running[at + 3] };
      for (let t = 0; t < steps; t++) {
        const i = t * copies + copy;
        discounted = gamma * discounted + rewards[i];
        seen = mergeMoments(seen, { n: 1, mean: discounted, m2: 0 });
        scaled[i] = Math.min(Math.max(rewards[i] / Math.sqrt(seen.m2 / seen.n + EPSILON), -clip), clip);
        if (terminated[i] !== 0 || truncated[i] !== 0) discounted = 0;
      }
      running.set([discounted, seen.mean, seen.m2 / seen.n, seen.n], at);
    }
  },
});
