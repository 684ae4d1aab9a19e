/** Mountain Car: the valley sin 3x, the car on its slope, the flag. */
import type { SceneProps } from './scene';
import { straightArrow } from './scene';

/** Gymnasium mountain_car.py: bounds of the position, and the height of the ground. */
const LEFT = -1.2;
const RIGHT = 0.6;
const heightAt = (x: number) => Math.sin(3 * x) * 0.45 + 0.55;

export function MountainCarScene({ view, width, height, large, push }: SceneProps<'mountain-car'>) {
  const unit = Math.min(width / 1.96, height / (large ? 1.5 : 1.65));
  const bottom = height / 2 + (large ? 0.62 : 0.74) * unit;
  const toX = (x: number) => width / 2 + (x - (LEFT + RIGHT) / 2) * unit;
  const toY = (x: number) => bottom - heightAt(x) * unit;

  const steps = large ? 90 : 30;
  const ridge = Array.from({ length: steps + 1 }, (_, i) => {
    const x = LEFT + ((RIGHT - LEFT) * i) / steps;
    return `${toX(x).toFixed(1)} ${toY(x).toFixed(1)}`;
  }).join('L');

  const slope = (Math.atan(Math.cos(3 * view.position) * 1.35) * -180) / Math.PI;
  const body = large ? unit : 2 * unit;
  const car = { width: 0.17 * body, height: 0.065 * body, wheel: 0.028 * body };
  const flag = { x: toX(view.goal), y: toY(view.goal) };
  const pole = 0.2 * body;
  return (
    <g>
      <path className="world-hill" d={`M${ridge}V${bottom}H${toX(LEFT)}z`} />
      <path className="world-ground" d={`M${ridge}`} />
      <path className="world-flagpole" d={`M${flag.x} ${flag.y}v${-pole}`} />
      <path
        className="world-flag"
        d={`M${flag.x} ${flag.y - pole}h${0.11 * body}l${-0.025 * body} ${0.035 * body}l${0.025 * body} ${0.035 * body}h${-0.11 * body}z`}
      />
      {large && (
        <>
          <text className="world-strong" x={flag.x - 5} y={flag.y - pole + 10} textAnchor="end">
            goal
          </text>
          {[LEFT, -0.5, 0, view.goal].map((x) => (
            <text key={x} x={toX(x)} y={bottom + 16} textAnchor="middle">
              {String(x).replace('-', '−')}
            </text>
          ))}
        </>
      )}
      <g transform={`translate(${toX(view.position)} ${toY(view.position)}) rotate(${slope})`}>
        <rect
          className="world-body"
          x={-car.width / 2}
          y={-car.height - 1.5 * car.wheel}
          width={car.width}
          height={car.height}
          rx={car.height / 3}
        />
        <circle className="world-wheel" cx={-0.28 * car.width} cy={-car.wheel} r={car.wheel} />
        <circle className="world-wheel" cx={0.28 * car.width} cy={-car.wheel} r={car.wheel} />
        {large && push !== null && push !== 0 && (
          <path
            className="world-push"
            d={straightArrow(
              Math.sign(push) * (car.width / 2 + 4),
              -car.height / 2 - 1.5 * car.wheel,
              push * 0.16 * unit,
            )}
          />
        )}
      </g>
    </g>
  );
}
