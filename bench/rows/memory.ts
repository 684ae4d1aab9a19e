/** Live GPU bytes and JavaScript heap over many updates, after warm-up. */
import type { Row } from '../row';

/** Garbage collection leaves a little noise; a leak of one small object an update is more than this. */
const HEAP_GROWTH = 0.05;
const SAMPLES = 4;

interface Sample {
  readonly update: number;
  readonly gpuBytes: number;
  readonly heapBytes: number;
}

/** `warmUp`: until the browser has compiled and specialised the code. */
function memoryRow(name: string, world: 'control' | 'text', warmUp: number, updates: number): Row {
  return {
    name,
    title: `Live GPU bytes and JavaScript heap over ${updates} updates after warm-up, ${world}`,
    unit: 'growth of the heap',
    bound: `GPU bytes level, heap <= ${HEAP_GROWTH}`,
    async measure({ browser }) {
      const samples = await browser.inTab(async (tab) => {
        await tab.call('begin', world, warmUp + 2 * updates);
        const taken: Sample[] = [];
        for (let i = 0; i <= SAMPLES; i++) {
          const update = warmUp + (i * updates) / SAMPLES;
          const gpuBytes = await tab.call('growUntil', update);
          taken.push({ update, gpuBytes, heapBytes: await tab.heapBytes() });
        }
        return taken;
      });
      const [first, last] = [samples[0], samples[samples.length - 1]];
      return { ours: last.heapBytes / first.heapBytes - 1, detail: { samples } };
    },
    holds({ ours, detail }) {
      const bytes = (detail.samples as Sample[]).map(({ gpuBytes }) => gpuBytes);
      return ours !== null && ours <= HEAP_GROWTH && bytes.every((value) => value === bytes[0]);
    },
  };
}

export const memoryRows: readonly Row[] = [
  memoryRow('memory', 'control', 500, 2000),
  memoryRow('memory-text', 'text', 250, 1000),
];
