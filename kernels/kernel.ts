/**
 * What a kernel is: hand-written WGSL, the buffers and numbers it takes, how many workgroups it
 * needs, and the same arithmetic in TypeScript. Both executors run the same definition: the WebGPU
 * executor compiles `wgsl`, the CPU executor calls `reference` (or its tuned form, `simd`), and the tests
 * compare them.
 */

import type { Simd } from './simd/machine';

export type TypedArray = Float32Array | Uint32Array;
export type ScalarType = 'f32' | 'u32' | 'i32';
/** `read` is `var<storage, read>`, `write` is `var<storage, read_write>`. */
export type Access = 'read' | 'write';
export type UniformValues = Readonly<Record<string, number>>;
/** Buffers by binding name, as plain arrays: what a reference works on. */
export type ReferenceBuffers<B extends string = string> = Readonly<Record<B, TypedArray>>;

export interface Kernel<B extends string = string, U extends string = string> {
  /** `family/name`, with the parameters of a generated kernel in brackets: `layer/linear[64,64,tanh]`. */
  readonly name: string;
  /** The whole module; its entry point is `main`. */
  readonly wgsl: string;
  /** In the order of `@binding(0)`, `@binding(1)` …; at most 8. */
  readonly bindings: Readonly<Record<B, Access>>;
  /** Scalars of `struct Uniforms`, in order, at the binding after the last buffer. May be empty. */
  readonly uniforms: Readonly<Record<U, ScalarType>>;
  /**
   * Workgroups for these uniforms. The executor folds a count above 65,535 over x and y, so the WGSL
   * numbers its workgroup as `workgroup_id.y * num_workgroups.x + workgroup_id.x` and tests bounds.
   */
  workgroups(uniforms: Readonly<Record<U, number>>): number;
  /** The same arithmetic in TypeScript; writes into the arrays. */
  reference(buffers: Readonly<Record<B, TypedArray>>, uniforms: Readonly<Record<U, number>>): void;
  /** The reference's tuned form for the CPU, where there is one: the same result but for rounding, in WebAssembly SIMD. */
  simd?(machine: Simd, buffers: Readonly<Record<B, TypedArray>>, uniforms: Readonly<Record<U, number>>): void;
}

/** Types a kernel's names without spelling them twice. */
export function defineKernel<B extends string, U extends string>(kernel: Kernel<B, U>): Kernel<B, U> {
  return kernel;
}

/** Invocations to workgroups. */
export function ceilDiv(count: number, size: number): number {
  return Math.ceil(count / size);
}

/** Joins WGSL modules that are included as text; `enable` lines must come first in a module. */
export function wgsl(...parts: readonly string[]): string {
  return parts.join('\n');
}
