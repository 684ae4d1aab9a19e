/**
 * The WebGPU executor. Commands are encoded as they come and submitted together; all uniforms of a
 * submit travel in one write; pipelines and bind groups are made once. Every allocation and submit is
 * inside an error scope, and the first failure is thrown at the next point that waits, with the
 * kernel's name: the output of a failed kernel is never read.
 */
import { ceilDiv, type Kernel, type ScalarType } from '../../../kernels/kernel';
import { type DeviceBuffer, DeviceError, type Executor, type Range } from './executor';

const UNIFORM_STRIDE = 256;
const UNIFORM_SLOTS = 4096;
const MAX_WORKGROUPS = 65_535;
/** No single submit should take much longer than this. */
const SUBMIT_MS = 100;
/** What a dispatch is believed to cost before it was measured. */
const FIRST_COST_MS = 0.5;

interface GpuBuffer extends DeviceBuffer {
  readonly id: number;
  readonly gpu: GPUBuffer;
}

/** A kernel ready to run: its pipeline, its bind groups by buffer ids, and its measured cost. */
interface Compiled {
  readonly name: string;
  readonly layout: GPUBindGroupLayout;
  readonly pipeline: GPUComputePipeline;
  readonly names: readonly string[];
  readonly uniforms: readonly (readonly [string, ScalarType])[];
  readonly groups: Map<string, GPUBindGroup>;
  costMs: number;
}

/** What `requestDevice` is asked for: only what the adapter offers. */
export function deviceDescriptor(adapter: GPUAdapter): GPUDeviceDescriptor {
  const wanted: GPUFeatureName[] = ['subgroups', 'timestamp-query'] as GPUFeatureName[];
  return {
    requiredFeatures: wanted.filter((feature) => adapter.features.has(feature)),
    requiredLimits: {
      maxStorageBufferBindingSize: adapter.limits.maxStorageBufferBindingSize,
      maxBufferSize: adapter.limits.maxBufferSize,
    },
  };
}

export async function createWebGpuExecutor(adapter: GPUAdapter): Promise<WebGpuExecutor> {
  const device = await adapter.requestDevice(deviceDescriptor(adapter));
  return new WebGpuExecutor(device, adapter.info ?? {});
}

export class WebGpuExecutor implements Executor {
  readonly kind = 'webgpu';
  readonly description: string;
  readonly fingerprint: string;
  readonly limits: { readonly maxBufferBytes: number };
  quads: boolean;
  readonly counters = { liveBytes: 0, liveBuffers: 0, readbacks: 0, submits: 0, dispatches: 0 };
  readonly lost: Promise<string>;

  private readonly compiled = new WeakMap<Kernel, Compiled>();
  private readonly byText = new Map<string, Compiled>();
  private readonly live = new Set<GpuBuffer>();
  private readonly staging: GPUBuffer[] = [];
  private readonly uniformBuffer: GPUBuffer;
  private readonly uniformBytes = new ArrayBuffer(UNIFORM_SLOTS * UNIFORM_STRIDE);
  private readonly uniformF32 = new Float32Array(this.uniformBytes);
  private readonly uniformU32 = new Uint32Array(this.uniformBytes);
  private readonly uniformI32 = new Int32Array(this.uniformBytes);
  private uniformSlot = 0;
  private nextId = 1;
  private encoder: GPUCommandEncoder | undefined;
  private pass: GPUComputePassEncoder | undefined;
  private recorded = new Map<Compiled, number>();
  private recordedMs = 0;
  private failure: DeviceError | undefined;
  private gone: string | undefined;

  constructor(
    private readonly device: GPUDevice,
    info: Partial<GPUAdapterInfo>,
  ) {
    this.description = [info.vendor, info.architecture, info.description].filter(Boolean).join(' ') || 'GPU';
    this.fingerprint = [info.vendor, info.architecture, info.device, info.description].join('|');
    this.limits = { maxBufferBytes: Math.min(device.limits.maxStorageBufferBindingSize, device.limits.maxBufferSize) };
    this.quads = device.features.has('subgroups');
    this.lost = device.lost.then((lost) => {
      this.gone = lost.message || lost.reason || 'the device was lost';
      for (const wake of this.waiting) wake();
      return this.gone;
    });
    this.uniformBuffer = device.createBuffer({
      label: 'uniforms',
      size: UNIFORM_SLOTS * UNIFORM_STRIDE,
      usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    });
    device.addEventListener('uncapturederror', (event) => this.fail('device', event.error.message, 'internal'));
  }

