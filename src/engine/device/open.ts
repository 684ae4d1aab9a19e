/**
 * Chooses the device: the WebGPU adapter if there is one and it passes the self-test, else the CPU,
 * with the reason in a sentence for the page.
 */
import { createCpuExecutor } from './cpu';
import type { Executor } from './executor';
import { selfTest } from './self_test';
import { createWebGpuExecutor } from './webgpu';

export interface Opened {
  readonly executor: Executor;
  /** Why not WebGPU, in a sentence; undefined when WebGPU runs or the CPU was chosen. */
  readonly reason?: string;
}

/** An adapter that never answers must not hold the page (F46). */
const ADAPTER_TIMEOUT_MS = 3000;

export async function openDevice(choice: 'auto' | 'webgpu' | 'cpu', gpu: GPU | undefined): Promise<Opened> {
  if (choice === 'cpu') return { executor: createCpuExecutor('chosen') };
  const found = await openWebGpu(gpu);
  if (typeof found !== 'string') return { executor: found };
  return { executor: createCpuExecutor(found), reason: found };
}

/** The executor, or the reason why there is none. */
async function openWebGpu(gpu: GPU | undefined): Promise<Executor | string> {
  if (!gpu) return 'This browser has no WebGPU';
  let executor: Executor | undefined;
  try {
    const adapter = await Promise.race([gpu.requestAdapter({ powerPreference: 'high-performance' }), timeout()]);
    if (adapter === 'timeout') return 'The graphics adapter did not answer within 3 s';
    if (!adapter) return 'The browser found no graphics adapter for WebGPU';
    executor = await createWebGpuExecutor(adapter);
    const fault = await selfTest(executor);
    if (fault === undefined) return executor;
    executor.destroy();
    return `The graphics adapter failed the self-test: ${fault}`;
  } catch (error) {
    executor?.destroy();
    return `WebGPU could not start: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function timeout(): Promise<'timeout'> {
  return new Promise((resolve) => setTimeout(() => resolve('timeout'), ADAPTER_TIMEOUT_MS));
}
