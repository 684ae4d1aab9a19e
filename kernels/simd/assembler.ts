/**
 * A WebAssembly assembler of the few instructions that the SIMD kernels need. A piece of code is a list of bytes,
 * and an instruction a function of the code that makes its operands, so a kernel reads as its formula:
 *
 *     set(sum, f32x4.add(get(sum), f32x4.mul(get(a), load(pointer))))
 *
 * Instructions are those of fixed-width SIMD: the relaxed ones may round differently from machine to machine.
 * Source: WebAssembly Core Specification 2.0, chapter 5 (binary format), https://www.w3.org/TR/wasm-core-2/
 */

export type Code = readonly number[];
export type LocalType = 'i32' | 'v128';
export interface Local {
  readonly index: number;
}

export type NewLocal = (type: LocalType) => Local;

/** A function without a result; all parameters are i32: addresses and strides in bytes, counts. */
export interface WasmFunction {
  readonly name: string;
  readonly parameters: number;
  readonly locals: readonly LocalType[];
  readonly body: Code;
}

const TYPES: Readonly<Record<LocalType, number>> = { i32: 0x7f, v128: 0x7b };
const [VOID, END] = [0x40, 0x0b];
const PAGE_BYTES = 65_536;

/** `write` gets the parameters, and a maker of further locals. */
export function wasmFunction<P extends readonly string[]>(
  name: string,
  parameters: P,
  write: (parameters: Readonly<Record<P[number], Local>>, local: NewLocal) => Code,
): WasmFunction {
  const locals: LocalType[] = [];
  const local: NewLocal = (type) => ({ index: parameters.length + locals.push(type) - 1 });
  const named = Object.fromEntries(parameters.map((parameter, index) => [parameter, { index }]));
  const body = write(named as Record<P[number], Local>, local);
  return { name, parameters: parameters.length, locals, body };
}

/** The binary of a module that exports these functions and its `memory`. */
export function wasmModule(functions: readonly WasmFunction[]): Uint8Array<ArrayBuffer> {
  const signature = ({ parameters }: WasmFunction) => [0x60, ...vector(Array(parameters).fill([TYPES.i32])), 0];
  const code = ({ locals, body }: WasmFunction) =>
    sized([...vector(locals.map((type) => [1, TYPES[type]])), ...body, END]);
  const exports = functions.map(({ name }, index) => [...text(name), 0, ...unsigned(index)]);
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, functions.map(signature)),
    ...section(
      3,
      functions.map((_, index) => unsigned(index)),
    ),
    ...section(5, [[0, 1]]),
    ...section(7, [...exports, [...text('memory'), 2, 0]]),
    ...section(10, functions.map(code)),
  ]);
}

/** Pages that so many bytes take. */
export function pagesOf(bytes: number): number {
  return Math.ceil(bytes / PAGE_BYTES);
}

// Code in a row, and loops.

export const block = (...parts: readonly Code[]): Code => parts.flat();
export const each = <T>(items: readonly T[], write: (item: T, index: number) => Code): Code => items.flatMap(write);
/** Runs `body` for pointer = pointer, pointer + step … while it lies below `end`; once at least. */
export const loop = (pointer: Local, step: Code, end: Local, body: Code): Code => [
  ...[0x03, VOID],
  ...body,
  ...tee(pointer, i32.add(get(pointer), step)),
  ...[...get(end), 0x49, 0x0d, 0, END],
];

// Locals and addresses.

export const get = ({ index }: Local): Code => [0x20, ...unsigned(index)];
export const set = ({ index }: Local, value: Code): Code => [...value, 0x21, ...unsigned(index)];
export const tee = ({ index }: Local, value: Code): Code => [...value, 0x22, ...unsigned(index)];

export const i32 = {
  constant: (value: number): Code => [0x41, ...signed(value)],
  add: (a: Code, b: Code): Code => [...a, ...b, 0x6a],
  multiply: (a: Code, b: Code): Code => [...a, ...b, 0x6c],
};

// Four floats at once.

const simd = (operation: number, ...operands: readonly Code[]): Code => [
  ...operands.flat(),
  0xfd,
  ...unsigned(operation),
];
const memory = (operation: number, offset: number, ...operands: readonly Code[]): Code => [
  ...simd(operation, ...operands),
  ...[2, ...unsigned(offset)],
];
const unary = (operation: number) => (a: Code) => simd(operation, a);
const binary = (operation: number) => (a: Code, b: Code) => simd(operation, a, b);

/** Four floats from memory, at `offset` bytes after the address. */
export const load = (address: Code, offset = 0): Code => memory(0x00, offset, address);
/** One float, four times. */
export const loadSplat = (address: Code, offset = 0): Code => memory(0x09, offset, address);
export const store = (address: Code, value: Code, offset = 0): Code => memory(0x0b, offset, address, value);

export const f32x4 = {
  constant: (value: number): Code => v128(new Float32Array(4).fill(value)),
  add: binary(0xe4),
  subtract: binary(0xe5),
  multiply: binary(0xe6),
  divide: binary(0xe7),
  negate: unary(0xe1),
  /** The smaller of `limit` and `value`; NaN stays. */
  atMost: (value: Code, limit: Code) => simd(0xea, value, limit),
  atLeast: (value: Code, limit: Code) => simd(0xeb, value, limit),
  /** To the nearest whole number. */
  nearest: unary(0x6a),
  less: binary(0x43),
  greater: binary(0x44),
  toI32: unary(0xf8),
};

export const i32x4 = {
  constant: (value: number): Code => v128(new Int32Array(4).fill(value)),
  add: binary(0xae),
  shiftLeft: (a: Code, bits: number) => simd(0xab, a, i32.constant(bits)),
};

export const not = unary(0x4d);
export const and = binary(0x4e);
/** `a` where the mask's bits are 1, else `b`. */
export const select = (mask: Code, a: Code, b: Code): Code => simd(0x52, a, b, mask);

function v128(lanes: Float32Array | Int32Array): Code {
  return [...simd(0x0c), ...new Uint8Array(lanes.buffer)];
}

// Numbers, texts and lists of the binary format.

/** LEB128. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): number[] {
  const last = value >= -0x40 && value < 0x40;
  return last ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}

const sized = (bytes: Code): Code => [...unsigned(bytes.length), ...bytes];
const text = (value: string): Code => sized([...new TextEncoder().encode(value)]);
const vector = (items: readonly Code[]): Code => [...unsigned(items.length), ...items.flat()];
const section = (id: number, items: readonly Code[]): Code => [id, ...sized(vector(items))];
