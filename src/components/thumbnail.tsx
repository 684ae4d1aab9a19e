/**
 * A world in small, for a card of the gallery: drawn from the scenario's own environment, so a map looks like its
 * map. Decoration beside the title, hence hidden from screen readers.
 */
import type { ReactNode } from 'react';
import type { Choice } from '../engine/scenario';

export interface ThumbnailProps {
  readonly environment: Choice;
  readonly title: string;
  /** Large enough for numbers and arrows. */
  readonly detailed?: boolean;
}

export function Thumbnail({ environment, title, detailed = false }: ThumbnailProps) {
  const draw = DRAWINGS.find(([pattern]) => pattern.test(`${environment.id} ${title}`.toLowerCase()))?.[1] ?? drawUnknown;
  return (
    <svg className="thumbnail" viewBox="0 0 160 92" aria-hidden>
      {draw(title, detailed)}
    </svg>
  );
}

type Drawing = (title: string, detailed: boolean) => ReactNode;

/** By the environment's id and, for the grid worlds that share one, the scenario's title. */
const DRAWINGS: readonly (readonly [RegExp, Drawing])[] = [
  [/cart-?pole/, drawCartPole],
  [/mountain-?car/, drawMountainCar],
  [/acrobot/, drawAcrobot],
  [/pendulum/, drawPendulum],
  [/bandit/, drawBandit],
  [/lake.*8.?[x×].?8/, (_, detailed) => drawLake(LAKE_8, detailed)],
  [/lake/, (_, detailed) => drawLake(LAKE_4, detailed)],
  [/cliff/, () => drawGrid(CLIFF, 11)],
  [/door/, () => drawGrid(DOOR_KEY, 15)],
  [/lava/, () => drawGrid(LAVA_GAP, 13)],
  [/room/, () => drawGrid(FOUR_ROOMS, 8.2)],
  [/empty/, () => drawGrid(EMPTY, 15)],
];

const LAKE_4 = ['SFFF', 'FHFH', 'FFFH', 'HFFG'];
const LAKE_8 = ['SFFFFFFF', 'FFFFFFFF', 'FFFHFFFF', 'FFFFFHFF', 'FFFHFFFF', 'FHHFFFHF', 'FHFFHFHF', 'FFFHFFFG'];
const CLIFF = ['............', '............', '............', '>~~~~~~~~~~G'];
const DOOR_KEY = ['######', '#>.#.#', '#..D.#', '#..#.#', '#.k#G#', '######'];
const LAVA_GAP = ['#######', '#>.~..#', '#..~..#', '#.....#', '#..~..#', '#..~.G#', '#######'];
const EMPTY = ['######', '#>...#', '#....#', '#....#', '#...G#', '######'];
const FOUR_ROOMS = [
  '###########',
  '#....#....#',
  '#.>..#....#',
  '#.........#',
  '#....#....#',
  '#.####.####',
  '#....#....#',
  '#....#..G.#',
  '#.........#',
  '#....#....#',
  '###########',
];

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

