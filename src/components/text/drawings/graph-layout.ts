/** Where the entities of a graph stand, and how its facts run between them: on a ring, in the order of the vocabulary. */

export const WIDTH = 360;
export const HEIGHT = 300;
const CENTRE = { x: WIDTH / 2, y: HEIGHT / 2 };
const RADIUS = 112;
/** Of an entity's dot, and the gap before an arrow's tip. */
export const DOT = 5;
const GAP = 4;
/** How far the control points of a loop stand from its entity. */
const LOOP = 56;

export interface Point {
  readonly x: number;
  readonly y: number;
}

export function placeOf(index: number, total: number): Point {
  const angle = (2 * Math.PI * index) / total - Math.PI / 2;
  return { x: CENTRE.x + RADIUS * Math.cos(angle), y: CENTRE.y + RADIUS * Math.sin(angle) };
}

/** Where an entity's name stands, outside of the ring. */
export function nameOf(index: number, total: number): Point & { readonly anchor: 'start' | 'middle' | 'end' } {
  const { x, y } = placeOf(index, total);
  const [dx, dy] = [(x - CENTRE.x) / RADIUS, (y - CENTRE.y) / RADIUS];
  const anchor = Math.abs(dx) < 0.25 ? 'middle' : dx > 0 ? 'start' : 'end';
  return { x: x + dx * 11, y: y + dy * 16 + 4, anchor };
}

export interface Curve {
  readonly path: string;
  /** Where its relation is written. */
  readonly middle: Point;
}

/** From one entity to another, bent towards the middle by `bend`, so that facts in both directions stay apart. */
export function curveOf(from: Point, to: Point, bend: number): Curve {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy);
  if (length === 0) return loopAt(from);
  const control = {
    x: (from.x + to.x) / 2 - (dy / length) * bend,
    y: (from.y + to.y) / 2 + (dx / length) * bend,
  };
  const start = towards(from, control, DOT);
  const end = towards(to, control, DOT + GAP);
  return {
    path: `M${round(start.x)} ${round(start.y)}Q${round(control.x)} ${round(control.y)} ${round(end.x)} ${round(end.y)}`,
    middle: { x: (from.x + to.x) / 4 + control.x / 2, y: (from.y + to.y) / 4 + control.y / 2 },
  };
}

/** A fact about an entity and itself: a drop towards the middle of the ring, its tip short of the dot. */
function loopAt(at: Point): Curve {
  const far = towards(at, CENTRE, LOOP);
  const [dx, dy] = [(far.x - at.x) / 2, (far.y - at.y) / 2];
  const left = { x: far.x - dy, y: far.y + dx };
  const right = { x: far.x + dy, y: far.y - dx };
  const start = towards(at, left, DOT);
  const end = towards(at, right, DOT + GAP);
  return {
    path: `M${round(start.x)} ${round(start.y)}C${round(left.x)} ${round(left.y)} ${round(right.x)} ${round(right.y)} ${round(end.x)} ${round(end.y)}`,
    // A cubic curve comes three quarters of the way to its control points.
    middle: towards(at, CENTRE, LOOP * 0.75),
  };
}

function towards(from: Point, to: Point, distance: number): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  return { x: from.x + ((to.x - from.x) * distance) / length, y: from.y + ((to.y - from.y) * distance) / length };
}

const round = (value: number) => Math.round(value * 10) / 10;
