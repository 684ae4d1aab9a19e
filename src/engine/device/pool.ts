/**
 * Buffers by name: made when first asked for, kept while the run lives, destroyed with it. A name
 * always means the same buffer, so the pool is level after the first update.
 */
import type { DeviceBuffer, Executor } from './executor';

export class BufferPool {
  private readonly buffers = new Map<string, DeviceBuffer>();

  constructor(readonly executor: Executor) {}

  get(name: string, type: 'f32' | 'u32', length: number): DeviceBuffer {
    const known = this.buffers.get(name);
    if (known && known.type === type && known.length >= length) return known;
    if (known) this.executor.destroyBuffer(known);
    const buffer = this.executor.createBuffer(name, type, length);
    this.buffers.set(name, buffer);
    return buffer;
  }

  f32(name: string, length: number): DeviceBuffer {
    return this.get(name, 'f32', length);
  }

  u32(name: string, length: number): DeviceBuffer {
    return this.get(name, 'u32', length);
  }

  destroy(): void {
    for (const buffer of this.buffers.values()) this.executor.destroyBuffer(buffer);
    this.buffers.clear();
  }
}
