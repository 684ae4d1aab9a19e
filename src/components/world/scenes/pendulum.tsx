/** Pendulum: the rod, the upright that it should keep, and the torque as an arrow around the pivot. */
import type { SceneProps } from './scene';
import { roundArrow } from './scene';

/** Gymnasium pendulum.py: torque is bounded by 2 N m; angle 0 is upright, positive is anticlockwise. */
const STRONGEST = 2;

export function PendulumScene({ view, width, height, large }: SceneProps<'pendulum'>) {
  const unit = Math.min(width, height) / 2.6;
  const pivot = { x: width / 2, y: height / 2 };
  const tip = { x: pivot.x - Math.sin(view.angle) * unit, y: pivot.y - Math.cos(view.angle) * unit };
  const share = Math.min(Math.max(view.torque / STRONGEST, -1), 1);
  return (
    <g>
      <circle className="world-orbit" cx={pivot.x} cy={pivot.y} r={unit} />
      <path className="world-limit" d={`M${pivot.x} ${pivot.y}v${-unit * 1.12}`} />
      {large && (
        <text x={pivot.x + 8} y={pivot.y - unit * 1.04 - 4}>
          upright
        </text>
      )}
      <path className="world-pole" d={`M${pivot.x} ${pivot.y}L${tip.x} ${tip.y}`} strokeWidth={0.1 * unit} />
      <circle className="world-axle" cx={pivot.x} cy={pivot.y} r={0.05 * unit} />
      {large && Math.abs(share) > 0.08 && (
        <path
          className="world-push"
          d={roundArrow(pivot.x, pivot.y, 0.34 * unit, -Math.PI / 2, -share * Math.PI * 0.9)}
        />
      )}
    </g>
  );
}
