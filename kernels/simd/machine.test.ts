/** Product and activations against double precision; memory that grows; and that browsers without SIMD are told apart. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { normals } from '../agree';
import { ACTIVATIONS, type Activation, type ActivationName } from '../layer/activation';
import { createSimd, roundUp, type Simd } from './machine';
import { TILE } from './product';

const simd = createSimd() as Simd;

describe('product', () => {
  it.each([
    [1, 8, 1],
    [3, 8, 5],
    [4, 16, 63],
    [5, 8, 64],
    [63, 64, 65],
    [65, 72, 4],
  ])('c += a b, and the same bits with a turned: %i × %i, depth %i', (rows, columns, depth) => {
    const height = roundUp(rows, TILE.rows);
    const results = [
      [depth, 1],
      [1, height],
    ].map(([row, column]) => {
      const [a, b, c] = simd.arrays(height * depth, depth * columns, height * columns);
      const [left, right, before] = [normals(rows * depth, 1), normals(depth * columns, 2), normals(rows * columns, 3)];
      for (let r = 0; r < rows; r++) for (let k = 0; k < depth; k++) a[r * row + k * column] = left[r * depth + k];
      b.set(right);
      c.set(before);
      simd.product(
        { array: a, row, column },
        { array: b, row: columns },
        { array: c, row: columns },
        rows,
        columns,
        depth,
      );
      for (let r = 0; r < rows; r++)
        for (let j = 0; j < columns; j++) {
          let expected = before[r * columns + j];
          for (let k = 0; k < depth; k++) expected += left[r * depth + k] * right[k * columns + j];
          expect(Math.abs(c[r * columns + j] - expected)).toBeLessThan(2e-6 * (depth + 1));
        }
      return c.slice(0, rows * columns);
    });
    expect(results[1]).toEqual(results[0]);
  });

  it('takes one row many times with strides of 0', () => {
    const [ones, b, c] = simd.arrays(1, 3 * 8, 4 * 8);
    ones[0] = 1;
    b.set(Float32Array.from({ length: 24 }, (_, i) => i));
    c.fill(0);
    simd.product({ array: ones, row: 0, column: 0 }, { array: b, row: 8 }, { array: c, row: 8 }, 4, 8, 3);
    for (let r = 0; r < 4; r++) expect([...c.subarray(8 * r, 8 * r + 3)]).toEqual([24, 27, 30]);
  });

  it.each([
    [0, 8, 1],
    [1, 0, 1],
    [1, 8, 0],
  ])('of nothing changes nothing: %i × %i, depth %i', (rows, columns, depth) => {
    const [a, b, c] = simd.arrays(64, 64, 64);
    c.fill(3);
    simd.product({ array: a, row: 1, column: 1 }, { array: b, row: 8 }, { array: c, row: 8 }, rows, columns, depth);
    expect(c.every((value) => value === 3)).toBe(true);
  });
});

describe.each(Object.keys(ACTIVATIONS) as ActivationName[])('%s', (name) => {
  const activation: Activation = ACTIVATIONS[name];
  const inputs = [
    ...Array.from({ length: 2001 }, (_, i) => (i - 1000) / 100),
    ...[0, 1e-6, -1e-6, 1e-4, -1e-4, 30, -30, 90, -90, 1e4, -1e4],
  ];
  const close = (actual: number, expected: number) => {
    expect(Math.abs(actual - expected)).toBeLessThanOrEqual(2e-6 * Math.abs(expected) + 3e-7);
  };

  it('is the function, with its digits near 0', () => {
    const [y] = simd.arrays(inputs.length);
    y.set(inputs);
    simd.activate(name, y, inputs.length);
    for (const [i, x] of inputs.entries()) {
      const expected = activation.forward(Math.fround(x));
      close(y[i], expected);
      if (name === 'tanh') expect(Math.abs(y[i] - expected)).toBeLessThanOrEqual(1e-6 * Math.abs(expected));
    }
  });

  it('has the derivative', () => {
    const count = inputs.length;
    const [d, x, y] = simd.arrays(count, count, count);
    x.set(inputs);
    y.set(inputs.map((value) => activation.forward(Math.fround(value))));
    d.fill(1);
    simd.differentiate(name, d, x, y, count);
    for (let i = 0; i < count; i++) close(d[i], activation.gradient(x[i], y[i]));
  });

  it('keeps NaN', () => {
    const [y] = simd.arrays(4);
    y.fill(Number.NaN);
    simd.activate(name, y, 4);
    expect(y[0]).toBeNaN();
  });
});

it('grows its memory, and lets each machine have its own', () => {
  const [small] = simd.arrays(4);
  small.fill(1);
  const other = createSimd() as Simd;
  const [large] = other.arrays(1 << 20);
  large.fill(2);
  expect(small[0]).toBe(1);
  const [again, far] = other.arrays(8, 1 << 21);
  far[(1 << 21) - 1] = 5;
  expect([again[0], far[(1 << 21) - 1]]).toEqual([2, 5]);
});

describe('where SIMD is not to be had', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  class Forbidden {
    constructor() {
      throw new EvalError('Refused to compile or instantiate WebAssembly module');
    }
  }

  it.each([
    ['no WebAssembly', undefined],
    ['a policy that forbids it, or an old engine', { Module: Forbidden }],
  ])('%s: there is no machine, and the CPU executor runs the references', async (_, stub) => {
    vi.stubGlobal('WebAssembly', stub);
    vi.resetModules();
    const { createSimd: create } = await import('./machine');
    expect(create()).toBeUndefined();
    const { createCpuExecutor } = await import('../../src/engine/device/cpu');
    const executor = createCpuExecutor('test');
    expect([executor.fingerprint, executor.description]).toEqual(['cpu', 'CPU (test)']);
  });
});
