import { describe, expect, it } from 'vitest';
import { agree, normals } from '../agree';
import { FINITE_PARTIALS_SIZE, finite, finitePartials, NONE } from './finite';

async function inspect(input: Float32Array): Promise<number[]> {
  const { partials } = await agree(
    finitePartials,
    { input, partials: new Uint32Array(FINITE_PARTIALS_SIZE) },
    { count: input.length },
  );
  const { output } = await agree(finite, { partials, output: new Uint32Array(2) }, {});
  return [...output];
}

describe('finite', () => {
  it('flags exactly three of six (F19)', async () => {
    const values = [1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 3e38, 1e-40];
    expect(await inspect(Float32Array.from(values))).toEqual([3, 1]);
  });

  it.each([0, 1, 63, 64, 65, 257, 4_194_241])('finds the bad entries of %i', async (count) => {
    const input = new Float32Array(count).fill(-3e38);
    expect(await inspect(input)).toEqual([0, NONE]);
    if (count === 0) return;
    input[count - 1] = Number.NaN;
    expect(await inspect(input)).toEqual([1, count - 1]);
  });

  it('gives the first index of many', async () => {
    const input = normals(2000);
    for (const i of [1999, 700, 444]) input[i] = Number.POSITIVE_INFINITY;
    expect(await inspect(input)).toEqual([3, 444]);
  });
});
