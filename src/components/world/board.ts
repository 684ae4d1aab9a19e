/**
 * Geometry and scales of the board worlds (grids and finite MDPs), in CSS pixels: where a cell lies,
 * how long an arrow is, which step of the ramp a value has. Pure; the components only draw it.
 */
import type { ValueMap, View } from '../../engine/view';

export interface BoardLayout {
  /** Side of a cell. */
  readonly cell: number;
  /** Corner of cell (0, 0). */
  readonly left: number;
  readonly top: number;
  /** Length of an arrow of probability 1: it stays below the number in its cell. */
  readonly reach: number;
  /** Numbers of columns and rows along the edges. */
  readonly axes: boolean;
  /** A cell has room for a number of 12 px above its arrow. */
  readonly numbers: boolean;
  /** Letters of 12 px that fit across a cell. */
  readonly letters: number;
}

const AXIS = 20;
const LARGEST_CELL = 88;

/** `scale` is the size of 1 rem over 16 px: text grows with it, so thresholds do too. */
export function layOut(columns: number, rows: number, width: number, height: number, scale = 1): BoardLayout {
  const fit = (margin: number) =>
    Math.max(Math.min((width - margin) / columns, (height - margin) / rows, LARGEST_CELL * scale), 1);
  const axes = fit(AXIS * scale) >= 22 * scale;
  const margin = axes ? AXIS * scale : 0;
  const cell = fit(margin);
  const numbers = cell >= 36 * scale;
  return {
    cell,
    reach: numbers ? Math.min(0.35 * cell, 0.63 * cell - 15 * scale) : 0.35 * cell,
    left: margin + (width - margin - cell * columns) / 2,
    top: margin + (height - margin - cell * rows) / 2,
    axes,
    numbers,
    letters: Math.floor((cell - 8 * scale) / (5.8 * scale)),
  };
}

/** Arrows, trail and agent sit a little below the middle where a number is written above them. */
export function centreOf(layout: BoardLayout, x: number, y: number, lowered: boolean): { x: number; y: number } {
  return {
    x: layout.left + (x + 0.5) * layout.cell,
    y: layout.top + (y + (lowered ? 0.63 : 0.5)) * layout.cell,
  };
}

/** A cell's rounded square, as a path, with a gap of 1 px on each side. */
export function cellPath(layout: BoardLayout, x: number, y: number): string {
  const gap = layout.cell >= 16 ? 1 : 0.5;
  const side = layout.cell - 2 * gap;
  const r = Math.min(3, side / 6);
  const flat = round(side - 2 * r);
  const left = round(layout.left + x * layout.cell + gap + r);
  const top = round(layout.top + y * layout.cell + gap);
  const arc = (dx: number, dy: number) => `a${round(r)} ${round(r)} 0 0 1 ${round(dx)} ${round(dy)}`;
  return `M${left} ${top}h${flat}${arc(r, r)}v${flat}${arc(-r, r)}h${-flat}${arc(-r, -r)}v${-flat}${arc(r, -r)}z`;
}

/** 0 … count − 1. */
export function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

/** Digits enough for a screen; keeps the paths short. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

// ---- Scales ----

/** Steps of the sequential ramp in tokens.css, --seq-0 … --seq-8. */
export const RAMP_STEPS = 9;

export interface Scale {
  readonly low: number;
  readonly high: number;
  /** Counts span decades; values do not. */
  readonly logarithmic: boolean;
}

/** The smallest of 1, 2, 5 × 10^k that is not below `value`; 0 for 0. */
export function niceCeiling(value: number): number {
  if (value <= 0) return 0;
  const power = 10 ** Math.floor(Math.log10(value) + 1e-9);
  const factor = [1, 2, 5, 10].find((f) => f * power >= value * (1 - 1e-6)) ?? 10;
  return Number((factor * power).toPrecision(1));
}

/** Limits that hold 0 and every finite value, and that move in steps of 1, 2, 5. */
export function scaleOf(values: ArrayLike<number>): Scale {
  let low = 0;
  let high = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const top = niceCeiling(high);
  const bottom = low < 0 ? -niceCeiling(-low) : 0;
  return { low: bottom, high: top === bottom ? 1 : top, logarithmic: false };
}

export function countScale(counts: ArrayLike<number>): Scale {
  let high = 0;
  for (let i = 0; i < counts.length; i++) if (counts[i] > high) high = counts[i];
  return { low: 0, high: Math.max(niceCeiling(high), 1), logarithmic: true };
}

/** Step of the ramp, 0 … 8. */
export function rampStep(value: number, scale: Scale): number {
  const share = scale.logarithmic
    ? Math.log1p(value - scale.low) / Math.log1p(scale.high - scale.low)
    : (value - scale.low) / (scale.high - scale.low);
  return Math.min(Math.max(Math.floor(share * RAMP_STEPS), 0), RAMP_STEPS - 1);
}

