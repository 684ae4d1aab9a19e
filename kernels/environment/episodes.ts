/** Episodes that ended during a rollout, copy by copy; shapes and columns in episodes.wgsl. */
import { ceilDiv, defineKernel } from '../kernel';
import code from './episodes.wgsl?raw';

export const RUNNING_SIZE = 4;
export const EPISODES_SIZE = 8;
/** Columns of `episodes`; all but the last three add up over copies and rollouts. */
export const EPISODES = {
  ended: 0,
  returns: 1,
  squaredReturns: 2,
  lengths: 3,
  successes: 4,
  sinceEnd: 5,
  illegal: 6,
  steps: 7,
} as const;

export const episodes = defineKernel({
  name: 'environment/episodes',
  wgsl: code,
  bindings: {
    signals: 'read',
    terminated: 'read',
    truncated: 'read',
    masks: 'read',
    running: 'write',
    episodes: 'write',
  },
  uniforms: { steps: 'u32', copies: 'u32', signals: 'u32', masked: 'u32' },
  workgroups: ({ copies }) => ceilDiv(copies, 64),
  reference({ signals, terminated, truncated, masks, running, episodes }, u) {
    for (let copy = 0; copy < u.copies; copy++) {
      let [total, length, success] = running.subarray(copy * RUNNING_SIZE, copy * RUNNING_SIZE + 3);
      const row = episodes.subarray(copy * EPISODES_SIZE, (copy + 1) * EPISODES_SIZE);
      row.fill(0);
      for (let t = 0; t < u.steps; t++) {
        const at = t * u.copies + copy;
        if (u.masked && row[EPISODES.illegal] === 0 && masks[at] === 0) row[EPISODES.illegal] = t + 1;
        total = Math.fround(total + signals[at * u.signals]);
        length += 1;
        success = Math.max(success, signals[(at + 1) * u.signals - 1]);
        if (terminated[at] + truncated[at] === 0) continue;
        row[EPISODES.ended] += 1;
        row[EPISODES.returns] += total;
        row[EPISODES.squaredReturns] += total * total;
        row[EPISODES.lengths] += length;
        row[EPISODES.successes] += success;
        total = length = success = 0;
      }
      running.set([total, length, success], copy * RUNNING_SIZE);
      row[EPISODES.sinceEnd] = length;
      row[EPISODES.steps] = u.steps;
    }
  },
});
