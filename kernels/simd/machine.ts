/**
 * The SIMD functions, compiled, with their memory. A kernel's tuned form for the CPU copies what it needs into
 * `arrays`, computes there, and copies the result out; the copies are small beside a product.
 */
import { ACTIVATIONS, type Activation, type ActivationName } from '../layer/activation';
import { ACTIVATION_FUNCTIONS } from './activations';
import { pagesOf, wasmModule } from './assembler';
import { product } from './product';

/** A matrix in one of the machine's arrays: steps between neighbouring rows, and neighbouring columns, in floats. */
export interface Matrix {
  readonly array: Float32Array;
  readonly row: number;
  readonly column: number;
}

export interface Simd {
  /** Arrays of at least these lengths, until the next call; what they hold is left over. Throws RangeError out of memory. */
  arrays(...lengths: readonly number[]): Float32Array[];
  /**
   * c += a b, with a [rows, depth], b [depth, columns] and c [rows, columns]. Rows of b and c have `columns` floats,
   * which is a multiple of TILE.columns; a and c have room for whole tiles of TILE.rows rows.
   */
  product(a: Matrix, b: Float32Array, c: Float32Array, rows: number, columns: number, depth: number): void;
  /** y = f(y), for the first `count`, and some after it. */
  activate(activation: ActivationName, y: Float32Array, count: number): void;
  /** d = d ⊙ f'(x) where y = f(x). */
  differentiate(activation: ActivationName, d: Float32Array, x: Float32Array, y: Float32Array, count: number): void;
}

type Exports = Readonly<Record<string, (...parameters: number[]) => void>> & { readonly memory: WebAssembly.Memory };

const LANES = 4;

let compiled: WebAssembly.Module | undefined;

/** Some 4 kB, compiled at once: the engine runs in a worker, and on a page's thread Chrome allows 8 MB. */
const MODULE = wasmModule([product, ...ACTIVATION_FUNCTIONS]);

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
      const strides = [4 * a.row, 4 * a.column] as const;
      functions.product(a.array.byteOffset, ...strides, b.byteOffset, c.byteOffset, rows, columns, depth);
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
  };
}

export function roundUp(count: number, step: number): number {
  return Math.ceil(count / step) * step;
}
