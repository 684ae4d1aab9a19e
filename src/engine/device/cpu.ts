/**
 * The CPU executor: runs every kernel on plain arrays, at once and in order. Kernels that have a form in
 * WebAssembly SIMD take that where the browser allows it, all others their TypeScript reference.
 * Everything trains without WebGPU too.
 */
import type { TypedArray } from '../../../kernels/kernel';
import { createSimd } from '../../../kernels/simd/machine';
import { type DeviceBuffer, DeviceError, type Executor } from './executor';

/** A long recording hands the thread back after this many milliseconds, so that commands are heard. */
const BREATH_MS = 50;
const MAX_BUFFER_BYTES = 2 ** 30;

interface CpuBuffer extends DeviceBuffer {
  data: TypedArray;
}

/** `references` alone is for tests: the plain forms must be right too. */
export function createCpuExecutor(reason = 'chosen', form: 'simd' | 'references' = 'simd'): Executor {
  const simd = form === 'simd' ? createSimd() : undefined;
  const live = new Set<CpuBuffer>();
  const counters = { liveBytes: 0, liveBuffers: 0, readbacks: 0, submits: 0, dispatches: 0 };
  let lastBreath = performance.now();

  function dataOf(buffer: DeviceBuffer): TypedArray {
    if (!live.has(buffer as CpuBuffer)) throw new DeviceError(buffer.label, 'was used after it was destroyed');
    return (buffer as CpuBuffer).data;
  }

  const executor: Executor = {
    kind: 'cpu',
    description: `CPU${simd ? ' with SIMD' : ''} (${reason})`,
    // The two round differently, so the same seed gives other bits.
    fingerprint: simd ? 'cpu simd' : 'cpu',
    limits: { maxBufferBytes: MAX_BUFFER_BYTES },
    quads: false,
    counters,
    lost: new Promise(() => {}),

    createBuffer(label, type, length) {
      const data = type === 'f32' ? new Float32Array(length) : new Uint32Array(length);
      const buffer: CpuBuffer = { label, type, length, data };
      live.add(buffer);
      counters.liveBytes += data.byteLength;
      counters.liveBuffers += 1;
      return buffer;
    },
    destroyBuffer(buffer) {
      if (!live.delete(buffer as CpuBuffer)) return;
      counters.liveBytes -= buffer.length * 4;
      counters.liveBuffers -= 1;
    },
    upload(buffer, data, offset = 0) {
      dataOf(buffer).set(data, offset);
    },
    async download(buffer, offset = 0, length = buffer.length - offset) {
      counters.readbacks += 1;
      return dataOf(buffer).slice(offset, offset + length);
    },
    async downloadAll(ranges) {
      counters.readbacks += 1;
      return ranges.map(({ buffer, offset = 0, length = buffer.length - offset }) =>
        dataOf(buffer).slice(offset, offset + length),
      );
    },
    run(kernel, buffers, uniforms) {
      const arrays = {} as Record<keyof typeof buffers, TypedArray>;
      for (const name in kernel.bindings) arrays[name] = dataOf(buffers[name]);
      counters.dispatches += 1;
      if (simd && kernel.simd) kernel.simd(simd, arrays, uniforms);
      else kernel.reference(arrays, uniforms);
    },
    copy(from, fromOffset, to, toOffset, length) {
      dataOf(to).set(dataOf(from).subarray(fromOffset, fromOffset + length), toOffset);
    },
    submit() {
      counters.submits += 1;
    },
    async finished() {},
    async breathe() {
      if (performance.now() - lastBreath < BREATH_MS) return;
      await nextTask();
      lastBreath = performance.now();
    },
    async prepare(kernels, progress) {
      progress?.(kernels.length, kernels.length);
    },
    destroy() {
      for (const buffer of [...live]) executor.destroyBuffer(buffer);
    },
  };
  return executor;
}

/** A macrotask without the 4 ms floor of nested timers, so that messages are handled in between. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