  createBuffer(label: string, type: 'f32' | 'u32', length: number): DeviceBuffer {
    const bytes = Math.max(16, length * 4);
    if (bytes > this.limits.maxBufferBytes)
      throw new DeviceError(
        label,
        `needs ${megabytes(bytes)}, the adapter allows ${megabytes(this.limits.maxBufferBytes)} in one buffer`,
        'out-of-memory',
      );
    this.device.pushErrorScope('validation');
    this.device.pushErrorScope('out-of-memory');
    const gpu = this.device.createBuffer({
      label,
      size: bytes,
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
    });
    this.watchScope(`${label} (${megabytes(bytes)})`, 'out-of-memory');
    this.watchScope(label, 'validation');
    const buffer: GpuBuffer = { label, type, length, id: this.nextId++, gpu };
    this.live.add(buffer);
    this.counters.liveBytes += bytes;
    this.counters.liveBuffers += 1;
    return buffer;
  }

  destroyBuffer(buffer: DeviceBuffer): void {
    const own = buffer as GpuBuffer;
    if (!this.live.delete(own)) return;
    this.submit();
    for (const compiled of this.byText.values())
      for (const key of compiled.groups.keys())
        if (key.split(',').includes(String(own.id))) compiled.groups.delete(key);
    own.gpu.destroy();
    this.counters.liveBytes -= Math.max(16, own.length * 4);
    this.counters.liveBuffers -= 1;
  }

  upload(buffer: DeviceBuffer, data: Float32Array | Uint32Array, offset = 0): void {
    this.submit();
    this.device.queue.writeBuffer(
      this.own(buffer).gpu,
      offset * 4,
      data.buffer as ArrayBuffer,
      data.byteOffset,
      data.byteLength,
    );
  }

  run<B extends string, U extends string>(
    kernel: Kernel<B, U>,
    buffers: Readonly<Record<B, DeviceBuffer>>,
    uniforms: Readonly<Record<U, number>>,
  ): void {
    const workgroups = kernel.workgroups(uniforms);
    if (workgroups <= 0) return;
    const compiled = this.compiledNow(kernel as unknown as Kernel);
    if (this.uniformSlot === UNIFORM_SLOTS) this.submit();
    const offset = this.writeUniforms(compiled, uniforms);
    const pass = this.openPass();
    pass.setPipeline(compiled.pipeline);
    pass.setBindGroup(0, this.groupOf(compiled, buffers), compiled.uniforms.length > 0 ? [offset] : []);
    const x = Math.min(workgroups, MAX_WORKGROUPS);
    pass.dispatchWorkgroups(x, ceilDiv(workgroups, x));
    this.counters.dispatches += 1;
    this.recorded.set(compiled, (this.recorded.get(compiled) ?? 0) + 1);
    this.recordedMs += compiled.costMs;
  }

  copy(from: DeviceBuffer, fromOffset: number, to: DeviceBuffer, toOffset: number, length: number): void {
    this.closePass();
    this.openEncoder().copyBufferToBuffer(
      this.own(from).gpu,
      fromOffset * 4,
      this.own(to).gpu,
      toOffset * 4,
      length * 4,
    );
  }

  submit(): void {
    this.closePass();
    if (!this.encoder) return;
    const encoder = this.encoder;
    this.encoder = undefined;
    const recorded = this.recorded;
    const estimate = this.recordedMs;
    this.recorded = new Map();
    this.recordedMs = 0;
    if (this.uniformSlot > 0)
      this.device.queue.writeBuffer(this.uniformBuffer, 0, this.uniformBytes, 0, this.uniformSlot * UNIFORM_STRIDE);
    this.uniformSlot = 0;
    const what = describe(recorded);
    this.device.queue.submit([encoder.finish()]);
    this.watchScope(what, 'validation');
    this.watchScope(what, 'out-of-memory');
    this.counters.submits += 1;
    if (estimate > 0) void this.measure(recorded, estimate);
  }

  async finished(): Promise<void> {
    this.submit();
    await this.orLost(this.device.queue.onSubmittedWorkDone());
    this.throwFailure();
  }

  async breathe(): Promise<void> {
    if (this.recordedMs > SUBMIT_MS) await this.finished();
  }

  async download(
    buffer: DeviceBuffer,
    offset = 0,
    length = buffer.length - offset,
  ): Promise<Float32Array | Uint32Array> {
    const [data] = await this.downloadAll([{ buffer, offset, length }]);
    return data as Float32Array | Uint32Array;
  }

