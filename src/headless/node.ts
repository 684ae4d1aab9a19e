/** The GPU for Node: Dawn, Chrome's own WebGPU implementation, from npm `webgpu`. */
import { create, globals } from 'webgpu';

// Dawn's process crashes when the GPU object is garbage-collected while a device lives, so one is kept.
let gpu: GPU | undefined;

/**
 * The one `GPU` of this process; puts WebGPU's constants (GPUBufferUsage …) on globalThis. Whether
 * it has an adapter depends on the machine and on scripts/gpu.mjs.
 */
export function nodeGpu(): GPU {
  if (!gpu) {
    Object.assign(globalThis, globals);
    gpu = create([]);
  }
  return gpu;
}
