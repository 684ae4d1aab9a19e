/**
 * One metric over a run of any length in bounded memory. Points are kept singly until the store is full; then
 * neighbours merge into buckets that remember the least, the greatest and the mean, so no spike is lost and
 * 100,000 updates cost what 2,000 do. Values that are not finite are a gap with a mark, never a point.
 */

export interface Bucket {
  /** Updates of the first and the last point. */
  readonly first: number;
  readonly last: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  /** Finite points in the bucket; 0 is a gap. */
  readonly count: number;
  /** Update of the first value here that was not a number (or not finite); −1: none. */
  readonly bad: number;
}

export const CAPACITY = 2048;

export class Series {
  private readonly first = new Float64Array(CAPACITY);
  private readonly last = new Float64Array(CAPACITY);
  private readonly min = new Float64Array(CAPACITY);
  private readonly max = new Float64Array(CAPACITY);
  private readonly sum = new Float64Array(CAPACITY);
  private readonly finite = new Uint32Array(CAPACITY);
  private readonly bad = new Float64Array(CAPACITY);
  private used = 0;
  /** Points a full bucket holds, a power of two; the last bucket may still be filling. */
  private stride = 1;
  private filling = 0;
  /** The value as it came last, finite or not; undefined before the first. */
  latest: number | undefined;

  get buckets(): number {
    return this.used;
  }

  /** Appends one point. An update that is not newer than the last one takes back what came after it. */
  push(update: number, value: number): void {
    if (this.used > 0 && update <= (this.last[this.used - 1] ?? 0)) this.cut(update);
    if (this.filling === 0) this.open(update);
    const i = this.used - 1;
    this.last[i] = update;
    if (Number.isFinite(value)) {
      this.min[i] = Math.min(this.min[i] ?? value, value);
      this.max[i] = Math.max(this.max[i] ?? value, value);
      this.sum[i] = (this.sum[i] ?? 0) + value;
      this.finite[i] = (this.finite[i] ?? 0) + 1;
    } else if (this.bad[i] === -1) this.bad[i] = update;
    this.latest = value;
    this.filling = (this.filling + 1) % this.stride;
  }

  /** Buckets in order, merged until at most `most` are left: one a pixel column or fewer. */
  thinned(most: number): Bucket[] {
    const group = Math.max(1, Math.ceil(this.used / most));
    const out: Bucket[] = [];
    for (let start = 0; start < this.used; start += group)
      out.push(this.merged(start, Math.min(start + group, this.used)));
    return out;
  }

  /** The newest `most` buckets, newest first: what a table shows. */
  newest(most: number): Bucket[] {
    const out: Bucket[] = [];
    for (let i = this.used - 1; i >= 0 && out.length < most; i--) out.push(this.merged(i, i + 1));
    return out;
  }

  private open(update: number): void {
    if (this.used === CAPACITY) this.halve();
    const i = this.used++;
    this.first[i] = update;
    this.min[i] = Number.POSITIVE_INFINITY;
    this.max[i] = Number.NEGATIVE_INFINITY;
    this.sum[i] = 0;
    this.finite[i] = 0;
    this.bad[i] = -1;
  }

  private halve(): void {
    for (let i = 0; i < CAPACITY / 2; i++) {
      const pair = this.merged(2 * i, 2 * i + 2);
      this.first[i] = pair.first;
      this.last[i] = pair.last;
      this.min[i] = pair.min;
      this.max[i] = pair.max;
      this.sum[i] = pair.count === 0 ? 0 : pair.mean * pair.count;
      this.finite[i] = pair.count;
      this.bad[i] = pair.bad;
    }
    this.used = CAPACITY / 2;
    this.stride *= 2;
  }

  /** Forgets every bucket that reaches `update` or beyond. */
  private cut(update: number): void {
    while (this.used > 0 && (this.last[this.used - 1] ?? 0) >= update) this.used--;
    this.filling = 0;
  }

  private merged(from: number, to: number): Bucket {
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    let sum = 0;
    let count = 0;
    let bad = -1;
    for (let i = from; i < to; i++) {
      min = Math.min(min, this.min[i] ?? min);
      max = Math.max(max, this.max[i] ?? max);
      sum += this.sum[i] ?? 0;
      count += this.finite[i] ?? 0;
      if (bad === -1) bad = this.bad[i] ?? -1;
    }
    return {
      first: this.first[from] ?? 0,
      last: this.last[to - 1] ?? 0,
      min,
      max,
      mean: count === 0 ? Number.NaN : sum / count,
      count,
      bad,
    };
  }
}
