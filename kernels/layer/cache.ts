/** Key-value cache of sequences that grow token by token. */
import { ceilDiv, defineKernel } from '../kernel';
import code from './cache_write.wgsl?raw';

/** `width` numbers of each of `rows` [S, stride], from `first` on, into `cache` [S, context, width] at the sequence's position. */
export const cacheWrite = defineKernel({
  name: 'layer/cache_write',
  wgsl: code,
  bindings: { rows: 'read', positions: 'read', running: 'read', cache: 'write' },
  uniforms: { sequences: 'u32', context: 'u32', stride: 'u32', first: 'u32', width: 'u32' },
  workgroups: ({ sequences, width }) => ceilDiv(sequences * ceilDiv(width, 16), 64),
  reference({ rows, positions, running, cache }, { sequences, context, stride, first, width }) {
    for (let s = 0; s < sequences; s++) {
      if (running[s] === 0 || positions[s] >= context) continue;
      const to = (s * context + positions[s]) * width;
      for (let k = 0; k < width; k++) cache[to + k] = rows[s * stride + first + k];
    }
  },
});
