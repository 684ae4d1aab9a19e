/**
 * A still of a world for a scenario's card: cheap, without the engine. The same drawings as in the
 * panel for the control tasks; boards from a map of characters.
 */

import { COLOURS, DOOR, OBJECT } from './minigrid';
import { AcrobotScene } from './scenes/acrobot';
import { BanditScene } from './scenes/bandit';
import { CartPoleScene } from './scenes/cartpole';
import { MountainCarScene } from './scenes/mountain-car';
import { GridObject, OBJECT_SIDE } from './scenes/objects';
import { PendulumScene } from './scenes/pendulum';
import './world.css';

export interface WorldThumbnailProps {
  /** Id of the environment, such as `cartpole` or `minigrid`. */
  readonly environment: string;
  /** Its parameters: words among them (`level`, `map`) choose the drawing. */
  readonly parameters?: Readonly<Record<string, unknown>>;
}

const WIDTH = 200;
const HEIGHT = 100;
const SMALL = { width: WIDTH, height: HEIGHT, large: false, push: null };

/**
 * Characters: # wall, . floor, S start, G goal, H hole, L lava, D locked door, K key, A agent (facing
 * right), 0–8 a step of the value ramp, R Y B P the stops of Taxi.
 */
const MAPS = {
  frozenLake8: ['33344444', '33344445', '333H3455', '33212H55', '221H2346', '2HH012H6', '2H00H2H7', '211H246G'],
  frozenLake4: ['4444', '5H3H', '555H', 'H67G'],
  cliff: ['............', '............', '............', 'ALLLLLLLLLLG'],
  taxi: ['R...Y', '.....', '.A...', '.....', 'P..B.'],
  doorKey: ['######', '#A.#.#', '#..D.#', '#..#.#', '#.K#G#', '######'],
  lavaGap: ['#######', '#A.L..#', '#..L..#', '#.....#', '#..L..#', '#..L.G#', '#######'],
  fourRooms: [
    '###########',
    '#....#....#',
    '#.A..#....#',
    '#.........#',
    '#....#....#',
    '##.####.###',
    '#....#....#',
    '#....#..G.#',
    '#.........#',
    '#....#....#',
    '###########',
  ],
  empty: ['######', '#A...#', '#....#', '#....#', '#...G#', '######'],
  mdp: ['2345', '1#46', '0357', '012G'],
} as const satisfies Record<string, readonly string[]>;

export function WorldThumbnail({ environment, parameters = {} }: WorldThumbnailProps) {
  const words = [environment, ...Object.values(parameters).filter((value) => typeof value === 'string')]
    .join(' ')
    .toLowerCase();
  const has = (pattern: RegExp) => pattern.test(words);
  return (
    <svg className="world-thumbnail" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      {draw()}
    </svg>
  );

  function draw() {
    const lines = Object.hasOwn(LINES, environment) ? LINES[environment] : undefined;
    if (lines !== undefined) return <TextThumbnail lines={lines} />;
    if (has(/cart.?pole/)) return <CartPoleScene view={{ kind: 'cartpole', position: 0.15, angle: 0.21 }} {...SMALL} />;
    if (has(/mountain/))
      return <MountainCarScene view={{ kind: 'mountain-car', position: -0.85, goal: 0.5 }} {...SMALL} />;
    if (has(/acrobot/)) return <AcrobotScene view={{ kind: 'acrobot', angles: [2.2, 0.9] }} before={[]} {...SMALL} />;
    if (has(/pendulum/)) return <PendulumScene view={{ kind: 'pendulum', angle: 0.45, torque: 0 }} {...SMALL} />;
    if (has(/bandit/)) {
      const means = [0.25, 0.5, 0.35, 0.8, 0.15, 0.6, 0.4];
      return <BanditScene view={{ kind: 'bandit', means, lastArm: 3, lastReward: 0.55 }} pulls={[]} {...SMALL} />;
    }
    return <MapThumbnail map={chooseMap()} />;
  }

  function chooseMap(): readonly string[] {
    if (has(/frozen|lake/)) return has(/8\s*[x×]\s*8/) ? MAPS.frozenLake8 : MAPS.frozenLake4;
    if (has(/cliff/)) return MAPS.cliff;
    if (has(/taxi/)) return MAPS.taxi;
    if (has(/door|key/)) return MAPS.doorKey;
    if (has(/lava/)) return MAPS.lavaGap;
    if (has(/four|room/)) return MAPS.fourRooms;
    if (has(/mdp|table/)) return MAPS.mdp;
    return MAPS.empty;
  }
}

