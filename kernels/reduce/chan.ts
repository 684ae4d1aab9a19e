/**
 * Mean and spread of numbers met in parts (Chan, Golub, LeVeque 1979); the twin of chan.wgsl.
 */
import type { TypedArray } from '../kernel';

export interface Moments {
  /** How many numbers. */
  readonly n: number;
  readonly mean: number;
  /** Σ (x - mean)². */
  readonly m2: number;
}

export const NO_MOMENTS: Moments = { n: 0, mean: 0, m2: 0 };

export function mergeMoments(a: Moments, b: Moments): Moments {
  const n = a.n + b.n;
  if (n === 0) return a;
  const difference = b.mean - a.mean;
  const share = b.n / n;
  return { n, mean: a.mean + difference * share, m2: a.m2 + b.m2 + difference * difference * a.n * share };
}

/** Of at(first), at(first + stride), … below `end`, in two passes: the mean, then the deviations from it. */
export function momentsOf(at: (i: number) => number, first: number, end: number, stride = 1): Moments {
  let n = 0;
  let total = 0;
  for (let i = first; i < end; i += stride) {
    n += 1;
    total += at(i);
  }
  if (n === 0) return NO_MOMENTS;
  const mean = total / n;
  let m2 = 0;
  for (let i = first; i < end; i += stride) m2 += (at(i) - mean) ** 2;
  return { n, mean, m2 };
}

/** A spread this small beside the mean is rounding noise of equal numbers, and counts as none. */
export function deviationIsZero(deviation: number, mean: number): boolean {
  return deviation <= 1e-6 * Math.abs(mean);
}

/** Row `row` of partial moments [rows, 3]. */
export function readMoments(partials: TypedArray, row: number): Moments {
  return { n: partials[row * 3], mean: partials[row * 3 + 1], m2: partials[row * 3 + 2] };
}

export function writeMoments(partials: TypedArray, row: number, { n, mean, m2 }: Moments): void {
  partials.set([n, mean, m2], row * 3);
}

/** The rows first, first + stride, … (`count` of them) as one. */
export function mergeRows(partials: TypedArray, first: number, count: number, stride = 1): Moments {
  let merged = NO_MOMENTS;
  for (let k = 0; k < count; k++) merged = mergeMoments(merged, readMoments(partials, first + k * stride));
  return merged;
}
