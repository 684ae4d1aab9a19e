import { describe, expect, it } from 'vitest';
import { defineKernel } from '../../../kernels/kernel';
import { createCpuExecutor } from './cpu';
import type { Executor } from './executor';
import { executors, runOnce, webGpuExecutor } from './testing';

const addOne = defineKernel({
  name: 'test/add_one',
  wgsl: `
    struct Uniforms { count: u32, by: f32 }
    @group(0) @binding(0) var<storage, read_write> x: array<f32>;
    @group(0) @binding(1) var<uniform> u: Uniforms;
    @compute @workgroup_size(64)
    fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
      let i = (wg.y * count.x + wg.x) * 64u + l;
      if (i < u.count) { x[i] = x[i] + u.by; }
    }`,
  bindings: { x: 'write' },
  uniforms: { count: 'u32', by: 'f32' },
  workgroups: ({ count }) => Math.ceil(count / 64),
  reference({ x }, { count, by }) {
    for (let i = 0; i < count; i++) x[i] = x[i] + by;
  },
});

describe.each(['cpu', 'webgpu'])('%s executor', (kind) => {
  async function executor(): Promise<Executor> {
    const found = (await executors()).find((candidate) => candidate.kind === kind);
    if (!found) throw new Error(kind);
    return found;
  }

  it.each([0, 1, 63, 64, 65, 65_535 * 64 + 1])('computes every one of %i elements', async (count) => {
    const { x } = await runOnce(await executor(), addOne, { x: new Float32Array(count) }, { count, by: 2 });
    expect(x.length).toBe(count);
    expect(x.every((value) => value === 2)).toBe(true);
  });

  it('keeps commands and uploads in order', async () => {
    const device = await executor();
    const x = device.createBuffer('x', 'f32', 4);
    device.run(addOne, { x }, { count: 4, by: 1 });
    device.upload(x, Float32Array.of(10), 1);
    device.run(addOne, { x }, { count: 4, by: 0.5 });
    expect([...(await device.download(x))]).toEqual([1.5, 10.5, 1.5, 1.5]);
    device.destroyBuffer(x);
  });

  it('answers overlapping reads each with its own data (F22)', async () => {
    const device = await executor();
    const x = device.createBuffer('x', 'f32', 1);
    const reads: Promise<ArrayLike<number>>[] = [];
    for (let i = 0; i < 50; i++) {
      device.run(addOne, { x }, { count: 1, by: 1 });
      reads.push(device.download(x));
    }
    expect((await Promise.all(reads)).map((data) => data[0])).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
    device.destroyBuffer(x);
  });

  it('counts live bytes level over 200 create and destroy (F24)', async () => {
    const device = await executor();
    const before = device.counters.liveBytes;
    for (let i = 0; i < 200; i++) device.destroyBuffer(device.createBuffer('x', 'f32', 1000));
    expect(device.counters.liveBytes).toBe(before);
  });

  it('refuses a destroyed buffer by name', async () => {
    const device = await executor();
    const x = device.createBuffer('weights', 'f32', 4);
    device.destroyBuffer(x);
    expect(() => device.run(addOne, { x }, { count: 4, by: 1 })).toThrow(/weights.*destroyed/);
  });
});

describe('failures', () => {
  it('names the kernel whose WGSL does not compile', async () => {
    const device = await webGpuExecutor();
    const broken = { ...addOne, name: 'test/broken', wgsl: addOne.wgsl.replace('x[i] + u.by', 'no_such_name') };
    await expect(device.prepare([broken])).rejects.toThrow(/test\/broken/);
  });

  it('says how much memory is missing, before asking the device (F15)', async () => {
    const device = await webGpuExecutor();
    expect(() => device.createBuffer('rollout', 'f32', 2 ** 40)).toThrow(/rollout.*MiB/);
    expect(() => createCpuExecutor().createBuffer('rollout', 'f32', 2 ** 40)).toThrow();
  });
});
