/** What the tab has to compute with, for the head of the report. */
import type { Executor } from '../../src/engine/device/executor';
import { openDevice } from '../../src/engine/device/open';

export async function adapter(): Promise<{ description: string; isolated: boolean; cores: number }> {
  const executor = await openGpu();
  executor.destroy();
  return { description: executor.description, isolated: crossOriginIsolated, cores: navigator.hardwareConcurrency };
}

/** The engine's WebGPU executor; throws the reason where there is none, since a CPU figure would mislead. */
export async function openGpu(): Promise<Executor> {
  const { executor, reason } = await openDevice('webgpu', navigator.gpu);
  if (reason !== undefined) throw new Error(reason);
  return executor;
}
