/** What attention.test.ts, which compares every form, does not ask: the same bits alone and in a batch, long sequences, twice. */
import { expect, it } from 'vitest';
import { normals } from '../agree';
import { createSimd, type Simd } from '../simd/machine';
import { attentionBackwardKey, attentionForward } from './attention';

const simd = createSimd() as Simd;

it.each([
  [3, 11, 2, 8],
  [2, 37, 3, 6],
  [1, 130, 1, 16],
])(
  'one token over a cache gets the bits of the batch: %i sequences of %i, %i heads of %i',
  (sequences, length, heads, dim) => {
    const width = heads * dim;
    const qkv = normals(sequences * length * 3 * width, 1, 0, 1.5);
    const layout = { key_stride: 3 * width, key_first: width, value_first: 2 * width, heads, scale: 0.4 };
    const run = (stepwise: boolean, queries: Float32Array, extents: Uint32Array, rows: number, perSequence: number) => {
      const buffers = {
        ...{ queries, keys: qkv, extents },
        output: new Float32Array(rows * width),
        log_sums: new Float32Array(rows * heads),
      };
      attentionForward({ heads, dim }, 'plain', stepwise).simd?.(simd, buffers, {
        ...layout,
        ...{ rows, length: perSequence, query_stride: 3 * width, key_rows: length },
      });
      return buffers.output;
    };
    const lengths = new Uint32Array(sequences).fill(length);
    const whole = run(false, qkv, lengths, sequences * length, length);
    expect(run(false, qkv, lengths, sequences * length, length)).toEqual(whole);
    for (let t = 0; t < length; t++) {
      const rowAt = (s: number) => (s * length + t) * 3 * width;
      const queries = new Float32Array(sequences * 3 * width);
      for (let s = 0; s < sequences; s++) queries.set(qkv.subarray(rowAt(s), rowAt(s) + 3 * width), s * 3 * width);
      const alone = run(true, queries, new Uint32Array(sequences).fill(t), sequences, 1);
      for (let s = 0; s < sequences; s++)
        expect(alone.subarray(s * width, (s + 1) * width)).toEqual(
          whole.subarray((s * length + t) * width, (s * length + t + 1) * width),
        );
    }
  },
);

it('gives keys that are padding no gradient, whatever was left in memory', () => {
  const [length, heads, dim] = [23, 1, 8];
  const [junk] = simd.arrays(100_000);
  junk.fill(Number.NaN);
  const result = new Float32Array(length * 3 * dim).fill(9);
  attentionBackwardKey({ heads, dim }, 'plain').simd?.(
    simd,
    {
      ...{ qkv: normals(length * 3 * dim), lengths: Uint32Array.of(18), gradient: normals(length * dim, 2) },
      ...{ log_sums: new Float32Array(length), deltas: new Float32Array(length), result },
    },
    { sequences: 1, length, heads, scale: 0.3 },
  );
  for (let t = 18; t < length; t++)
    for (let c = 3 * t * dim + dim; c < 3 * (t + 1) * dim; c++) expect(result[c]).toBe(0);
  expect(result.subarray(dim, 3 * dim).every(Number.isFinite)).toBe(true);
  expect(result[0]).toBe(9);
});
