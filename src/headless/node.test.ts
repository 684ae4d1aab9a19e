/** On a machine without an adapter nothing of the kernels was tested, so that is a failure and not a skip. */
import { expect, test } from 'vitest';
import { nodeGpu } from './node';

test('Node finds a WebGPU adapter', async () => {
  const adapter = await nodeGpu().requestAdapter();
  expect(adapter, 'No WebGPU adapter: npm test looks for the one that comes with Chrome').not.toBeNull();
  expect(GPUBufferUsage.STORAGE).toBeGreaterThan(0);
});
