/** Acrobot: two links that hang from a pivot, the line that the tip has to reach, and where it has been. */
import type { View } from '../../../engine/view';
import type { SceneProps } from './scene';
import { roundArrow } from './scene';

/** Gymnasium acrobot.py: both links 1 m long, θ1 from straight down, θ2 from the first link's direction. */
const TARGET = 1;

/** Joint and tip in metres from the pivot, x to the right and y up. */
function joints([first, second]: readonly [number, number]): { elbow: [number, number]; tip: [number, number] } {
  const elbow: [number, number] = [Math.sin(first), -Math.cos(first)];
  return { elbow, tip: [elbow[0] + Math.sin(first + second), elbow[1] - Math.cos(first + second)] };
}

interface AcrobotProps extends SceneProps<'acrobot'> {
  /** The states before, oldest first, for the path of the tip. */
  readonly before: readonly View[];
}

export function AcrobotScene({ view, width, height, large, push, before }: AcrobotProps) {
  const unit = Math.min(width, height) / 4.5;
  const place = ([x, y]: readonly [number, number]) => ({ x: width / 2 + x * unit, y: height / 2 - y * unit });
  const { elbow, tip } = joints(view.angles);
  const pivot = place([0, 0]);
  const middle = place(elbow);
  const end = place(tip);
  const line = height / 2 - TARGET * unit;
  const half = Math.min(width / 2 - 8, 2.6 * unit);
  const path = before
    .slice(-40)
    .flatMap((old) => (old.kind === 'acrobot' ? [place(joints(old.angles).tip)] : []))
    .concat([end])
    .map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`)
    .join('L');
  return (
    <g>
      <path className="world-limit" d={`M${width / 2 - half} ${line}H${width / 2 + half}`} />
      {large && (
        <text x={width / 2 - half} y={line - 7}>
          tip above this line
        </text>
      )}
      <path className="world-trace" d={`M${path}`} />
      <path className="world-link" d={`M${pivot.x} ${pivot.y}L${middle.x} ${middle.y}`} strokeWidth={0.15 * unit} />
      <path
        className="world-link world-second"
        d={`M${middle.x} ${middle.y}L${end.x} ${end.y}`}
        strokeWidth={0.11 * unit}
      />
      <circle className="world-axle" cx={pivot.x} cy={pivot.y} r={0.07 * unit} />
      <circle className="world-axle" cx={middle.x} cy={middle.y} r={0.06 * unit} />
      <circle className="world-tip" cx={end.x} cy={end.y} r={0.08 * unit} />
      {large && push !== null && push !== 0 && (
        <path className="world-push" d={roundArrow(middle.x, middle.y, 0.3 * unit, Math.PI / 2, -push * 1.6)} />
      )}
    </g>
  );
}
