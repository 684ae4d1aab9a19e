/**
 * The SIMD functions, compiled, with their memory. A kernel's tuned form for the CPU copies what it needs into
 * `arrays`, computes there, and copies the result out; the copies are small beside a product.
 */
import { ACTIVATIONS, type Activation, type ActivationName } from '../layer/activation';
import { ACTIVATION_FUNCTIONS } from './activations';
import { pagesOf, wasmModule } from './assembler';
import { product } from './product';
import { SOFTMAX_FUNCTIONS } from './softmax';

/** A matrix from the start of one of the machine's arrays: floats from a row to the next; in a row it has no gaps. */
export interface Matrix {
  readonly array: Float32Array;
  readonly row: number;
}

/** One that may have gaps, or lie transposed: floats from a column to the next. */
export interface StridedMatrix extends Matrix {
  readonly column: number;
}

export interface Simd {
  /** Arrays of at least these lengths, until the next call; what they hold is left over. Throws RangeError out of memory. */
  arrays(...lengths: readonly number[]): Float32Array[];
  /**
   * c += a b, with a [rows, depth], b [depth, columns] and c [rows, columns]. It is computed in whole TILEs, so a and
   * c have room for rows, b and c for columns past the last.
   */
  product(a: StridedMatrix, b: Matrix, c: Matrix, rows: number, columns: number, depth: number): void;
  /** y = f(y), for the first `count`, and some after it. */
  activate(activation: ActivationName, y: Float32Array, count: number): void;
  /** d = d ⊙ f'(x) where y = f(x). */
  differentiate(activation: ActivationName, d: Float32Array, x: Float32Array, y: Float32Array, count: number): void;
  /** scores [keys, queries] → exp(score − peak); `peaks` and `totals` of each query. Queries in fours. */
  softmax(scores: Matrix, keys: number, queries: number, peaks: Float32Array, totals: Float32Array): void;
  /** scores → p = exp(score − logSum), slopes → p (slope − delta); both [keys, queries] with the same row. */
  softmaxSlope(
    scores: Matrix,
    slopes: Matrix,
    keys: number,
    queries: number,
    logSums: Float32Array,
    deltas: Float32Array,
  ): void;
}

type Exports = Readonly<Record<string, (...parameters: number[]) => void>> & { readonly memory: WebAssembly.Memory };

const LANES = 4;

let compiled: WebAssembly.Module | undefined;

/** Some 4 kB, compiled at once: the engine runs in a worker, and on a page's thread Chrome allows 8 MB. */
const MODULE = wasmModule([product, ...ACTIVATION_FUNCTIONS, ...SOFTMAX_FUNCTIONS]);

function compile(): WebAssembly.Module | undefined {
  try {
    return new WebAssembly.Module(MODULE);
  } catch {
    // No WebAssembly, none with SIMD, or a policy of the page (CSP) that forbids it.
    return undefined;
  }
}

/** A machine with its own memory; undefined where the browser has no WebAssembly SIMD. */
export function createSimd(): Simd | undefined {
  compiled ??= compile();
  if (!compiled) return undefined;
  const functions = new WebAssembly.Instance(compiled).exports as unknown as Exports;
  let room = new Float32Array(functions.memory.buffer);

  function grow(floats: number): void {
    if (floats <= room.length) return;
    functions.memory.grow(pagesOf(4 * (floats - room.length)));
    // Growing takes the old buffer away.
    room = new Float32Array(functions.memory.buffer);
  }

  return {
    arrays(...lengths) {
      const sizes = lengths.map((length) => roundUp(length, LANES));
      grow(sizes.reduce((sum, size) => sum + size, 0));
      let end = 0;
      return sizes.map((size) => {
        end += size;
        return room.subarray(end - size, end);
      });
    },
    product(a, b, c, rows, columns, depth) {
      if (rows === 0 || columns === 0 || depth === 0) return;
      const from = [a.array.byteOffset, 4 * a.row, 4 * a.column, b.array.byteOffset, 4 * b.row] as const;
      functions.product(...from, c.array.byteOffset, 4 * c.row, rows, columns, depth);
    },
    activate(name, y, count) {
      if (name === 'identity' || count === 0) return;
      if (functions[name]) return functions[name](y.byteOffset, y.byteOffset + 4 * count);
      const { forward }: Activation = ACTIVATIONS[name];
      for (let i = 0; i < count; i++) y[i] = forward(y[i]);
    },
    differentiate(name, d, x, y, count) {
      if (name === 'identity' || count === 0) return;
      const slope = functions[`${name}_slope`];
      if (slope) return slope(d.byteOffset, d.byteOffset + 4 * count, x.byteOffset, y.byteOffset);
      const { gradient }: Activation = ACTIVATIONS[name];
      for (let i = 0; i < count; i++) d[i] *= gradient(x[i], y[i]);
    },
    softmax({ array, row }, keys, queries, peaks, totals) {
      const place = [array.byteOffset, array.byteOffset + 4 * keys * row, 4 * row, 4 * queries] as const;
      functions.softmax(...place, peaks.byteOffset, totals.byteOffset);
    },
    softmaxSlope({ array, row }, slopes, keys, queries, logSums, deltas) {
      const place = [array.byteOffset, array.byteOffset + 4 * keys * row, 4 * row, 4 * queries] as const;
      functions.softmaxSlope(...place, slopes.array.byteOffset, logSums.byteOffset, deltas.byteOffset);
    },
  };
}

export function roundUp(count: number, step: number): number {
  return Math.ceil(count / step) * step;
}
