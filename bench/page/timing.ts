/** Repeated measurement: the median is reported, the best beside it, since the machine may be shared. */
export interface Timing {
  readonly median: number;
  readonly best: number;
}

/** `lessIsBetter` is for times; for rates the greatest is the best. */
export function summarize(samples: readonly number[], lessIsBetter = true): Timing {
  const sorted = [...samples].sort((a, b) => a - b);
  return { median: sorted[sorted.length >> 1], best: lessIsBetter ? sorted[0] : sorted[sorted.length - 1] };
}

/** Milliseconds that `work` takes. */
export async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
