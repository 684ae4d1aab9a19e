/** One metric as a chart frame: plain name, metric name in mono, value now, the curve, and the same as a table. */
import { ChartLine, Table2 } from 'lucide-react';
import { memo, useEffect, useMemo, useRef, useState } from 'react';
import {
  CartesianGrid,
  type DotItemDotProps,
  type DotProps,
  Line,
  LineChart,
  ReferenceDot,
  ReferenceLine,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import type { Phase } from '../engine/scenario';
import { formatFigure } from '../formats/number';
import type { Metric } from '../stores/metrics';
import { type Mark, useRun } from '../stores/run';
import type { Series } from '../stores/series';
import { IconButton } from './button';
import { type Axis, type Plot, plotOf, summarize, tickLabel, updateAxis } from './chart-data';
import { useTurn } from './turns';

export interface Reference {
  readonly value: number;
  readonly label: string;
}
export interface ChartProps {
  readonly metric: Metric;
  readonly reference?: Reference | undefined;
  /** Updates of the whole run: the end of the axis. */
  readonly plan: number;
  readonly asTable: boolean;
}

/** Of a chart, and of its axes, in rem: they grow with the text. */
const HEIGHT = 5.75;
const AXIS = { x: 1.25, y: 2.625 };
const MARGIN = { top: 8, right: 10, bottom: 0, left: 0 };
/** Room for the names at the ends of two lines. */
const NAMED_MARGIN = { ...MARGIN, right: 54 };
/** Axes are drawn from the first, over a point that shows nothing. */
const EMPTY = [{ x: 0, raw: null, smooth: 0 }];
/** Share of the axis that the name of a phase needs; a shorter one is named in the table and on its card. */
const PHASE_NAME = 0.2;
const NO_PHASES: readonly Phase[] = [];
/** Rows of a table; older points are in the chart and in the summary. */
const ROWS = 200;

/** Lists of charts are made anew whenever the run reports another metric; a chart that says the same is not. */
function isSame(a: ChartProps, b: ChartProps): boolean {
  return (
    a.metric.name === b.metric.name &&
    a.metric.help === b.metric.help &&
    a.plan === b.plan &&
    a.asTable === b.asTable &&
    a.reference?.value === b.reference?.value &&
    a.reference?.label === b.reference?.label
  );
}

/** Draws only in its turn (see turns.ts), however often the run reports. */
export const Chart = memo(function Chart({ metric, reference, plan, asTable }: ChartProps) {
  const frame = useRef<HTMLElement>(null);
  const turn = useTurn(frame);
  const [own, setOwn] = useState<boolean>();
  const table = own ?? asTable;
  // Read outside React on purpose: the turn says when.
  const { series: all, marks, update, status, running } = useRun.getState();
  const series = all.get(metric.name);
  const second = metric.beside && all.get(metric.beside.name);
  const paused = status === 'paused' && series !== undefined;
  return (
    <section className={`chart${paused ? ' stale' : ''}`} ref={frame} aria-label={metric.title}>
      <header>
        <h3 title={metric.help}>{metric.title}</h3>
        <code>{metric.name}</code>
        {paused && <span className="muted">paused</span>}
        <span className="now">{series?.latest === undefined ? '\u2013' : formatFigure(series.latest)}</span>
        <IconButton
          size="small"
          icon={table ? ChartLine : Table2}
          name={table ? `${metric.title}: show the curve` : `${metric.title}: show the table`}
          onClick={() => setOwn(!table)}
        />
      </header>
      {table ? (
        <ValueTable
          metric={metric}
          series={series}
          second={second}
          marks={marks}
          phases={running?.scenario.phases ?? NO_PHASES}
        />
      ) : (
        <Curve
          metric={metric}
          series={series}
          second={second}
          marks={marks}
          phases={running?.scenario.phases ?? NO_PHASES}
          reference={reference}
          plan={plan}
          update={update}
          turn={turn}
        />
      )}
    </section>
  );
}, isSame);

/** Why there is no point: a phase has only what it makes. */
function emptyText({ plain }: Metric, update: number, phases: readonly Phase[]): string {
  if (plain) return 'no evaluation yet';
  return update > 0 && phases.length > 0 ? 'none in this phase' : 'no update yet';
}

interface CurveProps {
  readonly metric: Metric;
  readonly series: Series | undefined;
  /** Of `metric.beside`. */
  readonly second: Series | undefined;
  readonly marks: readonly Mark[];
  readonly phases: readonly Phase[];
  readonly reference: Reference | undefined;
  readonly plan: number;
  readonly update: number;
  readonly turn: number;
}

function Curve({ metric, series, second, marks, phases, reference, plan, update, turn }: CurveProps) {
  const [box, width, rem] = useWidth();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the series is mutable; `turn` says when it has changed.
  const plot = useMemo(
    () =>
      plotOf(
        series,
        metric,
        Math.max(40, Math.floor((width - 50) / 2)),
        reference === undefined ? [] : [reference.value],
        plan,
        second,
      ),
    [series, second, metric, width, reference, plan, turn],
  );
  const x = useSame(updateAxis(plan, update));
  const y = useSame(plot.y);
  const bad = useSame(plot.bad);
  const [hovered, setHovered] = useState(false);
  return (
    <div
      className={`curve${plot.points.length === 0 ? ' waiting' : ''}`}
      ref={box}
      style={{ height: `${HEIGHT}rem` }}
      role="img"
      aria-label={summaryOf(metric, series, second)}
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
    >
      {width > 0 && turn > 0 && (
        <LineChart
          width={width}
          height={HEIGHT * rem}
          data={plot.points.length === 0 ? EMPTY : (plot.points as object[])}
          margin={metric.beside ? NAMED_MARGIN : MARGIN}
          accessibilityLayer={false}
        >
          <Axes x={x} y={y} rem={rem} />
          <Lines reference={reference} phases={phases} marks={marks} bad={bad} end={x.domain[1]} y={y} />
          <Values metric={metric} reading={hovered} />
          {metric.beside && plot.end && (
            <ReferenceDot
              x={plot.end.x}
              y={plot.end.y}
              r={3.6}
              className="end"
              label={endLabel(metric.beside.first ?? metric.title, plot.besideEnd, plot.end)}
            />
          )}
          {metric.beside && plot.besideEnd && (
            <ReferenceDot
              x={plot.besideEnd.x}
              y={plot.besideEnd.y}
              r={3.6}
              className="end second"
              shape={square}
              label={endLabel(metric.beside.title, plot.end, plot.besideEnd)}
            />
          )}
        </LineChart>
      )}
      {plot.points.length === 0 && <p className="no-update">{emptyText(metric, update, phases)}</p>}
    </div>
  );
}

/**
 * The same object while its content is the same. Recharts works its layout out anew for every child whose props are
 * other objects than before, so what does not change must not look as if it did.
 */
function useSame<T>(value: T): T {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the content decides, not the object.
  return useMemo(() => value, [JSON.stringify(value)]);
}

const Axes = memo(function Axes({ x, y, rem }: { readonly x: Axis; readonly y: Axis; readonly rem: number }) {
  return (
    <>
      <CartesianGrid vertical={false} stroke="var(--grid)" />
      <XAxis
        dataKey="x"
        type="number"
        domain={[...x.domain]}
        ticks={[...x.ticks]}
        tickLine={false}
        height={AXIS.x * rem}
        tickFormatter={tickLabel}
        interval={0}
      />
      <YAxis
        type="number"
        domain={[...y.domain]}
        ticks={[...y.ticks]}
        axisLine={false}
        tickLine={false}
        width={AXIS.y * rem}
        tickFormatter={tickLabel}
        interval={0}
      />
    </>
  );
});

interface LinesProps extends Pick<CurveProps, 'reference' | 'phases' | 'marks'> {
  /** Updates with a value that was no number. */
  readonly bad: readonly number[];
  /** Of the axis of updates. */
  readonly end: number;
  readonly y: Axis;
}

/** Lines across: what the values are compared with, where phases begin, what the person changed, what was no number. */
const Lines = memo(function Lines({ reference, phases, marks, bad, end, y }: LinesProps) {
  const newest = marks.at(-1);
  return (
    <>
      {reference && (
        <ReferenceLine
          y={reference.value}
          className="reference"
          ifOverflow="hidden"
          label={{
            value: reference.label,
            position: labelSide(reference.value, y.domain),
            className: 'reference-label',
          }}
        />
      )}
      {phases.length > 1 &&
        phases.map(({ id, from }, index) => (
          <ReferenceLine
            key={`phase ${from}`}
            x={from}
            className="phase-mark"
            ifOverflow="hidden"
            {...(((phases[index + 1]?.from ?? Number.POSITIVE_INFINITY) - from) / end > PHASE_NAME
              ? {
                  label: {
                    value: id,
                    position: from > end * 0.8 ? 'insideTopRight' : 'insideTopLeft',
                    className: 'reference-label',
                  },
                }
              : {})}
          />
        ))}
      {marks.map((mark) => (
        <ReferenceLine
          key={`${mark.update} ${mark.path}`}
          x={mark.update}
          className="mark"
          ifOverflow="hidden"
          {...(mark === newest
            ? {
                label: {
                  value: mark.label,
                  position: mark.update > end / 2 ? 'insideBottomRight' : 'insideBottomLeft',
                  className: 'reference-label',
                },
              }
            : {})}
        />
      ))}
      {bad.map((at) => (
        <ReferenceLine
          key={at}
          x={at}
          className="bad"
          label={{
            value: `not a number at update ${at}`,
            position: at > end / 2 ? 'insideTopRight' : 'insideTopLeft',
            className: 'bad-label',
          }}
        />
      ))}
    </>
  );
});

const LINE = { dot: false, activeDot: false, isAnimationActive: false, type: 'linear' } as const;

/** The values themselves, thin and thick, and how one of them is read; the data come from the chart. */
const Values = memo(function Values({ metric, reading }: { readonly metric: Metric; readonly reading: boolean }) {
  return (
    <>
      {reading && (
        <Tooltip
          isAnimationActive={false}
          cursor={CURSOR}
          content={({ active, payload, label }) => (
            <Reading active={active} update={Number(label)} value={payload?.[0]?.payload?.raw} unit={metric.unit} />
          )}
        />
      )}
      <Line dataKey="raw" className="raw" {...LINE} />
      <Line dataKey="smooth" className="smooth" {...LINE} {...(metric.beside ? {} : { dot: EndDot })} />
      {metric.beside && <Line dataKey="beside" className="second" {...LINE} connectNulls />}
    </>
  );
});

/** The newest value: a dot at the last point that has one. */
function EndDot({ cx, cy, index, points }: DotItemDotProps) {
  let next = index + 1;
  while (points[next]?.y === null) next++;
  if (next < points.length || points[index]?.y === null) return null;
  return <circle key="end" className="end" cx={cx} cy={cy} r={3.6} />;
}

const CURSOR = { stroke: 'var(--line-strong)', strokeWidth: 1 };

/** A reference near the top is named below its line, else above it. */
function labelSide(value: number, [low, high]: readonly [number, number]) {
  return (value - low) / (high - low) > 0.6 ? 'insideTopRight' : 'insideBottomRight';
}

/** The name at the end of a line, above or below its end where the other line ends near. */
function endLabel(value: string, other: Plot['end'], own: { readonly y: number }) {
  const dy = other === undefined || own.y >= other.y ? -3 : 9;
  return { value, position: 'right' as const, dy, className: 'series-label' };
}

function square({ cx = 0, cy = 0 }: DotProps) {
  return <rect x={cx - 3.6} y={cy - 3.6} width={7.2} height={7.2} />;
}

function summaryOf(metric: Metric, series: Series | undefined, second: Series | undefined): string {
  const own = summarize(metric, series);
  return metric.beside === undefined ? own : `${own} ${summarize({ ...metric, ...metric.beside }, second)}`;
}

function Reading({
  active,
  update,
  value,
  unit,
}: {
  active: boolean;
  update: number;
  value: unknown;
  unit: string | undefined;
}) {
  if (!active || typeof value !== 'number') return null;
  return (
    <p className="reading">
      update {Math.round(update)} <b>{formatFigure(value)}</b> {unit}
    </p>
  );
}

function ValueTable({
  metric,
  series,
  second,
  marks,
  phases,
}: Pick<CurveProps, 'metric' | 'series' | 'second' | 'marks' | 'phases'>) {
  const besides = new Map(second?.newest(ROWS).map(({ first, mean }) => [first, formatFigure(mean)]));
  const rows = series?.newest(ROWS) ?? [];
  return (
    <>
      <p className="field-help">
        {metric.help}. {summaryOf(metric, series, second)}
        {marks.length > 0 &&
          ` Changed: ${marks.map(({ update, label }) => `${label} at update ${update}`).join('; ')}.`}
        {phases.length > 1 && ` Phases: ${phases.map(({ id, from }) => `${id} from update ${from}`).join('; ')}.`}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a frame that scrolls must be reachable by keyboard. */}
      <section className="table-frame" tabIndex={0} aria-label={`${metric.title}, table`}>
        <table>
          <thead>
            <tr>
              <th scope="col">Update</th>
              <th scope="col" className="number">
                {metric.title}
                {metric.unit === undefined ? '' : `, ${metric.unit}`}
              </th>
              {metric.beside && (
                <th scope="col" className="number">
                  {metric.beside.title}
                </th>
              )}
              <th scope="col" className="number">
                Lowest to highest
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ first, last, min, max, mean, count, bad }) => (
              <tr key={first}>
                <td className="mono">{first === last ? first : `${first} to ${last}`}</td>
                <td className="number">{count === 0 ? `not a number at ${bad}` : formatFigure(mean)}</td>
                {metric.beside && <td className="number">{besides.get(first)}</td>}
                <td className="number">{count < 2 ? '' : `${formatFigure(min)} to ${formatFigure(max)}`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

/** Width of the element in pixels, and how many of them a rem has. */
function useWidth() {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [rem, setRem] = useState(16);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      setWidth(Math.floor(entry?.contentRect.width ?? 0));
      setRem(Number.parseFloat(getComputedStyle(document.documentElement).fontSize));
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, width, rem] as const;
}
