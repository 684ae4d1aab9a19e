/**
 * Reads golden vectors: numbers that public reference implementations put out, kept in the `*.json`
 * beside this file (README.md says where they come from). Tests and `npm run golden` compare with
 * them through the one pass criterion below.
 */

/** A tensor of two or more dimensions, row-major. */
export interface Tensor {
  readonly shape: readonly number[];
  readonly data: Float64Array;
}
/** A decoded value: special numbers are numbers, `{shape, data}` is a Tensor, the rest is as in JSON. */
export type GoldenValue = number | string | boolean | null | Tensor | GoldenValue[] | { [key: string]: GoldenValue };
export type GoldenRecord = Readonly<Record<string, GoldenValue>>;

/** Passes when |actual - expected| <= atol + rtol * |expected|. */
export interface Tolerance {
  readonly rtol: number;
  readonly atol: number;
}
type Precision = 'float32' | 'float64';
type Tolerances = Readonly<Partial<Record<Precision, Tolerance>>>;

export interface GoldenCase {
  readonly note: string;
  /** Which function of the family. */
  readonly function?: string;
  /** Only this version of the reference behaves so. */
  readonly variant?: string;
  readonly tolerance?: Tolerances;
  readonly inputs: GoldenRecord;
  readonly expected: GoldenRecord;
  /** Keys of `expected` that hold NaN or Infinity. */
  readonly nonfinite_in_reference?: readonly string[];
  /** Finite values to return where the reference gives NaN, Infinity or raises; tested instead of `expected`. */
  readonly recommended?: GoldenRecord;
}
export interface GoldenFile {
  readonly name: string;
  readonly source: string;
  readonly function: string;
  readonly tolerance: Tolerances;
  /** Maps an expected key to the input mask where it counts. */
  readonly compare?: Readonly<Record<string, string>>;
  readonly conventions: string;
  readonly cases: readonly GoldenCase[];
}

const SPECIAL = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

const files = import.meta.glob<unknown>('./*.json', { eager: true, import: 'default' });

/** The project's own copy of one file of vectors, by its name without `.json`. */
export function readGolden(name: string): GoldenFile {
  const json = files[`./${name}.json`];
  if (json === undefined) throw new Error(`kernels/golden has no ${name}.json`);
  return decodeGolden(json);
}

/** Parsed JSON to a file of vectors. Environment files keep their own keys beside `cases`. */
export function decodeGolden(json: unknown): GoldenFile {
  const file = decode(json);
  if (file === null || typeof file !== 'object' || !('name' in file))
    throw new Error('not a file of golden vectors: no name');
  return file as unknown as GoldenFile;
}

function decode(value: unknown): GoldenValue {
  if (typeof value === 'string') return SPECIAL.get(value) ?? value;
  if (value === null || typeof value !== 'object') return value as number | boolean | null;
  if (Array.isArray(value)) return value.map(decode);
  if ('shape' in value && 'data' in value) {
    const { shape, data } = value as { shape: number[]; data: unknown[] };
    return { shape, data: Float64Array.from(data, (entry) => decode(entry) as number) };
  }
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, decode(entry)]));
}

/** A number, list or tensor as its flat data; flags count as 0 and 1. */
export function numbers(value: GoldenValue | undefined): number[] {
  if (typeof value === 'number' || typeof value === 'boolean') return [Number(value)];
  if (Array.isArray(value)) return value.flatMap(numbers);
  if (isTensor(value)) return [...value.data];
  throw new Error(`not numbers: ${JSON.stringify(value)}`);
}

/** The shape of a list or tensor; a number has none. */
export function shapeOf(value: GoldenValue | undefined): readonly number[] {
  if (Array.isArray(value)) return [value.length];
  return isTensor(value) ? value.shape : [];
}

/** One number. */
export function scalar(value: GoldenValue | undefined): number {
  const all = numbers(value);
  if (all.length !== 1) throw new Error(`not one number but ${all.length}`);
  return all[0] as number;
}

function isTensor(value: GoldenValue | undefined): value is Tensor {
  return typeof value === 'object' && value !== null && 'shape' in value && 'data' in value;
}

/** What the case allows in single precision (its own tolerance, or the file's). */
export function toleranceOf(file: GoldenFile, testCase?: GoldenCase, precision: Precision = 'float32'): Tolerance {
  const tolerance = testCase?.tolerance?.[precision] ?? file.tolerance[precision];
  if (tolerance === undefined) throw new Error(`${file.name} has no tolerance for ${precision}`);
  return tolerance;
}

/**
 * The first entry in which two flat lists differ by more than the tolerance, as a sentence; undefined
 * when there is none. Entries where `mask` is 0 are not compared. NaN agrees with NaN only.
 */
export function firstDifference(
  actual: number | ArrayLike<number>,
  expected: GoldenValue | ArrayLike<number> | undefined,
  tolerance: Tolerance,
  mask?: GoldenValue | ArrayLike<number>,
): string | undefined {
  const got = flat(actual);
  const want = flat(expected);
  const counts = mask === undefined ? undefined : flat(mask);
  if (got.length !== want.length) return `has ${got.length} entries, expected ${want.length}`;
  for (let i = 0; i < want.length; i++) {
    if (counts?.[i] === 0) continue;
    const a = got[i] as number;
    const e = want[i] as number;
    if (!close(a, e, tolerance))
      return `[${i}] is ${a}, expected ${e} (rtol ${tolerance.rtol}, atol ${tolerance.atol})`;
  }
  return undefined;
}

function close(actual: number, expected: number, { rtol, atol }: Tolerance): boolean {
  if (!Number.isFinite(expected)) return Object.is(actual, expected);
  return Math.abs(actual - expected) <= atol + rtol * Math.abs(expected);
}

function flat(value: GoldenValue | ArrayLike<number> | undefined): ArrayLike<number> {
  return ArrayBuffer.isView(value) ? (value as unknown as ArrayLike<number>) : numbers(value as GoldenValue);
}
