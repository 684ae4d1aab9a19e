/** A random permutation of [0, count), the same numbers in WGSL and here: the shuffle of minibatches. */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import code from './permutation.wgsl?raw';
import { Random, STREAM } from './threefry';
import threefry from './threefry.wgsl?raw';

const ROUNDS = 6;
/** Smaller halves do not reach every order equally often. */
const SMALLEST_HALF_BITS = 3;

/** Writes the permutation of (seed, step) into `indices`, from entry `first` on. */
export const permutation = defineKernel({
  name: 'random/permutation',
  wgsl: wgsl(threefry, `const STREAM_PERMUTATION = ${STREAM.permutation}u;`, code),
  bindings: { indices: 'write' },
  uniforms: { count: 'u32', first: 'u32', seed: 'u32', step: 'u32' },
  workgroups: ({ count }) => ceilDiv(count, 64),
  reference({ indices }, { count, first, seed, step }) {
    const key = new Random(seed, STREAM.permutation, 0, step).bits();
    for (let i = 0; i < count; i++) indices[first + i] = permute(i, count, key);
  },
});

/** Where the permutation of [0, count) under a 64-bit key sends i. */
export function permute(i: number, count: number, key: readonly [number, number]): number {
  const bits = Math.max(SMALLEST_HALF_BITS, (33 - Math.clz32(count - 1)) >> 1);
  const mask = (1 << bits) - 1;
  let x = i;
  do {
    let left = x >>> bits;
    let right = x & mask;
    for (let round = 0; round < ROUNDS; round++) {
      const scrambled = left ^ (scramble(right + key[0] + Math.imul(round, key[1])) & mask);
      left = right;
      right = scrambled;
    }
    x = ((left << bits) | right) >>> 0;
  } while (x >= count);
  return x;
}

function scramble(bits: number): number {
  let x = bits | 0;
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return x ^ (x >>> 16);
}
