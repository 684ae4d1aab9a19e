/** Which device is chosen, and what is said where it is not the GPU (F16, F25, F46). */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { nodeGpu } from '../../headless/node';
import { createCpuExecutor } from './cpu';
import type { Executor } from './executor';
import { openDevice } from './open';
import { selfTest } from './self_test';
import { deviceDescriptor } from './webgpu';

afterEach(() => vi.useRealTimers());

const gpuWith = (requestAdapter: () => Promise<unknown>) => ({ requestAdapter }) as unknown as GPU;

async function reasonOf(gpu: GPU | undefined): Promise<string> {
  const { executor, reason } = await openDevice('auto', gpu);
  expect(executor.kind).toBe('cpu');
  expect(executor.description).toContain(reason as string);
  return reason as string;
}

describe('the CPU is used, with the reason', () => {
  it('when it was chosen: no reason, and the adapter is not even asked for', async () => {
    const requestAdapter = vi.fn();
    const { executor, reason } = await openDevice('cpu', gpuWith(requestAdapter));
    expect([executor.kind, reason]).toEqual(['cpu', undefined]);
    expect(requestAdapter).not.toHaveBeenCalled();
  });

  it('when there is no WebGPU', async () => expect(await reasonOf(undefined)).toMatch(/no WebGPU/));

  it('when there is no adapter', async () =>
    expect(await reasonOf(gpuWith(async () => null))).toMatch(/no graphics adapter/));

  it('when asking for the adapter or the device fails', async () => {
    expect(await reasonOf(gpuWith(() => Promise.reject(new Error('blocked by policy'))))).toMatch(/blocked by policy/);
    const adapter = {
      features: new Set(),
      limits: {},
      info: {},
      requestDevice: () => Promise.reject(new Error('no memory left')),
    };
    expect(await reasonOf(gpuWith(async () => adapter))).toMatch(/no memory left/);
  });

  it('within five seconds when the adapter or its device never answers (F46)', async () => {
    vi.useFakeTimers();
    const silent = new Promise<never>(() => {});
    const mute = { features: new Set(), limits: {}, info: {}, requestDevice: () => silent };
    for (const gpu of [gpuWith(() => silent), gpuWith(async () => mute)]) {
      const opening = reasonOf(gpu);
      await vi.advanceTimersByTimeAsync(5000);
      expect(await Promise.race([opening, Promise.resolve('still waiting')])).toMatch(/did not answer within 3 s/);
    }
  });
});

describe('the adapter', () => {
  it('is used when it passes the self-test', async () => {
    const { executor, reason } = await openDevice('auto', nodeGpu());
    expect([executor.kind, reason]).toEqual(['webgpu', undefined]);
    executor.destroy();
  });

  it('is not used when it computes wrongly, and the kernel is named', async () => {
    const right = createCpuExecutor();
    const off = (change: (data: Float32Array | Uint32Array) => void): Executor => ({
      ...right,
      async download(buffer, offset, length) {
        const data = await right.download(buffer, offset, length);
        change(data);
        return data;
      },
    });
    expect(await selfTest(right)).toBeUndefined();
    expect(await selfTest(off((data) => data.fill(0)))).toMatch(/random\/bits gave 0 instead of/);
    expect(await selfTest(off((data) => data instanceof Float32Array && data.fill(Number.NaN)))).toMatch(
      /gave NaN instead of/,
    );
    expect(right.counters.liveBuffers).toBe(0);
  });

  it('is asked only for what it offers (F16, F25)', () => {
    const limits = { maxStorageBufferBindingSize: 134_217_728, maxBufferSize: 268_435_456 };
    const plain = { features: new Set<string>(), limits } as unknown as GPUAdapter;
    expect(deviceDescriptor(plain)).toEqual({ requiredFeatures: [], requiredLimits: limits });
    const rich = { features: new Set(['shader-f16', 'subgroups', 'timestamp-query']), limits } as unknown as GPUAdapter;
    expect(deviceDescriptor(rich).requiredFeatures).not.toContain('shader-f16');
  });
});
