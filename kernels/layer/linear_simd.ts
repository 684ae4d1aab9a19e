/**
 * The linear layer's three kernels in WebAssembly SIMD, with the bindings and uniforms of linear.ts: what is read is
 * copied into the machine's memory, multiplied there, and copied out. Rows are taken in chunks, so that what a product
 * works on stays in the cache. Each result is one sum in a fixed order: neither the rows computed together nor the
 * orientation of the product changes a bit.
 */
import type { ReferenceBuffers } from '../kernel';
import { copyMatrix, type Place } from '../simd/copy';
import { type Matrix, roundUp, type Simd, type StridedMatrix } from '../simd/machine';
import { TILE } from '../simd/product';
import type { ActivationName } from './activation';
import type { LinearOptions, Role } from './linear_tiles';

type Uniforms<U extends string> = Readonly<Record<U, number>>;

const CHUNK_ROWS = 128;

const wholeRows = (rows: number) => roundUp(rows, TILE.rows);
const wholeColumns = (columns: number) => roundUp(columns, TILE.columns);
const rowMajor = (width: number, first = 0): Place => ({ first, row: width, column: 1 });
const columnMajor = (height: number, first = 0): Place => ({ first, row: 1, column: height });

/** The transpose of a matrix, where it lies. */
const turned = ({ array, row }: Matrix): StridedMatrix => ({ array, row: 1, column: row });

/** Calls `body(first, count)` for chunks of [begin, end). */
function inChunks(begin: number, end: number, body: (first: number, count: number) => void): void {
  for (let first = begin; first < end; first += CHUNK_ROWS) body(first, Math.min(CHUNK_ROWS, end - first));
}

/** `count` rows of `width` numbers: those that `indices` names from `first` on, or those from `first` on. */
function copyRows(
  from: ReferenceBuffers['input'],
  indices: ReferenceBuffers['indices'] | undefined,
  first: number,
  to: Float32Array,
  target: Place,
  count: number,
  width: number,
): void {
  if (!indices) return copyMatrix(from, rowMajor(width, first * width), to, target, count, width);
  for (let r = 0; r < count; r++) {
    const row = indices[first + r] * width;
    for (let k = 0; k < width; k++) to[r * target.row + k * target.column] = from[row + k];
  }
}

/**
 * y = f(x Wᵀ + b). One of the two must be turned while it is copied in: W, or where that is more work x,
 * which gives yᵀ = W xᵀ.
 */
export function linearForwardSimd(
  simd: Simd,
  { parameters, input, indices, output }: ReferenceBuffers<'parameters' | 'input' | 'indices' | 'output'>,
  u: Uniforms<
    | 'rows'
    | 'inputs'
    | 'outputs'
    | 'weight'
    | 'bias'
    | 'input_first'
    | 'gather'
    | 'indices_first'
    | 'output_first'
    | 'pre_offset'
  >,
  activation: ActivationName,
  { bias = true, accumulate = false }: LinearOptions,
): void {
  const { rows, inputs, outputs } = u;
  const upright = rows >= outputs;
  const most = upright ? Math.min(rows, CHUNK_ROWS) : rows;
  const [height, width] = upright ? [wholeRows(most), wholeColumns(outputs)] : [wholeRows(outputs), wholeColumns(most)];
  const [left, right, z, b, ones] = simd.arrays(
    height * inputs,
    inputs * width,
    height * width,
    upright ? width : height,
    width,
  );
  const [samples, weights] = upright ? [left, right] : [right, left];
  const [samplesAt, weightsAt] = upright
    ? [rowMajor(inputs), columnMajor(width)]
    : [columnMajor(width), rowMajor(inputs)];
  const result = { array: z, row: width };
  const zAt = upright ? rowMajor(width) : columnMajor(width);
  copyMatrix(parameters, rowMajor(inputs, u.weight), weights, weightsAt, outputs, inputs);
  if (bias) {
    b.set(parameters.subarray(u.bias, u.bias + outputs));
    ones.fill(1);
  }

  const compute = (first: number, count: number) => {
    const source = u.gather ? u.indices_first : u.input_first;
    copyRows(input, u.gather ? indices : undefined, source + first, samples, samplesAt, count, inputs);
    const outputAt = rowMajor(outputs, (u.output_first + first) * outputs);
    if (accumulate) copyMatrix(output, outputAt, z, zAt, count, outputs);
    else z.fill(0);
    const zRows = upright ? count : outputs;
    // Adding b to every row is a product of depth 1 with ones.
    if (bias && upright)
      simd.product({ array: ones, row: 0, column: 0 }, { array: b, row: 0 }, result, zRows, width, 1);
    else if (bias) simd.product({ array: b, row: 1, column: 0 }, { array: ones, row: 0 }, result, zRows, width, 1);
    simd.product({ array: left, row: inputs, column: 1 }, { array: right, row: width }, result, zRows, width, inputs);
    if (u.pre_offset > 0) copyMatrix(z, zAt, output, rowMajor(outputs, u.pre_offset + first * outputs), count, outputs);
    simd.activate(activation, z, height * width);
    copyMatrix(z, zAt, output, outputAt, count, outputs);
  };
  if (upright) inChunks(0, rows, compute);
  else if (rows > 0) compute(0, rows);
}

