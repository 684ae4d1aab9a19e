/** The executor for headless runs: WebGPU over npm `webgpu` (Dawn), or the CPU. */
import { createCpuExecutor } from '../engine/device/cpu';
import { DeviceError, type Executor } from '../engine/device/executor';
import { createWebGpuExecutor } from '../engine/device/webgpu';
import { nodeGpu } from './node';

export async function openExecutor(kind: 'webgpu' | 'cpu'): Promise<Executor> {
  if (kind === 'cpu') return createCpuExecutor();
  const adapter = await nodeGpu().requestAdapter();
  if (!adapter) throw new DeviceError('adapter', 'no WebGPU adapter was found; --executor cpu trains without one');
  Object.assign(globalThis, { keepAdapterAlive: adapter });
  return createWebGpuExecutor(adapter);
}
