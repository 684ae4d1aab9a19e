/**
 * For tests: both executors, and a comparison of a kernel's WGSL against its reference on the same
 * buffers. In Node the GPU comes from npm `webgpu` (Dawn); a missing adapter is an error, never a skip.
 */
import type { Kernel, TypedArray } from '../../../kernels/kernel';
import { createCpuExecutor } from './cpu';
import type { Executor } from './executor';
import { createWebGpuExecutor, type WebGpuExecutor } from './webgpu';

let shared: Promise<WebGpuExecutor> | undefined;

/** One WebGPU executor for all tests of a file; its adapter is kept alive with it. */
export function webGpuExecutor(): Promise<WebGpuExecutor> {
  shared ??= (async () => {
    const { create, globals } = await import('webgpu');
    Object.assign(globalThis, globals);
    const gpu = create([]);
    const adapter = await gpu.requestAdapter();
    if (!adapter)
      throw new Error(
        'No WebGPU adapter: run the tests through `npm test`, which finds the software adapter of an installed Chromium.',
      );
    // Dawn for Node crashes when these are collected while a device is alive.
    Object.assign(globalThis, { keepGpuAlive: [gpu, adapter] });
    return createWebGpuExecutor(adapter);
  })();
  return shared;
}

/** The two that people run on. */
export async function executors(): Promise<Executor[]> {
  return [createCpuExecutor('test'), await webGpuExecutor()];
}

/** Those two, and before them the CPU executor that runs the references alone: every form of every kernel. */
export async function executorsOfAllForms(): Promise<Executor[]> {
  return [createCpuExecutor('test', 'references'), ...(await executors())];
}

/** Runs a kernel once on an executor and returns every buffer that it may write. */
export async function runOnce<B extends string, U extends string>(
  executor: Executor,
  kernel: Kernel<B, U>,
  buffers: Readonly<Record<B, TypedArray>>,
  uniforms: Readonly<Record<U, number>>,
): Promise<Record<B, TypedArray>> {
  const names = Object.keys(kernel.bindings) as B[];
  const onDevice = {} as Record<B, ReturnType<Executor['createBuffer']>>;
  for (const name of names) {
    const data = buffers[name];
    onDevice[name] = executor.createBuffer(name, data instanceof Float32Array ? 'f32' : 'u32', data.length);
    if (data.length > 0) executor.upload(onDevice[name], data);
  }
  executor.run(kernel, onDevice, uniforms);
  const result = {} as Record<B, TypedArray>;
  for (const name of names) {
    result[name] = kernel.bindings[name] === 'write' ? await executor.download(onDevice[name]) : buffers[name];
    executor.destroyBuffer(onDevice[name]);
  }
  return result;
}
