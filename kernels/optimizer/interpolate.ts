/** A mixture of two sets of weights, as phases merge them and references follow. */
import { ceilDiv, defineKernel } from '../kernel';
import code from './interpolate.wgsl?raw';

/** `mixed` = (1 − alpha) `first` + alpha `second`, all [count]. */
export const interpolate = defineKernel({
  name: 'optimizer/interpolate',
  wgsl: code,
  bindings: { first: 'read', second: 'read', mixed: 'write' },
  uniforms: { count: 'u32', alpha: 'f32' },
  workgroups: ({ count }) => ceilDiv(count, 64),
  reference({ first, second, mixed }, { count, alpha }) {
    for (let i = 0; i < count; i++) mixed[i] = (1 - alpha) * first[i] + alpha * second[i];
  },
});
