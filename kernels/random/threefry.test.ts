import { describe, expect, it } from 'vitest';
import { runOnce, webGpuExecutor } from '../../src/engine/device/testing';
import { defineKernel, wgsl } from '../kernel';
import { Random, STREAM, threefry } from './threefry';
import code from './threefry.wgsl?raw';

/** Random123's kat_vectors, threefry2x32 with 20 rounds: counter, key, result. */
const KNOWN = [
  [0, 0, 0, 0, 0x6b200159, 0x99ba4efe],
  [0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x1cb996fc, 0xbb002be7],
  [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xc4923a9c, 0x483df7a0],
] as const;

/** Encrypts each (counter, key) quadruple of `inputs`. */
const encrypt = defineKernel({
  name: 'random/threefry',
  wgsl: wgsl(
    code,
    `@group(0) @binding(0) var<storage, read> inputs: array<vec4u>;
     @group(0) @binding(1) var<storage, read_write> output: array<vec2u>;
     @compute @workgroup_size(1) fn main(@builtin(workgroup_id) wg: vec3u) {
       output[wg.x] = threefry(inputs[wg.x].zw, inputs[wg.x].xy);
     }`,
  ),
  bindings: { inputs: 'read', output: 'write' },
  uniforms: {},
  workgroups: () => KNOWN.length,
  reference: () => {},
});

describe('threefry', () => {
  it('gives the published bits in TypeScript', () => {
    for (const [c0, c1, k0, k1, x, y] of KNOWN) expect(threefry(k0, k1, c0, c1)).toEqual([x, y]);
  });

  it('gives the published bits in WGSL', async () => {
    const inputs = Uint32Array.from(KNOWN.flatMap((row) => row.slice(0, 4)));
    const { output } = await runOnce(await webGpuExecutor(), encrypt, { inputs, output: new Uint32Array(6) }, {});
    expect([...output]).toEqual(KNOWN.flatMap((row) => row.slice(4)));
  });
});

describe('Random', () => {
  it('never repeats a draw over seeds, streams, copies, steps and draws', () => {
    const seen = new Set<string>();
    const places = [0, 1, 2, 4095, 4096, 2 ** 20, 2 ** 32 - 1];
    for (const seed of [0, 1])
      for (const stream of [STREAM.action, STREAM.play])
        for (const copy of places)
          for (const step of places) {
            const random = new Random(seed, stream, copy, step);
            for (let draw = 0; draw < 5; draw++) seen.add(random.bits().join());
          }
    expect(seen.size).toBe(2 * 2 * places.length ** 2 * 5);
  });

  it('is uniform and normal', () => {
    const n = 20_000;
    let sum = 0;
    let square = 0;
    const tenths = new Array<number>(10).fill(0);
    for (let i = 0; i < n; i++) {
      const random = new Random(3, STREAM.initialise, i, 7);
      const tenth = random.below(10);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
      const x = random.normal();
      sum += x;
      square += x * x;
    }
    // Chi-square with 9 degrees of freedom: above 27.9 once in a thousand.
    expect(tenths.reduce((chi, count) => chi + (count - n / 10) ** 2 / (n / 10), 0)).toBeLessThan(27.9);
    expect(Math.abs(sum / n)).toBeLessThan(4 / Math.sqrt(n));
    expect(Math.abs(square / n - 1)).toBeLessThan(4 * Math.sqrt(2 / n));
  });

  it('below(n) is never n', () => {
    class Highest extends Random {
      override bits(): [number, number] {
        return [0xffffffff, 0xffffffff];
      }
    }
    for (const n of [1, 3, 7, 1000, 2 ** 24]) expect(new Highest(0, 1, 0, 0).below(n)).toBe(n - 1);
  });
});
