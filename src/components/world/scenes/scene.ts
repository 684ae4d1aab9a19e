/** What every drawing of a world is given. All lengths are CSS pixels. */
import type { View } from '../../../engine/view';

export interface SceneProps<Kind extends View['kind']> {
  readonly view: Extract<View, { kind: Kind }>;
  readonly width: number;
  readonly height: number;
  /** Large: with words and scales. Otherwise a small copy, shapes only. */
  readonly large: boolean;
  /** The action as a share of the strongest push, −1 … 1; null where none is known. */
  readonly push: number | null;
}

/** The share of the strongest push that an action is; null in worlds without a push. */
export function pushOf(
  kind: View['kind'],
  action: readonly number[] | undefined,
  continuous: boolean,
  strongest: number,
): number | null {
  const first = action?.[0];
  if (first === undefined) return null;
  switch (kind) {
    case 'cartpole':
      return continuous ? first / strongest : first * 2 - 1;
    case 'mountain-car':
    case 'acrobot':
    case 'pendulum':
      return continuous ? Math.min(Math.max(first / strongest, -1), 1) : first - 1;
    default:
      return null;
  }
}

/** An arrow along x from (x, y), `length` px with its sign; its head included. */
export function straightArrow(x: number, y: number, length: number): string {
  const back = Math.sign(length) * 7;
  return `M${x} ${y}h${length}m${-back} -6l${back} 6l${-back} 6`;
}

/**
 * An arrow around (x, y): starts at `from` (radians, clockwise from the right as SVG turns) and goes
 * `turn` radians, clockwise for a positive one.
 */
export function roundArrow(x: number, y: number, radius: number, from: number, turn: number): string {
  const at = (angle: number): [number, number] => [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  const [startX, startY] = at(from);
  const [endX, endY] = at(from + turn);
  const sign = Math.sign(turn);
  const heading = from + turn + (sign * Math.PI) / 2;
  const barb = (off: number) =>
    `${(endX - 9 * Math.cos(heading + off)).toFixed(1)} ${(endY - 9 * Math.sin(heading + off)).toFixed(1)}`;
  const wide = Math.abs(turn) > Math.PI ? 1 : 0;
  const end = `${endX.toFixed(1)} ${endY.toFixed(1)}`;
  return (
    `M${startX.toFixed(1)} ${startY.toFixed(1)}A${radius} ${radius} 0 ${wide} ${sign > 0 ? 1 : 0} ${end}` +
    `M${barb(0.55)}L${end}L${barb(-0.55)}`
  );
}