  async downloadAll(ranges: readonly Range[]): Promise<(Float32Array | Uint32Array)[]> {
    this.throwFailure();
    const parts = ranges.map(({ buffer, offset = 0, length = buffer.length - offset }) => ({ buffer, offset, length }));
    const bytes = 4 * parts.reduce((sum, { length }) => sum + length, 0);
    const staging = this.takeStaging(Math.max(4, bytes));
    this.closePass();
    let to = 0;
    for (const { buffer, offset, length } of parts) {
      if (length > 0) this.openEncoder().copyBufferToBuffer(this.own(buffer).gpu, offset * 4, staging, to, length * 4);
      to += length * 4;
    }
    this.submit();
    this.counters.readbacks += 1;
    try {
      await staging.mapAsync(GPUMapMode.READ);
      // The copy must not be believed before the error scopes of its submit have answered.
      await this.orLost(this.scopes);
      this.throwFailure();
      const data = staging.getMappedRange(0, Math.max(4, bytes)).slice(0);
      staging.unmap();
      this.staging.push(staging);
      to = 0;
      return parts.map(({ buffer, length }) => {
        const part = buffer.type === 'f32' ? new Float32Array(data, to, length) : new Uint32Array(data, to, length);
        to += length * 4;
        return part;
      });
    } catch (error) {
      staging.destroy();
      this.throwFailure();
      const names = parts.map(({ buffer }) => buffer.label).join(', ');
      throw new DeviceError(names, error instanceof Error ? error.message : String(error));
    }
  }

  async prepare(kernels: readonly Kernel[], progress?: (done: number, total: number) => void): Promise<void> {
    const missing = new Map(
      kernels.filter((kernel) => !this.byText.has(textKey(kernel))).map((kernel) => [textKey(kernel), kernel]),
    );
    let done = 0;
    progress?.(done, missing.size);
    await Promise.all(
      [...missing].map(async ([key, kernel]) => {
        const { descriptor, layout } = this.describePipeline(kernel);
        try {
          const pipeline = await this.device.createComputePipelineAsync(descriptor);
          if (!this.byText.has(key)) this.byText.set(key, this.assemble(kernel, layout, pipeline));
        } catch (error) {
          throw new DeviceError(kernel.name, error instanceof Error ? error.message : String(error), 'validation');
        }
        progress?.(++done, missing.size);
      }),
    );
    this.throwFailure();
  }

  /** Ends the device as a driver reset would; `lost` resolves. */
  loseDevice(): void {
    this.device.destroy();
  }

  destroy(): void {
    this.closePass();
    this.encoder = undefined;
    for (const buffer of this.live) buffer.gpu.destroy();
    this.live.clear();
    for (const buffer of this.staging) buffer.destroy();
    this.uniformBuffer.destroy();
    this.counters.liveBytes = 0;
    this.counters.liveBuffers = 0;
    this.device.destroy();
  }

  /**
   * Resolves with `work` or when the device is lost. Not Promise.race with `lost`: a promise that stays
   * open keeps every listener that was ever put on it.
   */
  private async orLost(work: Promise<unknown>): Promise<void> {
    if (this.gone !== undefined) return;
    let wake = () => {};
    await new Promise<void>((resolve) => {
      wake = resolve;
      this.waiting.add(wake);
      work.then(wake, wake);
    });
    this.waiting.delete(wake);
  }
  private readonly waiting = new Set<() => void>();

  /** All error scopes opened so far have answered. */
  private scopes: Promise<unknown> = Promise.resolve();

  private own(buffer: DeviceBuffer): GpuBuffer {
    if (!this.live.has(buffer as GpuBuffer)) throw new DeviceError(buffer.label, 'was used after it was destroyed');
    return buffer as GpuBuffer;
  }

  private openEncoder(): GPUCommandEncoder {
    if (!this.encoder) {
      this.throwFailure();
      this.device.pushErrorScope('out-of-memory');
      this.device.pushErrorScope('validation');
      this.encoder = this.device.createCommandEncoder();
    }
    return this.encoder;
  }

  private openPass(): GPUComputePassEncoder {
    this.pass ??= this.openEncoder().beginComputePass();
    return this.pass;
  }

  private closePass(): void {
    this.pass?.end();
    this.pass = undefined;
  }

  private writeUniforms(compiled: Compiled, uniforms: Readonly<Record<string, number>>): number {
    if (compiled.uniforms.length === 0) return 0;
    const offset = this.uniformSlot++ * UNIFORM_STRIDE;
    let word = offset / 4;
    for (const [name, type] of compiled.uniforms) {
      const value = uniforms[name] as number;
      if (type === 'f32') this.uniformF32[word++] = value;
      else if (type === 'u32') this.uniformU32[word++] = value;
      else this.uniformI32[word++] = value;
    }
    return offset;
  }

  private groupOf(compiled: Compiled, buffers: Readonly<Record<string, DeviceBuffer>>): GPUBindGroup {
    const own = compiled.names.map((name) => {
      const buffer = buffers[name];
      if (!buffer) throw new DeviceError(compiled.name, `no buffer was given for "${name}"`, 'validation');
      return this.own(buffer);
    });
    const key = own.map((buffer) => buffer.id).join();
    let group = compiled.groups.get(key);
    if (!group) {
      const entries: GPUBindGroupEntry[] = own.map((buffer, binding) => ({
        binding,
        resource: { buffer: buffer.gpu },
      }));
      if (compiled.uniforms.length > 0)
        entries.push({
          binding: own.length,
          resource: { buffer: this.uniformBuffer, size: uniformSize(compiled.uniforms.length) },
        });
      group = this.device.createBindGroup({ label: compiled.name, layout: compiled.layout, entries });
      compiled.groups.set(key, group);
    }
    return group;
  }

