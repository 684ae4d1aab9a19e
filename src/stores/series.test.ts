import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CAPACITY, Series } from './series';

const filled = (values: readonly number[], start = 1) => {
  const series = new Series();
  values.forEach((value, index) => {
    series.push(start + index, value);
  });
  return series;
};

describe('a short run', () => {
  it('keeps each point singly, in order', () => {
    const buckets = filled([1, 2, 4]).thinned(100);
    expect(buckets.map(({ first, mean, count }) => [first, mean, count])).toEqual([
      [1, 1, 1],
      [2, 2, 1],
      [3, 4, 1],
    ]);
  });
  it('has a gap and a mark where a value is not a number (F27)', () => {
    const buckets = filled([1, 2, Number.NaN, 4, Number.POSITIVE_INFINITY, 5]).thinned(100);
    expect(buckets.map(({ count }) => count)).toEqual([1, 1, 0, 1, 0, 1]);
    expect(buckets.map(({ bad }) => bad)).toEqual([-1, -1, 3, -1, 5, -1]);
  });
  it('keeps 1e300 as a number', () => {
    expect(filled([1e300]).thinned(10)[0]?.max).toBe(1e300);
  });
  it('remembers the newest value, also when it is not a number', () => {
    expect(filled([1, Number.NaN]).latest).toBeNaN();
    expect(new Series().latest).toBeUndefined();
  });
});

describe('a long run', () => {
  it('stays within its capacity and loses no spike', () => {
    const series = new Series();
    for (let update = 1; update <= 100_000; update++) series.push(update, update === 77_777 ? 50 : 1);
    expect(series.buckets).toBeLessThanOrEqual(CAPACITY);
    const buckets = series.thinned(300);
    expect(buckets.length).toBeLessThanOrEqual(300);
    const spike = buckets.find(({ max }) => max === 50);
    expect(spike?.first).toBeLessThanOrEqual(77_777);
    expect(spike?.last).toBeGreaterThanOrEqual(77_777);
    expect(buckets[0]?.first).toBe(1);
    expect(buckets.at(-1)?.last).toBe(100_000);
  });
  it('merging loses neither a point nor the mean', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { minLength: 1, maxLength: 9000 }),
        fc.integer({ min: 1, max: 500 }),
        (values, most) => {
          const buckets = filled(values).thinned(most);
          const count = buckets.reduce((sum, bucket) => sum + bucket.count, 0);
          const sum = buckets.reduce((total, bucket) => total + bucket.mean * bucket.count, 0);
          expect(buckets.length).toBeLessThanOrEqual(most);
          expect(count).toBe(values.length);
          expect(sum).toBeCloseTo(
            values.reduce((a, b) => a + b, 0),
            3,
          );
          expect(Math.max(...buckets.map(({ max }) => max))).toBe(Math.max(...values));
        },
      ),
      { numRuns: 50 },
    );
  });
});

it('going back to older weights takes the points after them away', () => {
  const series = filled([1, 2, 3, 4, 5]);
  series.push(3, 30);
  expect(series.thinned(10).map(({ first, mean }) => [first, mean])).toEqual([
    [1, 1],
    [2, 2],
    [3, 30],
  ]);
});

it('the table has the newest first', () => {
  expect(
    filled([1, 2, 3])
      .newest(2)
      .map(({ mean }) => mean),
  ).toEqual([3, 2]);
});
