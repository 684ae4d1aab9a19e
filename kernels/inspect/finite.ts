/**
 * Counts the entries of a float32 buffer that are NaN or infinite, on their exponent bits:
 *
 *     run(finitePartials, { input, partials }, { count });
 *     run(finite, { partials, output }, {});
 */
import { ceilDiv, defineKernel } from '../kernel';
import { PARTIALS } from '../reduce/sum';
import code from './finite.wgsl?raw';
import partialsCode from './finite_partials.wgsl?raw';

/** The first index when every entry is finite. */
export const NONE = 0xffffffff;
/** u32 words of the scratch buffer between the two. */
export const FINITE_PARTIALS_SIZE = PARTIALS * 2;

/** input f32 [count] → partials u32 [256, 2]: how many of every 256th entry are not finite, and the first. */
export const finitePartials = defineKernel({
  name: 'inspect/finite_partials',
  wgsl: partialsCode,
  bindings: { input: 'read', partials: 'write' },
  uniforms: { count: 'u32' },
  workgroups: () => ceilDiv(PARTIALS, 64),
  reference({ input, partials }, { count }) {
    for (let p = 0; p < PARTIALS; p++) {
      let bad = 0;
      let first = NONE;
      for (let i = p; i < count; i += PARTIALS) {
        if (Number.isFinite(input[i])) continue;
        bad += 1;
        first = Math.min(first, i);
      }
      partials.set([bad, first], p * 2);
    }
  },
});

/** partials → output u32 [2]: entries that are not finite, index of the first or NONE. */
export const finite = defineKernel({
  name: 'inspect/finite',
  wgsl: code,
  bindings: { partials: 'read', output: 'write' },
  uniforms: {},
  workgroups: () => 1,
  reference({ partials, output }) {
    let bad = 0;
    let first = NONE;
    for (let p = 0; p < PARTIALS; p++) {
      bad += partials[p * 2];
      first = Math.min(first, partials[p * 2 + 1]);
    }
    output.set([bad, first]);
  },
});
