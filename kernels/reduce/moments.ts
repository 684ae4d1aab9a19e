/**
 * Mean and population variance of each column of a matrix, in two stages of fixed order:
 *
 *     run(momentsPartials, { input, partials }, { rows, columns, partials: PARTIALS });
 *     run(moments, { partials, moments }, { columns, partials: PARTIALS });
 */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import { mergeRows, momentsOf, writeMoments } from './chan';
import chan from './chan.wgsl?raw';
import code from './moments.wgsl?raw';
import partialsCode from './moments_partials.wgsl?raw';

/** input [rows, columns] → partials [partials, columns, 3]: count, mean, Σ(x - mean)². */
export const momentsPartials = defineKernel({
  name: 'reduce/moments_partials',
  wgsl: partialsCode,
  bindings: { input: 'read', partials: 'write' },
  uniforms: { rows: 'u32', columns: 'u32', partials: 'u32' },
  workgroups: ({ partials, columns }) => ceilDiv(partials * columns, 64),
  reference(buffers, { rows, columns, partials }) {
    for (let i = 0; i < partials * columns; i++) {
      const c = i % columns;
      const at = (row: number) => buffers.input[row * columns + c];
      writeMoments(buffers.partials, i, momentsOf(at, Math.floor(i / columns), rows, partials));
    }
  },
});

/** partials [partials, columns, 3] → moments [columns, 2]: mean, population variance. */
export const moments = defineKernel({
  name: 'reduce/moments',
  wgsl: wgsl(chan, code),
  bindings: { partials: 'read', moments: 'write' },
  uniforms: { columns: 'u32', partials: 'u32' },
  workgroups: ({ columns }) => ceilDiv(columns, 64),
  reference(buffers, { columns, partials }) {
    for (let c = 0; c < columns; c++) {
      const { n, mean, m2 } = mergeRows(buffers.partials, c, partials, columns);
      buffers.moments.set([mean, m2 / Math.max(n, 1)], c * 2);
    }
  },
});
