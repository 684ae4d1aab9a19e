import { describe, expect, it } from 'vitest';
import { executors, runOnce } from '../../src/engine/device/testing';
import { agree, normals } from '../agree';
import { PARTIALS, sum } from './sum';

async function total(executor: Awaited<ReturnType<typeof executors>>[number], input: Float32Array): Promise<number> {
  const first = await runOnce(
    executor,
    sum,
    { input, sums: new Float32Array(PARTIALS) },
    { rows: input.length, columns: 1, partials: PARTIALS },
  );
  const second = await runOnce(
    executor,
    sum,
    { input: first.sums, sums: new Float32Array(1) },
    { rows: PARTIALS, columns: 1, partials: 1 },
  );
  return second.sums[0];
}

describe('sum', () => {
  it.each([0, 1, 63, 64, 65, 1000, 4096, 100_000])('adds 1 … %i, the same every time (F21)', async (n) => {
    const input = Float32Array.from({ length: n }, (_, i) => i + 1);
    for (const executor of await executors()) {
      const first = await total(executor, input);
      const exact = (n * (n + 1)) / 2;
      expect(Math.abs(first - exact)).toBeLessThanOrEqual(exact < 2 ** 24 ? 0 : exact * 1e-6);
      for (let again = 0; again < 20; again++) expect(await total(executor, input)).toBe(first);
    }
  });

  it.each([
    [0, 3, 4],
    [1, 1, 1],
    [5, 7, 2],
    [63, 65, 16],
    [257, 33, 256],
  ])('adds rows of [%i, %i] into %i partials', async (rows, columns, partials) => {
    const buffers = { input: normals(rows * columns), sums: new Float32Array(partials * columns).fill(9) };
    await agree(sum, buffers, { rows, columns, partials });
  });

  it('reaches past 65,535 workgroups', async () => {
    const columns = 65_535 * 64 + 1;
    const { sums } = await agree(
      sum,
      { input: new Float32Array(columns).fill(3), sums: new Float32Array(columns) },
      { rows: 1, columns, partials: 1 },
    );
    expect(sums[columns - 1]).toBe(3);
  });
});
