/**
 * Chooses the device: the WebGPU adapter if there is one and it passes the self-test, else the CPU,
 * with the reason in a sentence for the page.
 */
import { createCpuExecutor } from './cpu';
import type { Executor } from './executor';
import { selfTest } from './self_test';
import { createWebGpuExecutor, type WebGpuExecutor } from './webgpu';

export interface Opened {
  readonly executor: Executor;
  /** Why not WebGPU, in a sentence; undefined when WebGPU runs or the CPU was chosen. */
  readonly reason?: string;
}

/** An adapter that never answers must not hold the page (F46); the device behind it likewise. */
const ANSWER_MS = 3000;

export async function openDevice(choice: 'auto' | 'webgpu' | 'cpu', gpu: GPU | undefined): Promise<Opened> {
  if (choice === 'cpu') return { executor: createCpuExecutor('chosen') };
  const found = await openWebGpu(gpu);
  if (typeof found !== 'string') return { executor: found };
  return { executor: createCpuExecutor(found), reason: found };
}

/** The executor, or the reason why there is none. */
async function openWebGpu(gpu: GPU | undefined): Promise<Executor | string> {
  if (!gpu) return 'This browser has no WebGPU';
  let executor: WebGpuExecutor | undefined;
  try {
    const adapter = await answer(gpu.requestAdapter({ powerPreference: 'high-performance' }));
    if (!adapter) return 'The browser found no graphics adapter for WebGPU';
    executor = await answer(createWebGpuExecutor(adapter));
    const fault = (await selfTest(executor)) && (await withoutQuads(executor));
    if (fault === undefined) return executor;
    executor.destroy();
    return `The graphics adapter failed the self-test: ${fault}`;
  } catch (error) {
    executor?.destroy();
    if (error instanceof NoAnswer) return error.message;
    return `WebGPU could not start: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Quad operations are young: an adapter that gets only them wrong is used without. */
function withoutQuads(executor: WebGpuExecutor): Promise<string | undefined> {
  executor.quads = false;
  return selfTest(executor);
}

class NoAnswer extends Error {}

function answer<T>(promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout>;
  const silence = new Promise<never>((_, reject) => {
    const late = () => reject(new NoAnswer(`The graphics adapter did not answer within ${ANSWER_MS / 1000} s`));
    timer = setTimeout(late, ANSWER_MS);
  });
  return Promise.race([promise, silence]).finally(() => clearTimeout(timer));
}
