/** DAPO’s soft overlong punishment, which the reward takes: long episodes cost more the nearer they come to the limit. */

/**
 * 0 up to `cache` tokens before `limit`, then falling in a straight line through −`factor` at the limit (Yu et al.
 * 2025, arXiv:2503.14476, eq. 13; beyond the limit it goes on falling, as verl's reward manager has it).
 */
export function softOverlongPenalty(length: number, limit: number, cache: number, factor = 1): number {
  return Math.min(((limit - cache - length) / cache) * factor, 0);
}
