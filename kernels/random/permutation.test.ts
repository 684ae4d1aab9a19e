import { describe, expect, it } from 'vitest';
import { runOnce, webGpuExecutor } from '../../src/engine/device/testing';
import { agree } from '../agree';
import { permutation } from './permutation';

function permuted(count: number, seed: number, step: number): Uint32Array {
  const indices = new Uint32Array(count);
  permutation.reference({ indices }, { count, first: 0, seed, step });
  return indices;
}

/** Sum of squared deviations over the expected number, for `cells` equally likely outcomes. */
function chiSquare(counts: Iterable<number>, cells: number, trials: number): number {
  const expected = trials / cells;
  let filled = 0;
  let chi = 0;
  for (const count of counts) {
    filled += 1;
    chi += (count - expected) ** 2 / expected;
  }
  return chi + (cells - filled) * expected;
}

/** About the value that chi-square exceeds once in ten thousand (Wilson and Hilferty 1931). */
function critical(degrees: number): number {
  const spread = 2 / (9 * degrees);
  return degrees * (1 - spread + 3.72 * Math.sqrt(spread)) ** 3;
}

describe('permutation', () => {
  it('is a permutation for every count from 0 to 5000', () => {
    for (let count = 0; count <= 5000; count++) {
      const seen = new Uint8Array(count);
      for (const i of permuted(count, count % 3, count)) seen[i] = 1;
      if (seen.includes(0)) expect.fail(`not a permutation of ${count}`);
    }
  });

  it.each([0, 1, 2, 63, 64, 65, 1000, 4097])(
    'is the same on both executors for count %i, from `first` on',
    async (count) => {
      const buffers = { indices: new Uint32Array(count + 7) };
      const { indices } = await agree(
        permutation,
        buffers,
        { count, first: 5, seed: 0, step: 3 },
        { rtol: 0, atol: 0 },
      );
      expect([...indices.slice(5, 5 + count)].sort((a, b) => a - b)).toEqual(
        Array.from({ length: count }, (_, i) => i),
      );
      expect([...indices.slice(5 + count)]).toEqual([0, 0]);
    },
  );

  it('folds more than 65,535 workgroups (F17)', async () => {
    const count = 65_535 * 64 + 1;
    const { indices } = await runOnce(
      await webGpuExecutor(),
      permutation,
      { indices: new Uint32Array(count) },
      { count, first: 0, seed: 1, step: 0 },
    );
    const seen = new Uint8Array(count);
    for (const i of indices) seen[i] = 1;
    expect(seen.includes(0)).toBe(false);
  });

  it.each([2, 3, 4, 5])('reaches every order of %i elements equally often', (count) => {
    const orders = [1, 1, 2, 6, 24, 120][count] as number;
    const trials = 300 * orders;
    const seen = new Map<string, number>();
    for (let step = 0; step < trials; step++) {
      const order = permuted(count, 0, step).join();
      seen.set(order, (seen.get(order) ?? 0) + 1);
    }
    expect(chiSquare(seen.values(), orders, trials)).toBeLessThan(critical(orders - 1));
  });

  it.each([7, 16, 17, 40])('sends every pair of neighbours everywhere equally often for %i elements', (count) => {
    const trials = 20 * count * count;
    const pairs = new Map<number, number>();
    for (let step = 0; step < trials; step++) {
      const order = permuted(count, 1, step);
      const pair = order[0] * count + order[1];
      pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
    }
    const cells = count * (count - 1);
    expect(chiSquare(pairs.values(), cells, trials)).toBeLessThan(critical(cells - 1));
  });

  it('differs between seeds and steps', () => {
    expect(new Set([permuted(50, 0, 0), permuted(50, 0, 1), permuted(50, 1, 0)].map(String)).size).toBe(3);
  });
});
