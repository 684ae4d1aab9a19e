import { describe, expect, it } from 'vitest';
import { agree, normals } from '../agree';
import { finalValues, truncatedRows, truncationSlots } from './final_values';

/** Copy c is truncated at its steps offset(c), offset(c) + limit, … */
function truncations(steps: number, copies: number, limit: number): Float32Array {
  return Float32Array.from({ length: steps * copies }, (_, row) => {
    const [t, copy] = [Math.floor(row / copies), row % copies];
    return Number(t >= copy % limit && (t - (copy % limit)) % limit === 0);
  });
}

describe('truncation slots', () => {
  it.each([
    [1, 1, 1],
    [5, 5, 1],
    [6, 5, 2],
    [10, 3, 4],
    [128, 0, 0],
    [3, 500, 1],
  ])('%i steps with a limit of %i: at most %i a copy', (steps, limit, slots) => {
    expect(truncationSlots(steps, limit)).toBe(slots);
    if (limit === 0) return;
    const most = truncations(steps, limit, limit).reduce((sum, flag, row) => sum + (row % limit === 0 ? flag : 0), 0);
    expect(most).toBe(slots);
  });
});

describe.each([
  [1, 1, 1],
  [10, 3, 3],
  [7, 64, 2],
  [13, 65, 5],
  [4, 63, 100],
])('%i steps of %i copies with a limit of %i', (steps, copies, limit) => {
  it('list every truncated row once, and put its value in its place only', async () => {
    const slots = truncationSlots(steps, limit);
    const first = (steps + 1) * copies;
    const truncated = truncations(steps, copies, limit);
    const before = new Uint32Array(slots * copies).fill(12345);
    const sizes = { steps, copies, slots, final_first: first };
    const { list } = await agree(truncatedRows, { truncated, list: before }, sizes);
    const expected = [...truncated.keys()].filter((row) => truncated[row] === 1).map((row) => first + row);
    expect([...list].filter((row) => row !== 0).sort((a, b) => a - b)).toEqual(expected);
    for (const [i, row] of list.entries()) if (row !== 0) expect((row - first) % copies).toBe(i % copies);

    const values = normals(slots * copies, 3);
    const untouched = new Float32Array(steps * copies).fill(-9);
    const { final_values } = await agree(
      finalValues,
      { list: list as Uint32Array, slot_values: values, final_values: untouched },
      { count: slots * copies, final_first: first },
    );
    for (const [row, flag] of truncated.entries()) {
      const slot = list.indexOf(first + row);
      expect(final_values[row]).toBe(flag === 1 ? values[slot] : -9);
    }
  });
});
