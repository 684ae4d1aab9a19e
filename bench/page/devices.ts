/**
 * Looks on at every WebGPU device of the tab, whoever opened it: errors that nobody caught (a library's
 * figure is worth nothing after one) and bytes of live buffers, counted apart from the engine's own count.
 */
const uncaught: string[] = [];
const bytes = new WeakMap<GPUBuffer, number>();
let live = 0;

export function watchDevices(): void {
  if (!('GPUAdapter' in globalThis)) return;
  const { requestDevice } = GPUAdapter.prototype;
  GPUAdapter.prototype.requestDevice = async function (descriptor) {
    const device = await requestDevice.call(this, descriptor);
    device.addEventListener('uncapturederror', ({ error }) => uncaught.push(error.message));
    return device;
  };
  const { createBuffer } = GPUDevice.prototype;
  GPUDevice.prototype.createBuffer = function (descriptor) {
    const buffer = createBuffer.call(this, descriptor);
    bytes.set(buffer, descriptor.size);
    live += descriptor.size;
    return buffer;
  };
  const { destroy } = GPUBuffer.prototype;
  GPUBuffer.prototype.destroy = function () {
    live -= bytes.get(this) ?? 0;
    bytes.delete(this);
    return destroy.call(this);
  };
}

/** Bytes of all buffers that were made and not destroyed. */
export function liveBytes(): number {
  return live;
}

/** The first uncaught error since the last call, if there was one. */
export function takeUncaught(): string | undefined {
  return uncaught.splice(0)[0];
}
