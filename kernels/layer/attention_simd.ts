/**
 * Attention in WebAssembly SIMD, with the bindings and uniforms of attention.ts. A block of queries meets all keys up
 * to its last: scores, probabilities and their gradients are small matrices [keys, queries], and everything else is
 * a product with one of them. A sequence's keys and values are copied into the machine's memory in one piece, and
 * read there where they lie. Each number is one sum over keys in order, so a token alone over a cache gets the bits
 * that it gets in a batch.
 */
import type { ReferenceBuffers, TypedArray } from '../kernel';
import { copyMatrix } from '../simd/copy';
import { type Matrix, roundUp, type Simd, type StridedMatrix } from '../simd/machine';
import { TILE } from '../simd/product';
import type { HeadShape } from './attention_tiles';

type Uniforms<U extends string> = Readonly<Record<U, number>>;

const BLOCK = 16;
/** A score that is masked: its probability is 0. */
const MASKED = -1e30;

/** Where the queries of a block lie: consecutive rows of an array. */
interface Rows {
  readonly array: TypedArray;
  /** Of the head's first number in the block's first row. */
  readonly first: number;
  readonly stride: number;
  readonly count: number;
}

/** Copies a block's rows as columns, times `scale`: [dim, BLOCK]. */
function turn({ array, first, stride, count }: Rows, scale: number, to: Float32Array, dim: number): void {
  for (let r = 0; r < count; r++)
    for (let c = 0; c < dim; c++) to[c * BLOCK + r] = array[first + r * stride + c] * scale;
}

/** to [keys, queries] = left [keys, dim] · right [dim, queries], in rows of BLOCK. */
function scoresOf(
  simd: Simd,
  left: StridedMatrix,
  right: Float32Array,
  to: Matrix,
  keys: number,
  queries: number,
  dim: number,
): void {
  to.array.fill(0, 0, keys * BLOCK);
  simd.product(left, { array: right, row: BLOCK }, to, keys, queries, dim);
}

/** Query r of a block sees the keys up to its own position: those after it are masked. */
function maskLater(scores: Float32Array, position: number, keys: number): void {
  for (let j = position + 1; j < keys; j++) scores.fill(MASKED, j * BLOCK, j * BLOCK + Math.min(j - position, BLOCK));
}

/** Room for whole tiles past the end. */
const roomFor = (rows: number, stride: number) => roundUp(rows, TILE.rows) * stride + TILE.columns;

export function attentionForwardSimd(
  simd: Simd,
  buffers: ReferenceBuffers<'queries' | 'keys' | 'extents' | 'output' | 'log_sums'>,
  u: Uniforms<'rows' | 'length' | 'query_stride' | 'key_rows' | 'key_stride' | 'key_first' | 'value_first' | 'scale'>,
  { heads, dim }: HeadShape,
  stepwise: boolean,
): void {
  const { queries, keys, extents, output, log_sums } = buffers;
  const width = roundUp(dim, TILE.columns);
  const [held, turned, s, o, peaks, totals] = simd.arrays(
    roomFor(u.key_rows, u.key_stride),
    dim * BLOCK,
    roundUp(u.key_rows, TILE.rows) * BLOCK,
    BLOCK * width,
    BLOCK,
    BLOCK,
  );
  const scores = { array: s, row: BLOCK };

  const attend = (sequence: number, position: number, count: number, seen: number, head: number) => {
    const row = sequence * u.length + position;
    const block = { array: queries, first: row * u.query_stride + head * dim, stride: u.query_stride, count };
    turn(block, u.scale, turned, dim);
    const keysAt = { array: held.subarray(u.key_first + head * dim), row: u.key_stride, column: 1 };
    scoresOf(simd, keysAt, turned, scores, seen, count, dim);
    if (!stepwise) maskLater(s, position, seen);
    simd.softmax(scores, seen, roundUp(count, 4), peaks, totals);
    o.fill(0);
    const values = { array: held.subarray(u.value_first + head * dim), row: u.key_stride };
    simd.product({ array: s, row: 1, column: BLOCK }, values, { array: o, row: width }, count, dim, seen);
    for (let r = 0; r < count; r++) {
      const i = (row + r) * heads + head;
      for (let c = 0; c < dim; c++) output[i * dim + c] = o[r * width + c] / totals[r];
      log_sums[i] = peaks[r] + Math.log(totals[r]);
    }
  };

  for (let sequence = 0; sequence * u.length < u.rows; sequence++) {
    const extent = stepwise ? Math.min(extents[sequence] + 1, u.key_rows) : Math.min(extents[sequence], u.length);
    const first = sequence * u.key_rows * u.key_stride;
    held.set((keys as Float32Array).subarray(first, first + extent * u.key_stride));
    for (let position = 0; position < u.length; position += BLOCK) {
      const count = Math.min(BLOCK, u.length - position);
      const seen = stepwise ? extent : Math.min(position + count, extent);
      for (let head = 0; head < heads; head++)
        if (seen > 0) attend(sequence, position, count, seen, head);
        else clear(output, log_sums, sequence * u.length + position, count, heads * dim, heads);
    }
  }
}

