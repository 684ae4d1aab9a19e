import { describe, expect, it } from 'vitest';
import { agree, expectGolden, normals } from '../agree';
import { attentionBackwardKey, attentionBackwardQuery, attentionForward } from './attention';
import { torchAttention } from './attention_golden';
import { cacheWrite } from './cache';
import type { LinearForm } from './linear';

const tolerance = { rtol: 5e-5, atol: 5e-6 };

const FORMS: [string, LinearForm][] = [
  ['plain', 'plain'],
  ['1 row', { rows: 1, quads: false, workgroup: 8 }],
  ['2 rows by quads', { rows: 2, quads: true, workgroup: 4 }],
  ['4 rows by quads', { rows: 4, quads: true, workgroup: 4 }],
];

/** [sequences, length, heads, dim] */
const SHAPES = [
  [1, 1, 1, 4],
  [3, 5, 2, 4],
  [2, 7, 3, 6],
  [5, 18, 2, 16],
  [2, 70, 1, 8],
] as const;

function batchOf([sequences, length, heads, dim]: readonly [number, number, number, number]) {
  const rows = sequences * length;
  const width = heads * dim;
  return {
    rows,
    width,
    qkv: normals(rows * 3 * width, 1, 0, 1.5),
    lengths: Uint32Array.from({ length: sequences }, (_, s) => (s === 0 ? length : (s * 5) % (length + 1))),
    scale: 1 / Math.sqrt(dim),
  };
}

describe.each(FORMS)('causal attention, %s', (_, form) => {
  it('agrees with PyTorch', () => expectGolden('torch_attention', torchAttention(form)));

  it.each(SHAPES)('agrees on both executors for %i sequences of %i, %i heads of %i', async (...shape) => {
    const [sequences, length, heads, dim] = shape;
    const { rows, width, qkv, lengths, scale } = batchOf(shape);
    const u = { rows, length, heads, query_stride: 3 * width, key_rows: length, key_stride: 3 * width };
    const made = await agree(
      attentionForward({ heads, dim }, form, false),
      {
        queries: qkv,
        keys: qkv,
        extents: lengths,
        output: new Float32Array(rows * width + 1).fill(9),
        log_sums: new Float32Array(rows * heads + 1).fill(9),
      },
      { ...u, key_first: width, value_first: 2 * width, scale },
      tolerance,
    );
    expect([made.output[rows * width], made.log_sums[rows * heads]]).toEqual([9, 9]);
    // The first token sees itself alone.
    for (let c = 0; c < width; c++) expect(made.output[c]).toBeCloseTo(qkv[2 * width + c], 5);

    const b = { sequences, length, heads, scale };
    const gradient = normals(rows * width, 2);
    const result = new Float32Array(rows * 3 * width).fill(9);
    const shared = { qkv, lengths, gradient, log_sums: made.log_sums };
    const query = await agree(
      attentionBackwardQuery({ heads, dim }, form),
      { ...shared, output: made.output, deltas: new Float32Array(rows * heads), result },
      b,
      tolerance,
    );
    const key = await agree(
      attentionBackwardKey({ heads, dim }, form),
      { ...shared, deltas: query.deltas, result: query.result },
      b,
      tolerance,
    );
    for (let r = 0; r < rows; r++)
      if (r % length >= lengths[Math.floor(r / length)]) {
        const padding = key.result.subarray((3 * r + 1) * width, (3 * r + 3) * width);
        expect(padding.every((d) => d === 0)).toBe(true);
      }
  });

  it('of one new token over the cache gives the bits of the whole batch', async () => {
    const shape = [4, 11, 2, 8] as const;
    const [sequences, length, heads, dim] = shape;
    const { rows, width, qkv, scale } = batchOf(shape);
    const context = 16;
    const whole = await agree(
      attentionForward({ heads, dim }, form, false),
      {
        queries: qkv,
        keys: qkv,
        extents: new Uint32Array(sequences).fill(length),
        output: new Float32Array(rows * width),
        log_sums: new Float32Array(rows * heads),
      },
      {
        rows,
        length,
        heads,
        query_stride: 3 * width,
        key_rows: length,
        key_stride: 3 * width,
        key_first: width,
        value_first: 2 * width,
        scale,
      },
      tolerance,
    );
    let cache = normals(sequences * context * 2 * width, 5) as Float32Array;
    for (let t = 0; t < length; t++) {
      const row = (s: number) => qkv.subarray((s * length + t) * 3 * width, (s * length + t + 1) * 3 * width);
      const queries = Float32Array.from(Array.from({ length: sequences }, (_, s) => [...row(s)]).flat());
      const positions = new Uint32Array(sequences).fill(t);
      const write = { sequences, context, stride: 3 * width, first: width, width: 2 * width };
      const running = new Uint32Array(sequences).fill(1);
      cache = (await agree(cacheWrite, { rows: queries, positions, running, cache }, write)).cache as Float32Array;
      const { output } = await agree(
        attentionForward({ heads, dim }, form, true),
        {
          queries,
          keys: cache,
          extents: positions,
          output: new Float32Array(sequences * width),
          log_sums: new Float32Array(sequences * heads),
        },
        {
          rows: sequences,
          length: 1,
          heads,
          query_stride: 3 * width,
          key_rows: context,
          key_stride: 2 * width,
          key_first: 0,
          value_first: width,
          scale,
        },
        tolerance,
      );
      for (let s = 0; s < sequences; s++)
        expect(output.subarray(s * width, (s + 1) * width)).toEqual(
          whole.output.subarray((s * length + t) * width, (s * length + t + 1) * width),
        );
    }
  });
});

describe('a key-value cache', () => {
  it('is kept where a sequence is not running, or past its end', async () => {
    const cache = normals(3 * 2 * 4, 1);
    const u = { sequences: 3, context: 2, stride: 6, first: 2, width: 4 };
    const written = await agree(
      cacheWrite,
      { rows: normals(18, 2), positions: Uint32Array.of(1, 0, 2), running: Uint32Array.of(1, 0, 1), cache },
      u,
    );
    const changed = [...written.cache].flatMap((x, i) => (x === cache[i] ? [] : [i]));
    expect(changed).toEqual([4, 5, 6, 7]);
  });
});