function drawLake(rows: readonly string[], detailed: boolean): ReactNode {
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
        {detailed && !'HG'.includes(kind) && <Solution x={x} y={y} side={side - 0.8} value={value} action={best} step={step} />}
        {detailed && kind === 'G' && <path d={`M${x + side * 0.35} ${y + side * 0.75}v${-side * 0.5}l${side * 0.34} ${side * 0.15}l${-side * 0.34} ${side * 0.15}`} fill="none" stroke="var(--ok)" />}
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
  const centre = { x: x + side * 0.55, y: y + side * 0.66 };
  const reach = side * 0.2;
  const tip = { x: centre.x + dx * reach, y: centre.y + dy * reach };
  const barb = side * 0.12;
  return (
    <>
      <text x={x + 0.8} y={y + 4.4} fill={ink} className="thumbnail-value">
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

const GROUND: Readonly<Record<string, string>> = { '#': 'var(--w-wall)', '~': 'var(--w-lava)', G: 'var(--w-goal)', D: 'var(--w-door)' };

function drawGrid(rows: readonly string[], side: number): ReactNode {
  const width = (rows[0]?.length ?? 0) * side;
  const left = (160 - width) / 2;
  const top = (92 - rows.length * side) / 2;
  return rows.flatMap((row, y) =>
    [...row].map((kind, x) => {
      const at = { x: left + x * side, y: top + y * side };
      const centre = { x: at.x + side / 2 - 0.4, y: at.y + side / 2 - 0.4 };
      return (
        // biome-ignore lint/suspicious/noArrayIndexKey: the cells of a map do not move.
        <g key={`${x} ${y}`}>
          <rect x={at.x} y={at.y} width={side - 0.8} height={side - 0.8} rx={1.2} fill={GROUND[kind] ?? 'var(--w-floor)'} />
          {kind === '>' && <path d={`M${centre.x - side * 0.26} ${centre.y - side * 0.3}l${side * 0.56} ${side * 0.3}l${-side * 0.56} ${side * 0.3}z`} fill="var(--w-agent)" />}
          {kind === 'k' && (
            <g fill="none" stroke="var(--w-key)" strokeWidth={1.8}>
              <circle cx={centre.x - 2.6} cy={centre.y} r={2.4} />
              <path d={`M${centre.x} ${centre.y}h5.4v2.4M${centre.x + 3} ${centre.y}v2`} />
            </g>
          )}
        </g>
      );
    }),
  );
}

function drawCartPole(): ReactNode {
  return (
    <>
      <path d="M4 73h152" stroke="var(--line-strong)" />
      <rect x={60} y={61} width={38} height={17} rx={2} fill="var(--series-1)" />
      <circle cx={69} cy={80} r={4} fill="var(--ink-3)" />
      <circle cx={89} cy={80} r={4} fill="var(--ink-3)" />
      <path d="M79 62l13-48" stroke="var(--series-2)" strokeWidth={6} strokeLinecap="round" />
      <circle cx={79} cy={62} r={4} fill="var(--surface)" />
    </>
  );
}

function drawMountainCar(): ReactNode {
  // Gymnasium's hill: height = 0.45 sin(3x) + 0.55, x from −1.2 to 0.6.
  const hill = Array.from({ length: 61 }, (_, index) => {
    const x = -1.2 + index * 0.03;
    return `${(10 + index * (140 / 60)).toFixed(1)} ${(84 - (0.45 * Math.sin(3 * x) + 0.55) * 66).toFixed(1)}`;
  });
  return (
    <>
      <path d={`M${hill.join('L')}`} fill="none" stroke="var(--line-strong)" strokeWidth={2} />
      <path d="M142 24V4l-13 5 13 5" fill="none" stroke="var(--ok)" strokeWidth={2} />
      <g transform="translate(54 72) rotate(12)">
        <rect x={-10} y={-9} width={20} height={9} rx={2} fill="var(--series-1)" />
        <circle cx={-5} cy={1} r={3} fill="var(--ink-3)" />
        <circle cx={5} cy={1} r={3} fill="var(--ink-3)" />
      </g>
    </>
  );
}

function drawAcrobot(): ReactNode {
  return (
    <>
      <path d="M20 20h120" stroke="var(--series-ref)" strokeDasharray="1 4" strokeLinecap="round" strokeWidth={1.6} />
      <path d="M80 46l20 26" stroke="var(--series-1)" strokeWidth={6} strokeLinecap="round" />
      <path d="M100 72l27-19" stroke="var(--series-2)" strokeWidth={6} strokeLinecap="round" />
      <circle cx={80} cy={46} r={4.5} fill="var(--ink-3)" />
      <circle cx={100} cy={72} r={3.5} fill="var(--surface)" />
    </>
  );
}

function drawPendulum(): ReactNode {
  return (
    <>
      <circle cx={80} cy={50} r={38} fill="none" stroke="var(--line)" strokeWidth={1.5} />
      <path d="M80 50l17-33" stroke="var(--series-2)" strokeWidth={8} strokeLinecap="round" />
      <circle cx={80} cy={50} r={4} fill="var(--ink-3)" />
      <path d="M56 66a30 30 0 0 1-4-27m-5 7l5-7 7 5" fill="none" stroke="var(--series-1)" strokeWidth={2} />
    </>
  );
}

function drawBandit(): ReactNode {
  const heights = [22, 38, 14, 62, 30, 46, 18, 34, 50, 26];
  return heights.map((height, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the arms do not move.
    <g key={index}>
      <rect x={22 + index * 12} y={80 - height} width={9} height={height} rx={1} fill={index === 3 ? 'var(--series-1)' : 'var(--seq-3)'} />
      {index === 3 && <path d="M62.500 4l3.500 6h-7z" fill="var(--w-agent)" />}
    </g>
  ));
}

function drawUnknown(title: string): ReactNode {
  return (
    <text x={80} y={54} textAnchor="middle" className="thumbnail-title">
      {title}
    </text>
  );
}