/** Queries that see nothing. */
function clear(
  output: TypedArray,
  logSums: TypedArray,
  row: number,
  count: number,
  width: number,
  heads: number,
): void {
  output.fill(0, row * width, (row + count) * width);
  logSums.fill(0, row * heads, (row + count) * heads);
}

type Batch = Uniforms<'sequences' | 'length' | 'scale'>;

/** What both gradients walk over: for each block of queries and head, probabilities p and p (d − delta). */
interface BlockGradient {
  readonly sequence: number;
  readonly head: number;
  /** Row of the batch that the block begins with. */
  readonly row: number;
  readonly count: number;
  readonly seen: number;
  /** [keys, BLOCK]. */
  readonly p: Matrix;
  readonly slopes: Matrix;
  /** Queries times scale, and gradients of the outputs, in the block: [dim, BLOCK]. */
  readonly queries: Float32Array;
  readonly gradients: Float32Array;
  /** The sequence's keys: [length, 3 · width]. */
  readonly keys: Float32Array;
}

function eachBlock(
  simd: Simd,
  {
    qkv,
    lengths,
    gradient,
    log_sums,
    deltas,
  }: ReferenceBuffers<'qkv' | 'lengths' | 'gradient' | 'log_sums' | 'deltas'>,
  { sequences, length, scale }: Batch,
  { heads, dim }: HeadShape,
  extra: readonly number[],
  visit: (block: BlockGradient, extra: readonly Float32Array[]) => void,
): void {
  const width = heads * dim;
  const stride = 3 * width;
  const cells = roundUp(length, TILE.rows) * BLOCK;
  const [held, q, d, p, slopes, logs, shifts, ...others] = simd.arrays(
    ...[roomFor(length, stride), dim * BLOCK, dim * BLOCK, cells, cells, BLOCK, BLOCK],
    ...extra,
  );
  const [scores, slopesAt] = [
    { array: p, row: BLOCK },
    { array: slopes, row: BLOCK },
  ];
  for (let sequence = 0; sequence < sequences; sequence++) {
    const first = sequence * length;
    held.set((qkv as Float32Array).subarray(first * stride, (first + length) * stride));
    for (let head = 0; head < heads; head++) {
      const keys = { array: held.subarray(width + head * dim), row: stride, column: 1 };
      const values = { ...keys, array: held.subarray(2 * width + head * dim) };
      for (let position = 0; position < length; position += BLOCK) {
        const count = Math.min(BLOCK, length - position);
        const seen = Math.min(position + count, lengths[sequence]);
        const row = first + position;
        // Queries that are not there count nothing.
        q.fill(0);
        d.fill(0);
        turn({ array: qkv, first: row * stride + head * dim, stride, count }, scale, q, dim);
        turn({ array: gradient, first: row * width + head * dim, stride: width, count }, 1, d, dim);
        for (let r = 0; r < count; r++) {
          logs[r] = log_sums[(row + r) * heads + head];
          shifts[r] = deltas[(row + r) * heads + head];
        }
        if (seen > 0) {
          scoresOf(simd, keys, q, scores, seen, BLOCK, dim);
          maskLater(p, position, seen);
          scoresOf(simd, values, d, slopesAt, seen, BLOCK, dim);
          simd.softmaxSlope(scores, slopesAt, seen, BLOCK, logs, shifts);
        }
        const about = { sequence, head, row, count, seen, p: scores, slopes: slopesAt };
        visit({ ...about, queries: q, gradients: d, keys: keys.array }, others);
      }
    }
  }
}

