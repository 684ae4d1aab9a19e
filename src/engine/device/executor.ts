/**
 * The one interface through which the engine computes. Commands are recorded by `run` and carried
 * out in order by `submit`; nothing is read back except through `download`.
 */
import type { Kernel, TypedArray } from '../../../kernels/kernel';

/** A buffer on the device: `length` 4-byte elements of one type, zero at creation. */
export interface DeviceBuffer {
  readonly label: string;
  readonly type: 'f32' | 'u32';
  readonly length: number;
}

/** Part of a buffer, in elements; all of it by default. */
export interface Range {
  readonly buffer: DeviceBuffer;
  readonly offset?: number;
  readonly length?: number;
}

export interface DeviceLimits {
  /** Bytes one buffer may hold and one binding may cover. */
  readonly maxBufferBytes: number;
}

export interface Executor {
  readonly kind: 'webgpu' | 'cpu';
  /** For the badge: vendor and architecture, or why the CPU is used. */
  readonly description: string;
  /** Stands for this adapter in remembered measurements. */
  readonly fingerprint: string;
  readonly limits: DeviceLimits;
  /** Whether kernels may use quad operations (WGSL `subgroups`), probed and self-tested. */
  readonly quads: boolean;
  readonly counters: {
    readonly liveBytes: number;
    readonly liveBuffers: number;
    readonly readbacks: number;
    readonly submits: number;
    readonly dispatches: number;
  };

  createBuffer(label: string, type: 'f32' | 'u32', length: number): DeviceBuffer;
  destroyBuffer(buffer: DeviceBuffer): void;
  /** Ordered with the recorded commands: later runs see the data, earlier ones do not. */
  upload(buffer: DeviceBuffer, data: TypedArray, offset?: number): void;
  /** Submits what is recorded, then reads. One readback. */
  download(buffer: DeviceBuffer, offset?: number, length?: number): Promise<TypedArray>;
  /** Several ranges at once: still one readback. */
  downloadAll(ranges: readonly Range[]): Promise<TypedArray[]>;
  /** Records one dispatch. */
  run<B extends string, U extends string>(
    kernel: Kernel<B, U>,
    buffers: Readonly<Record<B, DeviceBuffer>>,
    uniforms: Readonly<Record<U, number>>,
  ): void;
  copy(from: DeviceBuffer, fromOffset: number, to: DeviceBuffer, toOffset: number, length: number): void;
  submit(): void;
  /** Submits, and resolves when everything submitted has been computed. */
  finished(): Promise<void>;
  /**
   * Called between dispatches of a long recording. When what is recorded is estimated to take longer than
   * about 100 ms it is submitted and waited for, so that Stop answers within a second and no driver resets.
   */
  breathe(): Promise<void>;
  /** Compiles pipelines ahead, asynchronously; reports progress. */
  prepare(kernels: readonly Kernel[], progress?: (done: number, total: number) => void): Promise<void>;
  /** Resolves when the device is lost, with the reason. Never rejects. */
  readonly lost: Promise<string>;
  destroy(): void;
}

/** A failure on the device: which kernel or buffer, and what the device said. */
export class DeviceError extends Error {
  constructor(
    readonly what: string,
    message: string,
    readonly kind: 'validation' | 'out-of-memory' | 'lost' | 'internal' = 'internal',
  ) {
    super(`${what}: ${message}`);
    this.name = 'DeviceError';
  }
}