/** d(input) = f'(z_input) ⊙ dz W. */
export function linearBackwardInputSimd(
  simd: Simd,
  { parameters, gradient, made, result }: ReferenceBuffers<'parameters' | 'gradient' | 'made' | 'result'>,
  u: Uniforms<'rows' | 'inputs' | 'outputs' | 'weight' | 'gradient_first' | 'pre_offset'>,
  activation: ActivationName,
  role: Role,
): void {
  const { rows, inputs, outputs } = u;
  const [height, width] = [wholeRows(Math.min(rows, CHUNK_ROWS)), wholeColumns(inputs)];
  const size = height * width;
  const [dz, weights, d, x, y] = simd.arrays(height * outputs, outputs * width, size, size, size);
  copyMatrix(parameters, rowMajor(inputs, u.weight), weights, rowMajor(width), outputs, inputs);
  inChunks(0, rows, (first, count) => {
    const at = first * inputs;
    copyMatrix(gradient, rowMajor(outputs, u.gradient_first + first * outputs), dz, rowMajor(outputs), count, outputs);
    if (role === 'last') copyMatrix(result, rowMajor(inputs, at), d, rowMajor(width), count, inputs);
    else d.fill(0);
    simd.product(
      { array: dz, row: outputs, column: 1 },
      { array: weights, row: width },
      { array: d, row: width },
      count,
      width,
      outputs,
    );
    if (role !== 'first' && activation !== 'identity') {
      copyMatrix(made, rowMajor(inputs, u.pre_offset + at), x, rowMajor(width), count, inputs);
      copyMatrix(made, rowMajor(inputs, at), y, rowMajor(width), count, inputs);
      simd.differentiate(activation, d, x, y, count * width);
    }
    copyMatrix(d, rowMajor(width), result, rowMajor(inputs, at), count, inputs);
  });
}

/**
 * dW = dzᵀ x and db = dzᵀ 1, in parts. Whichever of dW and its transpose has fewer numbers in whole tiles is computed;
 * db is a product too, with a matrix of ones whose strides are 0.
 */
export function linearBackwardWeightSimd(
  simd: Simd,
  { gradient, input, indices, partials }: ReferenceBuffers<'gradient' | 'input' | 'indices' | 'partials'>,
  u: Uniforms<
    | 'rows'
    | 'inputs'
    | 'outputs'
    | 'weight'
    | 'bias'
    | 'gradient_first'
    | 'input_first'
    | 'indices_first'
    | 'parts'
    | 'part_rows'
    | 'stride'
  >,
  gather: boolean,
  bias: boolean,
): void {
  const { inputs, outputs } = u;
  const [xWidth, dzWidth] = [wholeColumns(inputs), wholeColumns(outputs)];
  const upright = wholeRows(outputs) * xWidth <= wholeRows(inputs) * dzWidth;
  const size = upright ? wholeRows(outputs) * xWidth : wholeRows(inputs) * dzWidth;
  const [x, dz, dW, db, one] = simd.arrays(CHUNK_ROWS * xWidth, CHUNK_ROWS * dzWidth, size, TILE.rows * dzWidth, 1);
  one[0] = 1;
  for (let part = 0; part < u.parts; part++) {
    dW.fill(0);
    db.fill(0);
    inChunks(part * u.part_rows, Math.min(u.rows, (part + 1) * u.part_rows), (first, count) => {
      const source = gather ? u.indices_first : u.input_first;
      copyRows(input, gather ? indices : undefined, source + first, x, rowMajor(xWidth), count, inputs);
      const from = rowMajor(outputs, u.gradient_first + first * outputs);
      copyMatrix(gradient, from, dz, rowMajor(dzWidth), count, outputs);
      const [xRows, dzRows] = [
        { array: x, row: xWidth },
        { array: dz, row: dzWidth },
      ];
      if (upright) simd.product(turned(dzRows), xRows, { array: dW, row: xWidth }, outputs, xWidth, count);
      else simd.product(turned(xRows), dzRows, { array: dW, row: dzWidth }, inputs, dzWidth, count);
      if (bias) simd.product({ array: one, row: 0, column: 0 }, dzRows, { array: db, row: dzWidth }, 1, dzWidth, count);
    });
    const to = part * u.stride;
    const dWAt = upright ? rowMajor(xWidth) : columnMajor(dzWidth);
    copyMatrix(dW, dWAt, partials, rowMajor(inputs, to + u.weight), outputs, inputs);
    if (bias) partials.set(db.subarray(0, outputs), to + u.bias);
  }
}