export function attentionBackwardQuerySimd(
  simd: Simd,
  buffers: ReferenceBuffers<'qkv' | 'lengths' | 'output' | 'gradient' | 'log_sums' | 'deltas' | 'result'>,
  u: Batch,
  shape: HeadShape,
): void {
  const { heads, dim } = shape;
  const { output, gradient, deltas, result } = buffers;
  const [width, room] = [heads * dim, roundUp(dim, TILE.columns)];
  // Rounded as the products are: of a query that sees one key alone, slope and delta are the same number.
  for (let i = 0; i < u.sequences * u.length * heads; i++) {
    let delta = 0;
    for (let c = i * dim; c < (i + 1) * dim; c++) delta = Math.fround(delta + Math.fround(gradient[c] * output[c]));
    deltas[i] = delta;
  }
  eachBlock(simd, buffers, u, shape, [BLOCK * room], ({ head, row, count, seen, slopes, keys }, [dq]) => {
    dq.fill(0);
    const turned = { array: slopes.array, row: 1, column: BLOCK };
    simd.product(turned, { array: keys, row: 3 * width }, { array: dq, row: room }, count, dim, seen);
    for (let r = 0; r < count; r++)
      for (let c = 0; c < dim; c++) result[(row + r) * 3 * width + head * dim + c] = dq[r * room + c] * u.scale;
  });
}

export function attentionBackwardKeySimd(
  simd: Simd,
  buffers: ReferenceBuffers<'qkv' | 'lengths' | 'gradient' | 'log_sums' | 'deltas' | 'result'>,
  u: Batch,
  shape: HeadShape,
): void {
  const { heads, dim } = shape;
  const { result } = buffers;
  const [width, room] = [heads * dim, roundUp(dim, TILE.columns)];
  const size = roundUp(u.length, TILE.rows) * room;
  const extra = [BLOCK * room, BLOCK * room, size, size];
  eachBlock(simd, buffers, u, shape, extra, (block, [q, d, dk, dv]) => {
    const { sequence, head, row, count, seen, p, slopes, queries, gradients } = block;
    const first = sequence * u.length;
    if (row === first) {
      dk.fill(0);
      dv.fill(0);
    }
    // Of the block's rows as columns, rows again.
    const columns = { first: 0, row: 1, column: BLOCK };
    copyMatrix(queries, columns, q, { first: 0, row: room, column: 1 }, count, dim);
    copyMatrix(gradients, columns, d, { first: 0, row: room, column: 1 }, count, dim);
    simd.product({ ...slopes, column: 1 }, { array: q, row: room }, { array: dk, row: room }, seen, dim, count);
    simd.product({ ...p, column: 1 }, { array: d, row: room }, { array: dv, row: room }, seen, dim, count);
    if (row + count < first + u.length) return;
    // Keys that are padding; whole tiles have written there too.
    dk.fill(0, seen * room);
    dv.fill(0, seen * room);
    const from = { first: 0, row: room, column: 1 };
    const to = { first: first * 3 * width + width + head * dim, row: 3 * width, column: 1 };
    copyMatrix(dk, from, result, to, u.length, dim);
    copyMatrix(dv, from, result, { ...to, first: to.first + width }, u.length, dim);
  });
}
