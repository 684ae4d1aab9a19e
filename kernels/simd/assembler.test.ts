/** The binary that comes out is one that a WebAssembly engine takes, and it does what was written. */
import { expect, it } from 'vitest';
import {
  block,
  f32x4,
  get,
  i32,
  load,
  loadSplat,
  loop,
  pagesOf,
  set,
  store,
  wasmFunction,
  wasmModule,
} from './assembler';

type Run = (...parameters: number[]) => void;

function instantiate(...functions: Parameters<typeof wasmModule>[0][number][]) {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(wasmModule(functions)));
  const { memory, ...rest } = exports as unknown as Record<string, Run> & { memory: WebAssembly.Memory };
  return { floats: new Float32Array(memory.buffer), memory, functions: rest as Record<string, Run> };
}

it('encodes a loop over memory with parameters, locals and SIMD', () => {
  const axpy = wasmFunction('axpy', ['y', 'end', 'x', 'a'], (p, local) => {
    const a = local('v128');
    return block(
      set(a, loadSplat(get(p.a))),
      loop(
        p.y,
        i32.constant(16),
        p.end,
        block(
          store(get(p.y), f32x4.add(load(get(p.y)), f32x4.multiply(get(a), load(get(p.x))))),
          set(p.x, i32.add(get(p.x), i32.constant(16))),
        ),
      ),
    );
  });
  const { floats, functions } = instantiate(axpy);
  floats.set([1, 2, 3, 4, 5, 6, 7, 8], 0);
  floats.set([10, 20, 30, 40, 50, 60, 70, 80], 16);
  floats[32] = 0.5;
  functions.axpy(0, 32, 64, 128);
  expect([...floats.subarray(0, 9)]).toEqual([6, 12, 18, 24, 30, 36, 42, 48, 0]);
});

it.each([0, 1, 63, 64, 127, 128, 8191, 8192, 2 ** 20, 2 ** 31 - 1, -1, -64, -65, -(2 ** 31)])(
  'encodes the constant %i',
  (value) => {
    // lane 0 of (address-sized) arithmetic: stored as its bits by an address computed from it.
    const write = wasmFunction('write', ['at', 'x'], (p) =>
      store(i32.add(get(p.at), i32.add(get(p.x), i32.constant(value))), f32x4.constant(7)),
    );
    const { floats, functions } = instantiate(write);
    functions.write(16, -value);
    expect(floats[4]).toBe(7);
    expect(floats[3]).toBe(0);
  },
);

it('keeps functions apart, and offsets of addresses', () => {
  const one = wasmFunction('one', ['at'], (p) => store(get(p.at), f32x4.constant(1), 16));
  const two = wasmFunction('two', ['at'], (p) => store(get(p.at), f32x4.constant(2), 65_536 - 16));
  const { floats, functions } = instantiate(one, two);
  functions.one(0);
  functions.two(0);
  expect([floats[3], floats[4], floats[7], floats[8], floats[16_383]]).toEqual([0, 1, 1, 0, 2]);
  expect(() => functions.two(16)).toThrow(WebAssembly.RuntimeError);
});

it('counts whole pages', () => {
  expect([0, 1, 65_536, 65_537].map(pagesOf)).toEqual([0, 1, 1, 2]);
});
