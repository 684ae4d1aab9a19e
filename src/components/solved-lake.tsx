/**
 * FrozenLake solved exactly: V of each cell and the best action, by value iteration over the true dynamics. The
 * gallery shows it beside the scenario to start with; training has to find the same by trying.
 */
import type { ReactNode } from 'react';

const LAKES: Readonly<Record<string, readonly string[]>> = {
  '4x4': ['SFFF', 'FHFH', 'FFFH', 'HFFG'],
  '8x8': ['SFFFFFFF', 'FFFFFFFF', 'FFFHFFFF', 'FFFFFHFF', 'FFFHFFFF', 'FHHFFFHF', 'FHFFHFHF', 'FFFHFFFG'],
};

export function SolvedLake({ map }: { map: '4x4' | '8x8' }) {
  return (
    <svg
      className="solved-lake"
      viewBox="34 0 92 92"
      role="img"
      aria-label={`FrozenLake ${map}: the exact value of each cell and the best action in it`}
    >
      {drawLake(LAKES[map] ?? [])}
    </svg>
  );
}

/** Left, down, right, up: FrozenLake's actions. */
const MOVES = [
  [-1, 0],
  [0, 1],
  [1, 0],
  [0, -1],
] as const;

/** FrozenLake's dynamics: a third ahead, a third to each side. V and the best action by value iteration, γ = 0.99. */
function solveLake(rows: readonly string[]): { value: number; best: number }[] {
  const size = rows.length;
  const cell = (x: number, y: number) => rows[y]?.[x] ?? 'F';
  let solved = Array.from({ length: size * size }, () => ({ value: 0, best: 0 }));
  const after = (x: number, y: number, action: number) => {
    const [dx, dy] = MOVES[(action + 4) % 4] ?? [0, 0];
    const nx = Math.min(size - 1, Math.max(0, x + dx));
    const ny = Math.min(size - 1, Math.max(0, y + dy));
    return cell(nx, ny) === 'G' ? 1 : 0.99 * (solved[ny * size + nx]?.value ?? 0);
  };
  for (let sweep = 0; sweep < 300; sweep++) {
    solved = solved.map((_, index) => {
      const x = index % size;
      const y = Math.floor(index / size);
      if ('HG'.includes(cell(x, y))) return { value: 0, best: 0 };
      const worth = MOVES.map((__, a) => (after(x, y, a - 1) + after(x, y, a) + after(x, y, a + 1)) / 3);
      const value = Math.max(...worth);
      return { value, best: worth.indexOf(value) };
    });
  }
  return solved;
}

function drawLake(rows: readonly string[]): ReactNode {
  const size = rows.length;
  const side = 88 / size;
  return solveLake(rows).map(({ value, best }, index) => {
    const x = 36 + (index % size) * side;
    const y = 2 + Math.floor(index / size) * side;
    const kind = rows[Math.floor(index / size)]?.[index % size] ?? 'F';
    const step = Math.min(8, Math.floor(value * 9));
    const fill = kind === 'H' ? 'var(--w-hole)' : kind === 'G' ? 'var(--w-goal)' : `var(--seq-${step})`;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the cells of a map do not move.
      <g key={index}>
        <rect x={x} y={y} width={side - 0.8} height={side - 0.8} rx={1} fill={fill} />
        {!'HG'.includes(kind) && <Solution x={x} y={y} side={side - 0.8} value={value} action={best} step={step} />}
        {kind === 'G' && (
          <path
            d={`M${x + side * 0.35} ${y + side * 0.75}v${-side * 0.5}l${side * 0.34} ${side * 0.15}l${-side * 0.34} ${side * 0.15}`}
            fill="none"
            stroke="var(--ok)"
          />
        )}
      </g>
    );
  });
}

interface SolutionProps {
  readonly x: number;
  readonly y: number;
  readonly side: number;
  readonly value: number;
  readonly action: number;
  /** Of the ramp, 0 to 8: the ink follows it. */
  readonly step: number;
}

/** The exact value of a cell in its corner, and an arrow for the best action. */
function Solution({ x, y, side, value, action, step }: SolutionProps) {
  const ink = step > 4 ? 'var(--seq-ink-hi)' : 'var(--seq-ink-lo)';
  const [dx, dy] = MOVES[action] ?? [0, 0];
  const centre = { x: x + side * 0.55, y: y + side * 0.71 };
  const reach = side * 0.19;
  const tip = { x: centre.x + dx * reach, y: centre.y + dy * reach };
  const barb = side * 0.12;
  return (
    <>
      <text x={x + 0.8} y={y + 4.4} fill={ink} className="solved-value">
        {value.toFixed(2).replace(/^0/, '')}
      </text>
      <path
        d={`M${centre.x - dx * reach} ${centre.y - dy * reach}L${tip.x} ${tip.y}M${tip.x - (dx + dy) * barb} ${tip.y - (dy + dx) * barb}L${tip.x} ${tip.y}L${tip.x - (dx - dy) * barb} ${tip.y - (dy - dx) * barb}`}
        fill="none"
        stroke={ink}
        strokeWidth={0.9}
      />
    </>
  );
}
