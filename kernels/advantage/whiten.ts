/**
 * Whitening over a batch, where a mask is 1, in three stages of fixed order:
 *
 *     run(maskedPartials, { values, mask, partials }, { count, partials: MASKED_PARTIALS });
 *     run(maskedMoments, { partials, moments }, { partials: MASKED_PARTIALS });
 *     run(whiten, { mask, moments, values }, { count, center: 1, scale: 1 });
 */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import { deviationIsZero, mergeRows, momentsOf, writeMoments } from '../reduce/chan';
import chan from '../reduce/chan.wgsl?raw';
import momentsCode from './masked_moments.wgsl?raw';
import partialsCode from './masked_partials.wgsl?raw';
import code from './whiten.wgsl?raw';

export const MASKED_PARTIALS = 256;

/** values, mask [count] → partials [partials, 3]: count, mean, Σ(x − mean)² of every partials-th entry. */
export const maskedPartials = defineKernel({
  name: 'advantage/masked_partials',
  wgsl: partialsCode,
  bindings: { values: 'read', mask: 'read', partials: 'write' },
  uniforms: { count: 'u32', partials: 'u32' },
  workgroups: ({ partials }) => ceilDiv(partials, 64),
  reference(buffers, { count, partials }) {
    const { values, mask } = buffers;
    for (let p = 0; p < partials; p++) {
      const kept: number[] = [];
      for (let i = p; i < count; i += partials) if (mask[i] !== 0) kept.push(values[i]);
      writeMoments(
        buffers.partials,
        p,
        momentsOf((i) => kept[i], 0, kept.length),
      );
    }
  },
});

/** partials → moments [3]: n, mean, unbiased variance (exactly 0 where n < 2 or all are equal). */
export const maskedMoments = defineKernel({
  name: 'advantage/masked_moments',
  wgsl: wgsl(chan, momentsCode),
  bindings: { partials: 'read', moments: 'write' },
  uniforms: { partials: 'u32' },
  workgroups: () => 1,
  reference(buffers, { partials }) {
    const { n, mean, m2 } = mergeRows(buffers.partials, 0, partials);
    const variance = m2 / Math.max(n - 1, 1);
    const none = n < 2 || deviationIsZero(Math.sqrt(variance), mean);
    buffers.moments.set([n, mean, none ? 0 : variance]);
  },
});

/** mask [count], moments [3] → values [count] in place. `center` 0 keeps the mean, `scale` 0 only centres. */
export const whiten = defineKernel({
  name: 'advantage/whiten',
  wgsl: code,
  bindings: { mask: 'read', moments: 'read', values: 'write' },
  uniforms: { count: 'u32', center: 'u32', scale: 'u32' },
  workgroups: ({ count }) => ceilDiv(count, 64),
  reference({ mask, moments, values }, { count, center, scale }) {
    const [, mean, variance] = moments;
    const factor = scale ? 1 / Math.sqrt(variance + 1e-8) : 1;
    for (let i = 0; i < count; i++) {
      const centered = variance > 0 ? (values[i] - mean) * factor : 0;
      values[i] = mask[i] !== 0 ? centered + (center ? 0 : mean) : 0;
    }
  },
});
