/**
 * Between golden vectors and kernels: an adapter runs one case through the kernels of its family on
 * one executor. Each family keeps its adapters beside its kernels (`golden.ts`); the table of all of
 * them is adapters.ts. Unit tests and `npm run golden` go through the same adapters.
 */
import type { Kernel, TypedArray } from '../kernel';
import {
  firstDifference,
  type GoldenCase,
  type GoldenFile,
  type GoldenRecord,
  type GoldenValue,
  numbers,
  scalar,
  toleranceOf,
} from './read';

/** A buffer on an executor, as adapters see it. */
export interface BenchBuffer {
  readonly label: string;
  readonly type: 'f32' | 'u32';
  readonly length: number;
}

/** The part of the engine's `Executor` that adapters need; kernels do not import the engine. */
export interface GoldenExecutor {
  readonly kind: string;
  createBuffer(label: string, type: 'f32' | 'u32', length: number): BenchBuffer;
  destroyBuffer(buffer: BenchBuffer): void;
  upload(buffer: BenchBuffer, data: TypedArray, offset?: number): void;
  download(buffer: BenchBuffer): Promise<TypedArray>;
  run<B extends string, U extends string>(
    kernel: Kernel<B, U>,
    buffers: Readonly<Record<B, BenchBuffer>>,
    uniforms: Readonly<Record<U, number>>,
  ): void;
}

/** An executor for the length of one case: every buffer made here is destroyed at its end. */
export class Bench {
  private readonly buffers: BenchBuffer[] = [];

  constructor(readonly executor: GoldenExecutor) {}

  zeros(length: number, type: 'f32' | 'u32' = 'f32'): BenchBuffer {
    const buffer = this.executor.createBuffer('golden', type, length);
    this.buffers.push(buffer);
    return buffer;
  }

  buffer(data: TypedArray): BenchBuffer {
    const buffer = this.zeros(data.length, data instanceof Float32Array ? 'f32' : 'u32');
    this.upload(buffer, data);
    return buffer;
  }

  upload(buffer: BenchBuffer, data: TypedArray): void {
    if (data.length > 0) this.executor.upload(buffer, data);
  }

  read(buffer: BenchBuffer): Promise<TypedArray> {
    return this.executor.download(buffer);
  }

  run<B extends string, U extends string>(
    kernel: Kernel<B, U>,
    buffers: Readonly<Record<B, BenchBuffer>>,
    uniforms: Readonly<Record<U, number>>,
  ): void {
    this.executor.run(kernel, buffers, uniforms);
  }

  close(): void {
    for (const buffer of this.buffers) this.executor.destroyBuffer(buffer);
  }
}

/** What an adapter puts out: flat numbers by key of `expected`, nested where `expected` is. */
export type Outputs = { readonly [key: string]: ArrayLike<number> | Outputs };
/** Runs one case. Undefined: this case is of a function that no kernel covers. */
export type GoldenAdapter = (testCase: GoldenCase, bench: Bench, file: GoldenFile) => Promise<Outputs | undefined>;

/** The input as single-precision numbers. */
export function floats(value: GoldenValue | undefined): Float32Array {
  return Float32Array.from(numbers(value));
}

/** An option of the reference that may be left out or null. */
export function numberOr(value: GoldenValue | undefined, otherwise: number): number {
  return value === undefined || value === null ? otherwise : scalar(value);
}

/**
 * Runs one case and compares every expected key; the first difference as a sentence, undefined when
 * there is none, NOT_COVERED when no kernel covers the case. Never rejects: an adapter that throws is
 * a difference.
 */
export async function checkCase(
  file: GoldenFile,
  testCase: GoldenCase,
  adapter: GoldenAdapter,
  executor: GoldenExecutor,
): Promise<string | undefined> {
  const bench = new Bench(executor);
  try {
    const outputs = await adapter(testCase, bench, file);
    if (outputs === undefined) return NOT_COVERED;
    return difference(file, testCase, testCase.recommended ?? testCase.expected, outputs);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    bench.close();
  }
}

export const NOT_COVERED = 'not covered';

/** What became of a file's cases on one executor. */
export interface Verdict {
  readonly passed: number;
  readonly notCovered: number;
  /** The first difference, and the case it is in. */
  readonly problem?: string;
}
/** Checks a whole file on one executor. */
export type GoldenCheck = (file: GoldenFile, executor: GoldenExecutor) => Promise<Verdict>;

/** Every case must pass through every adapter that covers it, up to the first that does not. */
export function everyCase(...adapters: readonly GoldenAdapter[]): GoldenCheck {
  return async (file, executor) => {
    if (!Array.isArray(file.cases)) throw new Error('has no list of cases');
    let passed = 0;
    for (const testCase of file.cases) {
      const found = await Promise.all(adapters.map((adapter) => checkCase(file, testCase, adapter, executor)));
      const problem = found.find((result) => result !== undefined && result !== NOT_COVERED);
      if (problem !== undefined) return { passed, notCovered: 0, problem: `case "${testCase.note}": ${problem}` };
      if (!found.includes(NOT_COVERED)) passed += 1;
    }
    return { passed, notCovered: file.cases.length - passed };
  };
}

/** Every key of `expected` must be there and agree; masks of the file's `compare` say where. */
function difference(
  file: GoldenFile,
  testCase: GoldenCase,
  expected: GoldenRecord,
  outputs: Outputs,
  path = '',
): string | undefined {
  for (const [key, value] of Object.entries(expected)) {
    const name = `${path}${key}`;
    const actual = outputs[key];
    if (actual === undefined) return `${name} was not computed`;
    const mask = file.compare?.[name];
    const found = isOutputs(actual)
      ? difference(file, testCase, value as GoldenRecord, actual, `${name}.`)
      : firstDifference(
          actual,
          value === null ? [Number.NaN] : value,
          toleranceOf(file, testCase),
          mask === undefined ? undefined : testCase.inputs[mask],
        );
    if (found !== undefined) return isOutputs(actual) ? found : `${name}${found.startsWith('[') ? '' : ' '}${found}`;
  }
  return undefined;
}

function isOutputs(value: ArrayLike<number> | Outputs): value is Outputs {
  return !Array.isArray(value) && !ArrayBuffer.isView(value);
}