/** Episodes of worlds of tokens as chips: a word, and whose it is (call, observation, answer, thought). */
const LINES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'mini-kg': [
    ['SEARCH c', 'Ada c', 'friend c'],
    ['DOC o', 'Ben o', 'EOD o'],
    ['ANS a', 'Ben a'],
  ],
  'world-kg': [
    ['SEARCH c', 'Luanda c', 'country c'],
    ['DOC o', 'Angola o', 'EOD o'],
    ['ANS a', 'Angola a'],
  ],
  'calc-tool': [
    ['1 o', '∘ o', '9 o', '⋆ o', '0 o'],
    ['CALL c', '1 c', '∘ c', '9 c'],
    ['RES o', '3 o'],
    ['ANS a', '9 a'],
  ],
  'verifier-table': [
    ['Q65 o', 'a28 a'],
    ['Q7 o', 'a3 a'],
    ['Q12 o', 'a41 a'],
  ],
  'verifier-password': [
    ['Q1 o', 'K a', 'E a', 'Y a'],
    ['Q2 o', 'A a', 'X a', 'E a'],
  ],
  'verifier-sum': [
    ['2 o', '7 o', '5 o', '? o'],
    ['ANS a', '4 a', 'END a'],
  ],
  'verifier-filler': [
    ['Q1 o', 'HM t', 'WELL t', 'HM t'],
    ['WELL t', 'HM t', 'a2 a'],
  ],
  'verifier-preference': [
    ['Q3 o', 'a12 a'],
    ['Q3 o', 'a7 a'],
  ],
};

const CHIPS: Readonly<Record<string, string>> = { c: 'call', o: 'observation', a: 'answer', t: 'thought' };
const CHIP = { height: 18, letter: 7.2, padding: 10, gap: 4, line: 24 };

function TextThumbnail({ lines }: { readonly lines: readonly (readonly string[])[] }) {
  return (
    <g>
      {placeChips(lines).map(({ word, voice, x, y, width }) => (
        <g key={`${x},${y}`} transform={`translate(${x} ${y})`} className={`world-chip ${CHIPS[voice]}`}>
          <rect width={width} height={CHIP.height} rx={2} />
          {voice !== 'o' && <path d={`M1.5 0V${CHIP.height}`} />}
          <text x={width / 2 + 1} y={13} textAnchor="middle">
            {word}
          </text>
        </g>
      ))}
    </g>
  );
}

function placeChips(lines: readonly (readonly string[])[]) {
  const top = (HEIGHT - lines.length * CHIP.line + CHIP.line - CHIP.height) / 2;
  return lines.flatMap((line, row) => {
    let x = 14;
    return line.map((chip) => {
      const [word = '', voice = ''] = chip.split(' ');
      const width = word.length * CHIP.letter + CHIP.padding;
      const placed = { word, voice, width, x, y: top + row * CHIP.line };
      x += width + CHIP.gap;
      return placed;
    });
  });
}

function MapThumbnail({ map }: { readonly map: readonly string[] }) {
  const columns = map[0].length;
  const cell = Math.min((WIDTH - 8) / columns, (HEIGHT - 4) / map.length);
  const left = (WIDTH - cell * columns) / 2;
  const top = (HEIGHT - cell * map.length) / 2;
  const tiles = map.flatMap((row, y) => [...row].map((mark, x) => ({ mark, x, y })));
  return (
    <g>
      {tiles.map(({ mark, x, y }) => (
        <g
          key={`${x},${y}`}
          transform={`translate(${left + (x + 0.5) * cell} ${top + (y + 0.5) * cell}) scale(${cell / OBJECT_SIDE})`}
        >
          <rect
            className={groundOf(mark)}
            style={/\d/.test(mark) ? { fill: `var(--seq-${mark})` } : undefined}
            x={-21}
            y={-21}
            width={42}
            height={42}
            rx={4}
          />
          <Mark mark={mark} />
        </g>
      ))}
    </g>
  );
}

function groundOf(mark: string): string {
  return { '#': 'world-wall', H: 'world-hole', G: 'world-goal', L: 'world-lava' }[mark] ?? 'world-floor';
}

const YELLOW = COLOURS.findIndex(({ name }) => name === 'yellow');

function Mark({ mark }: { readonly mark: string }) {
  switch (mark) {
    case 'A':
      return <path className="world-agent-body" d="M15 0L-11 13V-13z" />;
    case 'G':
      return <path className="world-goal-flag" d="M-8 13V-12h17l-4 5.5l4 5.5H-8" />;
    case 'L':
      return <path className="world-waves" d="M-16 -6q4 -6 8 0t8 0t8 0t8 0M-16 7q4 -6 8 0t8 0t8 0t8 0" />;
    case 'D':
      return <GridObject cell={{ object: OBJECT.door, colour: YELLOW, state: DOOR.locked }} letter={false} />;
    case 'K':
      return <GridObject cell={{ object: OBJECT.key, colour: YELLOW, state: 0 }} letter={false} />;
    case 'R':
    case 'Y':
    case 'B':
    case 'P':
      return (
        <text className="world-stop" y={11} textAnchor="middle">
          {mark === 'P' ? 'G' : mark}
        </text>
      );
    default:
      return null;
  }
}
