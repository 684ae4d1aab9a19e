/** The reward of a control environment: a weighted sum of its signals, success left out. */
import { ceilDiv, defineKernel } from '../kernel';
import code from './weighted.wgsl?raw';

/**
 * signals [rows, signals] (the last is success), weights [signals] → rewards [rows]. `clip` bounds the
 * sum before `scale` multiplies it; 0 does not bound.
 */
export const weighted = defineKernel({
  name: 'reward/weighted',
  wgsl: code,
  bindings: { signals: 'read', weights: 'read', rewards: 'write' },
  uniforms: { rows: 'u32', signals: 'u32', scale: 'f32', clip: 'f32' },
  workgroups: ({ rows }) => ceilDiv(rows, 64),
  reference({ signals, weights, rewards }, { rows, signals: columns, scale, clip }) {
    for (let row = 0; row < rows; row++) {
      let total = 0;
      for (let k = 0; k + 1 < columns; k++) {
        if (weights[k] !== 0) total += weights[k] * signals[row * columns + k];
      }
      if (clip > 0) total = Math.min(Math.max(total, -clip), clip);
      rewards[row] = scale * total;
    }
  },
});
