/** Live GPU bytes and JavaScript heap over many updates, after warm-up. */
import type { Row } from '../row';

/** Until the browser has compiled and specialised the code. */
const WARM_UP = 500;
const UPDATES = 2000;
const BETWEEN = 500;
/** Garbage collection leaves a little noise; a leak of one small object an update is more than this. */
const HEAP_GROWTH = 0.05;

interface Sample {
  readonly update: number;
  readonly gpuBytes: number;
  readonly heapBytes: number;
}

export const memoryRows: readonly Row[] = [
  {
    name: 'memory',
    title: `Live GPU bytes and JavaScript heap over ${UPDATES} updates after warm-up`,
    unit: 'growth of the heap',
    bound: `GPU bytes level, heap <= ${HEAP_GROWTH}`,
    async measure({ browser }) {
      const samples = await browser.inTab(async (tab) => {
        await tab.call('begin', WARM_UP + 2 * UPDATES);
        const taken: Sample[] = [];
        for (let update = WARM_UP; update <= WARM_UP + UPDATES; update += BETWEEN) {
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
  },
];
