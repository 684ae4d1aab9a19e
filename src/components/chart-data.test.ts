import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Metric } from '../stores/metrics';
import { Series } from '../stores/series';
import { niceAxis, plotOf, summarize, tickLabel, updateAxis } from './chart-data';

const metric: Metric = { name: 'losses/x', title: 'X', help: '', axis: 'free' };
const seriesOf = (values: readonly number[]) => {
  const series = new Series();
  values.forEach((value, index) => {
    series.push(index + 1, value);
  });
  return series;
};

describe('axes', () => {
  it('step by 1, 2 or 5 times a power of ten and hold the data', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e9, max: 1e9, noNaN: true }),
        fc.double({ min: 1e-6, max: 1e9, noNaN: true }),
        (low, span) => {
          const { domain, ticks } = niceAxis(low, low + span, 4);
          const tolerance = (Math.abs(low) + span) * 1e-9;
          expect(domain[0]).toBeLessThanOrEqual(low + tolerance);
          expect(domain[1]).toBeGreaterThanOrEqual(low + span - tolerance);
          expect(ticks.length).toBeLessThanOrEqual(8);
        },
      ),
    );
    expect(niceAxis(0, 0.83, 2).ticks).toEqual([0, 0.5, 1]);
    expect(niceAxis(0, 0.019, 2).ticks).toEqual([0, 0.01, 0.02]);
  });
  it('give room to a single value, to zero, and to 1e300', () => {
    for (const value of [5, 0, -3, 1e300]) {
      const { domain } = niceAxis(value, value, 2);
      expect(domain[0]).toBeLessThanOrEqual(value);
      expect(domain[1]).toBeGreaterThan(domain[0]);
      expect(domain.every(Number.isFinite)).toBe(true);
    }
  });
  it('the update axis ends with the plan, and later when the run went on', () => {
    expect(updateAxis(200, 184).domain).toEqual([0, 200]);
    expect(updateAxis(200, 260).domain[1]).toBeGreaterThanOrEqual(260);
  });
  it('labels are short and have a true minus', () => {
    expect([-0.5, 0, 1e-4, 20_000, 1.5e6].map(tickLabel)).toEqual(['\u22120.5', '0', '1e\u22124', '20k', '1.5M']);
  });
});

describe('a plot', () => {
  it('breaks at a value that is not a number, and marks it (F27)', () => {
    const plot = plotOf(seriesOf([1, 2, Number.NaN, 4, Number.POSITIVE_INFINITY, 5]), metric, 100, [], 1000);
    expect(plot.points.map(({ raw }) => raw)).toEqual([1, 2, null, 4, null, 5]);
    expect(plot.bad).toEqual([3, 5]);
    expect(plot.y.domain.every(Number.isFinite)).toBe(true);
  });
  it('shows one point, equal points, and none', () => {
    expect(plotOf(seriesOf([2]), metric, 100, [], 1000).end).toEqual({ x: 1, y: 2 });
    expect(plotOf(seriesOf([2, 2, 2]), metric, 100, [], 1000).y.domain[0]).toBeLessThan(2);
    expect(plotOf(undefined, metric, 100, [], 1000).points).toEqual([]);
  });
  it('thins 100,000 updates to the pixels and keeps the spike', () => {
    const series = new Series();
    for (let update = 1; update <= 100_000; update++) series.push(update, update === 1234 ? 9 : 0);
    const { points } = plotOf(series, metric, 140, [], 1000);
    expect(points.length).toBeLessThanOrEqual(280);
    expect(Math.max(...points.map(({ raw }) => raw ?? 0))).toBe(9);
  });
  it('holds its reference line', () => {
    expect(plotOf(seriesOf([0.1]), metric, 100, [475], 1000).y.domain[1]).toBeGreaterThanOrEqual(475);
  });
});

it('the summary says where it began, where it is, and what was no number', () => {
  expect(summarize(metric, seriesOf([1, Number.NaN, 3]))).toBe(
    'X (losses/x): 1.00 at update 1, 3.00 at update 3; lowest 1.00, highest 3.00. Not a number at update 2.',
  );
  expect(summarize(metric, undefined)).toBe('X (losses/x): no value yet.');
});

it('a second line goes beside the first, at its updates, and within the axis', () => {
  const plot = plotOf(seriesOf([0, 0.5, 0.5]), metric, 100, [], 1000, seriesOf([1, 1, 3]));
  // Two of fourteen parts of the last step: 1 + (3 - 1) / 7.
  const last = 9 / 7;
  expect(plot.points.map(({ x, beside }) => [x, beside])).toEqual([
    [1, 1],
    [2, 1],
    [3, expect.closeTo(last, 12)],
  ]);
  expect(plot.besideEnd).toEqual({ x: 3, y: expect.closeTo(last, 12) });
  expect(plot.y.domain[1]).toBeGreaterThanOrEqual(last);
  expect(plotOf(seriesOf([0]), metric, 100, [], 1000).besideEnd).toBeUndefined();
});

it('a short run is hardly smoothed, a long one looks back over thirteen points', () => {
  const step = seriesOf([0, 1]);
  expect(plotOf(step, metric, 100, [], 10).end?.y).toBe(1);
  expect(plotOf(step, metric, 100, [], 20).end?.y).toBeCloseTo(2 / 3, 12);
  expect(plotOf(step, metric, 100, [], 1000).end?.y).toBeCloseTo(1 / 7, 12);
});
