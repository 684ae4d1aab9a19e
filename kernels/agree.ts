/**
 * For tests: runs a kernel's WGSL, its TypeScript reference and its SIMD form on the same buffers and
 * expects the same numbers; and runs golden vectors through a family's adapter.
 */
import { expect } from 'vitest';
import { executorsOfAllForms, runOnce } from '../src/engine/device/testing';
import { checkCase, type GoldenAdapter } from './golden/adapter';
import { firstDifference, type GoldenCase, readGolden, type Tolerance } from './golden/read';
import type { Kernel, TypedArray } from './kernel';
import { Random } from './random/threefry';

/** Runs every form, compares every written buffer with the reference's, and returns what WebGPU wrote. */
export async function agree<B extends string, U extends string>(
  kernel: Kernel<B, U>,
  buffers: Readonly<Record<B, TypedArray>>,
  uniforms: Readonly<Record<U, number>>,
  tolerance: Tolerance = { rtol: 1e-5, atol: 1e-6 },
): Promise<Record<B, TypedArray>> {
  const [reference, cpu, gpu] = await Promise.all(
    (await executorsOfAllForms()).map((executor) => runOnce(executor, kernel, buffers, uniforms)),
  );
  for (const name of Object.keys(kernel.bindings) as B[]) {
    if (kernel.bindings[name] !== 'write') continue;
    for (const [form, written] of Object.entries({ SIMD: cpu, WebGPU: gpu }))
      expect(
        firstDifference(written[name], reference[name], tolerance),
        `${kernel.name}, ${name}, ${form} against reference`,
      ).toBeUndefined();
  }
  return gpu;
}

/** Repeatable normal numbers for tests. */
export function normals(length: number, seed = 0, mean = 0, deviation = 1): Float32Array {
  return Float32Array.from({ length }, (_, i) => mean + deviation * new Random(seed, 0, i, 0).normal());
}

/** Repeatable flags, each 1 with the given probability. */
export function flags(length: number, probability: number, seed = 0): Float32Array {
  return Float32Array.from({ length }, (_, i) => Number(new Random(seed, 1, i, 0).uniform() < probability));
}

/** Expects every case of a family's golden vectors to pass in every form. */
export async function expectGolden(
  name: string,
  adapter: GoldenAdapter,
  only?: (testCase: GoldenCase) => boolean,
): Promise<void> {
  const file = readGolden(name);
  const cases = file.cases.filter((testCase) => only?.(testCase) ?? true);
  expect(cases.length).toBeGreaterThan(0);
  for (const executor of await executorsOfAllForms()) {
    for (const testCase of cases) {
      const where = `${name}, ${testCase.note}, ${executor.description}`;
      expect(await checkCase(file, testCase, adapter, executor), where).toBeUndefined();
    }
  }
}