  private compiledNow(kernel: Kernel): Compiled {
    let compiled = this.compiled.get(kernel);
    if (compiled) return compiled;
    compiled = this.byText.get(textKey(kernel));
    if (!compiled) {
      const { descriptor, layout } = this.describePipeline(kernel);
      this.device.pushErrorScope('validation');
      const pipeline = this.device.createComputePipeline(descriptor);
      this.watchScope(kernel.name, 'validation');
      compiled = this.assemble(kernel, layout, pipeline);
      this.byText.set(textKey(kernel), compiled);
    }
    this.compiled.set(kernel, compiled);
    return compiled;
  }

  private describePipeline(kernel: Kernel): { descriptor: GPUComputePipelineDescriptor; layout: GPUBindGroupLayout } {
    const entries: GPUBindGroupLayoutEntry[] = Object.values(kernel.bindings).map((access, binding) => ({
      binding,
      visibility: GPUShaderStage.COMPUTE,
      buffer: { type: access === 'read' ? 'read-only-storage' : 'storage' },
    }));
    const scalars = Object.keys(kernel.uniforms).length;
    if (scalars > 0)
      entries.push({
        binding: entries.length,
        visibility: GPUShaderStage.COMPUTE,
        buffer: { type: 'uniform', hasDynamicOffset: true, minBindingSize: uniformSize(scalars) },
      });
    const layout = this.device.createBindGroupLayout({ label: kernel.name, entries });
    const module = this.device.createShaderModule({ label: kernel.name, code: kernel.wgsl });
    const descriptor: GPUComputePipelineDescriptor = {
      label: kernel.name,
      layout: this.device.createPipelineLayout({ label: kernel.name, bindGroupLayouts: [layout] }),
      compute: { module, entryPoint: 'main' },
    };
    return { descriptor, layout };
  }

  private assemble(kernel: Kernel, layout: GPUBindGroupLayout, pipeline: GPUComputePipeline): Compiled {
    return {
      name: kernel.name,
      layout,
      pipeline,
      names: Object.keys(kernel.bindings),
      uniforms: Object.entries(kernel.uniforms),
      groups: new Map(),
      costMs: FIRST_COST_MS,
    };
  }

  private takeStaging(bytes: number): GPUBuffer {
    const index = this.staging.findIndex((buffer) => buffer.size >= bytes && buffer.size <= 4 * bytes + 65_536);
    if (index >= 0) return this.staging.splice(index, 1)[0] as GPUBuffer;
    return this.device.createBuffer({
      label: 'staging',
      size: ceilDiv(bytes, 256) * 256,
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
  }

  /** Splits a submit's measured time over its kernels in proportion to what they were believed to cost. */
  private async measure(recorded: ReadonlyMap<Compiled, number>, estimate: number): Promise<void> {
    const start = Math.max(performance.now(), this.busyUntil);
    await this.device.queue.onSubmittedWorkDone();
    const end = performance.now();
    this.busyUntil = end;
    const ratio = Math.min(8, Math.max(1 / 8, (end - start) / estimate));
    for (const compiled of recorded.keys()) compiled.costMs = Math.max(1e-3, compiled.costMs * (0.5 + 0.5 * ratio));
  }
  private busyUntil = 0;

  /** Pops the innermost error scope; a failure is kept until someone waits. */
  private watchScope(what: string, kind: 'validation' | 'out-of-memory'): void {
    const answer = this.device.popErrorScope().then(
      (error) => {
        if (error) this.fail(what, error.message, kind);
      },
      () => {},
    );
    this.scopes = Promise.all([this.scopes, answer]).then(() => {});
  }

  private fail(what: string, message: string, kind: DeviceError['kind']): void {
    this.failure ??= new DeviceError(what, message, kind);
  }

  private throwFailure(): void {
    if (this.gone !== undefined) throw new DeviceError('device', this.gone, 'lost');
    if (this.failure) throw this.failure;
  }
}

function textKey(kernel: Kernel): string {
  return `${Object.values(kernel.bindings).join()}|${Object.values(kernel.uniforms).join()}|${kernel.wgsl}`;
}

function uniformSize(scalars: number): number {
  return ceilDiv(scalars * 4, 16) * 16;
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

function describe(recorded: ReadonlyMap<Compiled, number>): string {
  return [...recorded.keys()].map((compiled) => compiled.name).join(', ') || 'copies';
}
