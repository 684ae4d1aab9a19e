/** From a series to what a chart draws: pixels' worth of points, axes in 1-2-5 steps, gaps with their marks, a summary. */
import { formatFigure } from '../formats/number';
import type { Metric } from '../stores/metrics';
import type { Series } from '../stores/series';

export interface PlotPoint {
  readonly x: number;
  /** Thin line: each update, or the least and greatest of a pixel's updates. */
  readonly raw: number | null;
  /** Thick line: moving average. */
  readonly smooth: number | null;
  /** Moving average of the series beside it; absent where there is none. */
  readonly beside?: number;
}
export interface Axis {
  readonly domain: readonly [number, number];
  readonly ticks: readonly number[];
}
export interface Plot {
  readonly points: readonly PlotPoint[];
  /** Updates whose value was not a number: a gap, and a mark. */
  readonly bad: readonly number[];
  readonly y: Axis;
  /** End of the smooth line. */
  readonly end: End | undefined;
  readonly besideEnd: End | undefined;
}
interface End {
  readonly x: number;
  readonly y: number;
}

/** The moving average looks back over about this many points at most, and over no more than a tenth of the plan. */
const WINDOW = 13;

/** Weight of a new point in the moving average of a run of `plan` updates. */
function weightIn(plan: number): number {
  return 2 / (1 + Math.min(WINDOW, Math.max(1, plan / 10)));
}

/**
 * At most `columns` buckets of the series, each one point or its least and greatest; with the moving average of a
 * second series that is reported in the same updates. `plan` is the run's length in updates.
 */
export function plotOf(
  series: Series | undefined,
  metric: Metric,
  columns: number,
  references: readonly number[],
  plan: number,
  second?: Series,
): Plot {
  const weight = weightIn(plan);
  const points: PlotPoint[] = [];
  const besides = besideOf(second, columns, weight);
  const bad: number[] = [];
  let average: number | undefined;
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  for (const bucket of series?.thinned(columns) ?? []) {
    if (bucket.bad !== -1) bad.push(bucket.bad);
    const x = (bucket.first + bucket.last) / 2;
    const beside = besides.get(bucket.first);
    const both = beside === undefined ? {} : { beside };
    if (bucket.count === 0) {
      points.push({ x, raw: null, smooth: null });
      continue;
    }
    average = average === undefined || metric.plain ? bucket.mean : average + weight * (bucket.mean - average);
    lowest = Math.min(lowest, bucket.min);
    highest = Math.max(highest, bucket.max);
    if (bucket.min === bucket.max) points.push({ x, raw: bucket.mean, smooth: average, ...both });
    else
      points.push(
        { x: bucket.first, raw: bucket.min, smooth: average, ...both },
        { x: bucket.last, raw: bucket.max, smooth: average, ...both },
      );
    if (bucket.bad !== -1) points.push({ x: bucket.last, raw: null, smooth: null });
  }
  const end = points.findLast((point) => point.smooth !== null);
  const besideEnd = points.findLast((point) => point.beside !== undefined);
  return {
    points,
    bad,
    y: valueAxis(metric.axis, lowest, highest, [...references, ...besides.values()]),
    end: end === undefined ? undefined : { x: end.x, y: end.smooth ?? 0 },
    besideEnd: besideEnd === undefined ? undefined : { x: besideEnd.x, y: besideEnd.beside ?? 0 },
  };
}

/** Moving average by the first update of each bucket. */
function besideOf(series: Series | undefined, columns: number, weight: number): ReadonlyMap<number, number> {
  const averages = new Map<number, number>();
  let average: number | undefined;
  for (const { first, mean, count } of series?.thinned(columns) ?? []) {
    if (count === 0) continue;
    average = average === undefined ? mean : average + weight * (mean - average);
    averages.set(first, average);
  }
  return averages;
}

function valueAxis(kind: Metric['axis'], lowest: number, highest: number, references: readonly number[]): Axis {
  const fixed = typeof kind === 'string' ? [] : kind;
  const held = [...fixed, ...references, ...(kind === 'zero' ? [0] : [])];
  const low = Math.min(lowest, ...held);
  const high = Math.max(highest, ...held);
  return low > high ? niceAxis(0, 1, 2) : niceAxis(low, high, 2);
}

/** The update axis: from 0 to the end of the plan, further when the run went on. */
export function updateAxis(plan: number, update: number): Axis {
  return update <= plan && plan > 0
    ? { domain: [0, plan], ticks: niceAxis(0, plan, 4).ticks.filter((tick) => tick <= plan) }
    : niceAxis(0, update, 4);
}

/** Limits and ticks at multiples of 1, 2 or 5 times a power of ten, about `steps` of them, around [low, high]. */
export function niceAxis(low: number, high: number, steps: number): Axis {
  const span = high - low;
  if (!(span > 0)) {
    const room = low === 0 ? 1 : Math.abs(low) * 0.5;
    return niceAxis(low - (low === 0 ? 0 : room), low + room, steps);
  }
  if (!Number.isFinite(span)) return { domain: [low, high], ticks: [low, 0, high] };
  const rough = span / steps;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((multiple) => multiple * power >= rough * 0.999) ?? 10) * power;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  const ticks = Array.from({ length: last - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
  return { domain: [ticks[0] ?? low, ticks.at(-1) ?? high], ticks };
}

/** A tick's label: short, with a true minus. */
export function tickLabel(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e4)
    return formatFigure(value)
      .replace(/\.0+(?= )|(\.\d*?)0+(?= )/, '$1')
      .replace(' ', '');
  const text = size !== 0 && size < 1e-3 ? value.toExponential().replace('e-', 'e\u2212') : String(value);
  return text.replace(/^-/, '\u2212');
}

/** One sentence for those who do not see the chart. */
export function summarize(metric: Metric, series: Series | undefined): string {
  const buckets = series?.thinned(400) ?? [];
  const finite = buckets.filter(({ count }) => count > 0);
  const first = finite[0];
  const last = finite.at(-1);
  const name = `${metric.title} (${metric.name})`;
  if (first === undefined || last === undefined) return `${name}: no value yet.`;
  const unit = metric.unit === undefined ? '' : ` ${metric.unit}`;
  const lowest = formatFigure(Math.min(...finite.map(({ min }) => min)));
  const highest = formatFigure(Math.max(...finite.map(({ max }) => max)));
  const gaps = buckets.filter(({ bad }) => bad !== -1).map(({ bad }) => bad);
  const holes =
    gaps.length === 0
      ? ''
      : ` Not a number at update ${gaps.slice(0, 5).join(', ')}${gaps.length > 5 ? ' and later' : ''}.`;
  return `${name}: ${formatFigure(first.mean)} at update ${first.first}, ${formatFigure(last.mean)}${unit} at update ${last.last}; lowest ${lowest}, highest ${highest}.${holes}`;
}
