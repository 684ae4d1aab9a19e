/** Bandit: one bar an arm for its true mean, how often it was pulled, and the last reward as a point. */
import { plainNumber, range } from '../board';
import type { SceneProps } from './scene';

interface BanditProps extends SceneProps<'bandit'> {
  /** Pulls by arm over the steps shown. */
  readonly pulls: readonly number[];
}

export function BanditScene({ view, width, height, large, pulls }: BanditProps) {
  const { means, lastArm, lastReward } = view;
  const pulled = lastArm >= 0;
  const reach = pulled ? [...means, lastReward] : means;
  const high = Math.max(...reach, 0.1);
  const low = Math.min(...reach, 0);
  const top = large ? 40 : 2;
  const bottom = height - (large ? 52 : 2);
  const left = large ? Math.max(44, (width - means.length * 84) / 2) : 2;
  const right = large ? width - Math.max(12, (width - means.length * 84) / 2 - 32) : width - 2;
  const column = (right - left) / means.length;
  const toY = (value: number) => bottom - ((value - low) / (high - low)) * (bottom - top);
  const middle = (arm: number) => left + (arm + 0.5) * column;
  return (
    <g>
      {large && (
        <>
          <text x={left - 8} y={toY(0) + 4} textAnchor="end">
            0
          </text>
          <text x={left - 8} y={top - 18} textAnchor="start">
            true mean
          </text>
        </>
      )}
      {range(means.length).map((arm) => (
        <g key={arm}>
          <rect
            className={arm === lastArm ? 'world-arm world-chosen' : 'world-arm'}
            x={left + (arm + 0.18) * column}
            y={Math.min(toY(means[arm]), toY(0))}
            width={0.64 * column}
            height={Math.max(Math.abs(toY(means[arm]) - toY(0)), 1)}
          />
          {large && (
            <>
              <text
                className="world-strong"
                x={middle(arm)}
                y={Math.min(toY(means[arm]), toY(0)) - 7}
                textAnchor="middle"
              >
                {plainNumber(means[arm], 2)}
              </text>
              <text x={middle(arm)} y={bottom + 20} textAnchor="middle">
                {arm + 1}
              </text>
              <text x={middle(arm)} y={bottom + 38} textAnchor="middle">
                ×{pulls[arm] ?? 0}
              </text>
            </>
          )}
        </g>
      ))}
      <path className="world-ground" d={`M${left} ${toY(0)}H${right}`} />
      {pulled && (
        <>
          <path className="world-limit" d={`M${middle(lastArm)} ${toY(0)}V${toY(lastReward)}`} />
          <circle className="world-reward" cx={middle(lastArm)} cy={toY(lastReward)} r={large ? 7 : 3} />
        </>
      )}
    </g>
  );
}
