/** CartPole: the track with its two ends, the cart, the pole and the 12° that end an episode. */
import type { SceneProps } from './scene';
import { straightArrow } from './scene';

/** Gymnasium cartpole.py: episode ends beyond these; the pole is 1 m long. */
const END_OF_TRACK = 2.4;
const END_ANGLE = (12 * Math.PI) / 180;
const POLE = 1;

export function CartPoleScene({ view, width, height, large, push }: SceneProps<'cartpole'>) {
  const unit = Math.min(width / 5.1, height / 1.95);
  // A small copy shows the cart and its pole larger than the track, or they could not be seen.
  const body = large ? unit : Math.min(2.4 * unit, height / 1.6);
  const toX = (metres: number) => width / 2 + metres * unit;
  const ground = height / 2 + 0.62 * body;
  const cart = { width: 0.5 * body, height: 0.22 * body };
  const wheel = 0.06 * body;
  const top = ground - 2 * wheel - cart.height;
  const x = toX(view.position);
  const tip = (angle: number, length: number) =>
    `M${x} ${top}L${x + Math.sin(angle) * length * body} ${top - Math.cos(angle) * length * body}`;
  return (
    <g>
      <path className="world-ground" d={`M${toX(-2.5)} ${ground}H${toX(2.5)}`} />
      {large && (
        <>
          {[-END_OF_TRACK, END_OF_TRACK].map((end) => (
            <g key={end}>
              <path className="world-limit" d={`M${toX(end)} ${ground}v${-1.32 * unit}`} />
              <text x={toX(end)} y={ground + 20} textAnchor={end < 0 ? 'start' : 'end'} dx={end < 0 ? -8 : 8}>
                {end < 0 ? '−2.4 m' : '2.4 m'}
              </text>
            </g>
          ))}
          <path className="world-tick" d={`M${toX(0)} ${ground}v6`} />
          <text x={toX(0)} y={ground + 20} textAnchor="middle">
            0
          </text>
          <path className="world-limit" d={`${tip(-END_ANGLE, 1.1 * POLE)}${tip(END_ANGLE, 1.1 * POLE)}`} />
          <text
            x={x + Math.sin(END_ANGLE) * 1.1 * unit + 4}
            y={top - Math.cos(END_ANGLE) * 1.1 * unit}
            textAnchor="start"
          >
            12°
          </text>
        </>
      )}
      <rect
        className="world-body"
        x={x - cart.width / 2}
        y={top}
        width={cart.width}
        height={cart.height}
        rx={cart.height / 6}
      />
      {[-0.3, 0.3].map((share) => (
        <circle key={share} className="world-wheel" cx={x + share * cart.width} cy={ground - wheel} r={wheel} />
      ))}
      <path className="world-pole" d={tip(view.angle, POLE)} strokeWidth={0.09 * body} />
      <circle className="world-axle" cx={x} cy={top} r={0.045 * body} />
      {large && push !== null && push !== 0 && (
        <path
          className="world-push"
          d={straightArrow(x + Math.sign(push) * (cart.width / 2 + 6), top + cart.height / 2, push * 0.3 * unit)}
        />
      )}
    </g>
  );
}