/** Dark text on the light half of the ramp, light text on the dark half (the other way in dark mode). */
export function rampInk(step: number): 'lo' | 'hi' {
  return step <= 4 ? 'lo' : 'hi';
}

/** At most four characters: .40, 1.0, 3.2, 13, −4.2, −100; `fine` writes .012 where others write .01. */
export function cellNumber(value: number, fine = false): string {
  const size = Math.abs(value);
  const digits = size >= 9.95 ? 0 : size >= 0.995 ? 1 : fine && size < 0.0995 ? 3 : 2;
  const text = size.toFixed(digits).replace(/^0\./, '.');
  return value < 0 && Number(size.toFixed(digits)) !== 0 ? `−${text}` : text;
}

/** For legends and read-outs: no needless zeros, a real minus sign. */
export function plainNumber(value: number, digits = 3): string {
  const text = Number.isInteger(value) ? String(Math.abs(value)) : String(Number(Math.abs(value).toPrecision(digits)));
  return value < 0 ? `−${text}` : text;
}

// ---- Arrows ----

/** Actions less likely than this are not drawn. */
const LEAST = 0.03;

export interface PolicyRays {
  /** Rays from the centre: `length` is the probability times the reach; `likely` ones get a head. */
  readonly rays: readonly {
    readonly dx: number;
    readonly dy: number;
    readonly length: number;
    readonly likely: boolean;
  }[];
  /** Probability of the actions that do not move. */
  readonly still: number;
}

/** What the policy does in cell `index`; an arrow of probability 1 is `reach` long. */
export function policyRays(map: ValueMap, index: number, reach: number): PolicyRays {
  const row = map.probabilities.subarray(index * map.actions, (index + 1) * map.actions);
  const rays: { dx: number; dy: number; length: number; likely: boolean }[] = [];
  let still = 0;
  const best = Math.max(...row);
  row.forEach((probability, action) => {
    const direction = map.directions[action] ?? null;
    if (!(probability >= LEAST)) return;
    if (direction === null) still += probability;
    else {
      const [dx, dy] = direction;
      rays.push({ dx, dy, length: probability * reach, likely: probability >= 0.9 * best });
    }
  });
  return { rays, still };
}

/** The shaft from (x, y), as a path. */
export function shaftPath(x: number, y: number, dx: number, dy: number, length: number): string {
  return `M${round(x)} ${round(y)}l${round(dx * length)} ${round(dy * length)}`;
}

/** The head at the end of a shaft: two strokes of `size` px. */
export function headPath(x: number, y: number, dx: number, dy: number, length: number, size: number): string {
  const tipX = x + dx * length;
  const tipY = y + dy * length;
  const backX = tipX - dx * size;
  const backY = tipY - dy * size;
  const side = size * 0.8;
  const point = (px: number, py: number) => `${round(px)} ${round(py)}`;
  return `M${point(backX - dy * side, backY + dx * side)}L${point(tipX, tipY)}L${point(backX + dy * side, backY - dx * side)}`;
}

// ---- Where an agent is and has been ----

/** Board cell of the agent (`y * width + x`); null in a world without a board. */
export function agentCell(view: View): number | null {
  if (view.kind === 'grid') return view.agent.y * view.width + view.agent.x;
  return view.kind === 'mdp' ? view.cell : null;
}

/** Columns and rows of a board world. */
export function boardOf(view: View): { width: number; height: number } | null {
  return view.kind === 'grid' || view.kind === 'mdp' ? { width: view.width, height: view.height } : null;
}

/** The cells that the agent went through, in order, without standing still; at most `most` of the last. */
export function trailOf(views: readonly View[], most = 120): number[] {
  const cells: number[] = [];
  for (const view of views) {
    const cell = agentCell(view);
    if (cell !== null && cell !== cells[cells.length - 1]) cells.push(cell);
  }
  return cells.slice(-most);
}

/** Visits by cell over every view given. */
export function countVisits(views: Iterable<View>, cells: number): Float32Array {
  const counts = new Float32Array(cells);
  for (const view of views) {
    const cell = agentCell(view);
    if (cell !== null && cell < cells) counts[cell] += 1;
  }
  return counts;
}

/** |learned − exact| by cell; NaN where either has no state. */
export function errorOf(map: ValueMap): Float32Array | null {
  const { exact } = map;
  return exact === undefined ? null : map.values.map((value, i) => Math.abs(value - exact[i]));
}

/** Mean and largest of the finite entries; null when there is none. */
export function summary(values: ArrayLike<number>): { mean: number; largest: number; count: number } | null {
  let sum = 0;
  let largest = 0;
  let count = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (!Number.isFinite(value)) continue;
    sum += value;
    largest = Math.max(largest, value);
    count++;
  }
  return count === 0 ? null : { mean: sum / count, largest, count };
}
