/** The grid world: MiniGrid's levels, or a map of your own. */
import { type GridSettings, gridWorld } from '../../../kernels/environment/grid/grid';
import {
  customLevel,
  DOOR_KEY,
  EMPTY_ROOM,
  FOUR_ROOMS,
  type GridLevel,
  LAVA_GAP,
} from '../../../kernels/environment/grid/levels';
import { canEnter, colourOf, EMPTY, OBJECT, objectOf, stateOf } from '../../../kernels/environment/grid/objects';
import { GridState, type Place } from '../../../kernels/environment/grid/state';
import { type GridEncoding, type GridView, partialView } from '../../../kernels/environment/grid/view';
import { type AnyParameters, checkParameters, type Parameters, type Problem, type Schema } from '../parameters';
import type { GridCell, View } from '../view';
import type { Built, ControlEnvironment, EnvironmentInstance, Probes } from './environment';
import { GRID_MAP_HELP, hasEmptyCell, parseGridMap } from './grid-map';

const schema = {
  level: {
    kind: 'choice',
    label: 'Level',
    default: 'empty',
    options: [
      { value: 'empty', label: 'Empty', help: 'A room with the goal in the far corner.' },
      { value: 'doorkey', label: 'DoorKey', help: 'Fetch the key, open the door, reach the goal.' },
      { value: 'lavagap', label: 'LavaGap', help: 'Pass through the one gap in a strip of lava.' },
      { value: 'fourrooms', label: 'FourRooms', help: 'Four rooms joined by gaps; agent and goal anywhere.' },
      { value: 'custom', label: 'Custom', help: 'Your own map.' },
    ],
    help: 'What must be done. All but a custom level are drawn anew each episode, as in MiniGrid.',
  },
  size: {
    kind: 'number',
    label: 'Size',
    default: 0,
    min: 0,
    max: 25,
    integer: true,
    unit: 'cells',
    help: 'Cells a side, walls included; larger is harder to explore. 0: the usual size of the level (a custom map has its own).',
  },
  start: {
    kind: 'choice',
    label: 'Start',
    default: 'level',
    options: [
      { value: 'level', label: 'As the level has it' },
      { value: 'random', label: 'Anywhere' },
    ],
    help: 'Anywhere: on any empty cell, looking anywhere, which shows the policy more of the level. DoorKey and FourRooms always draw it.',
  },
  view: {
    kind: 'choice',
    label: 'View',
    default: 'partial',
    options: [
      {
        value: 'partial',
        label: '7×7 ahead',
        help: 'Walls and shut doors block sight; in Empty MiniGrid lets the agent see through.',
      },
      { value: 'full', label: 'Whole grid', help: 'Nothing is hidden; the observation grows with the grid.' },
    ],
    help: 'How much of the grid the policy sees. What it does not see it must search for.',
  },
  encoding: {
    kind: 'choice',
    label: 'Encoding',
    default: 'objects',
    options: [
      { value: 'objects', label: 'One number a kind of object', help: '1 where it is, else 0: easy to learn from.' },
      {
        value: 'raw',
        label: "MiniGrid's own numbers",
        help: 'Object, colour and state, scaled: an MLP must untangle them.',
      },
    ],
    help: 'How each cell becomes numbers for the policy.',
  },
  mask: {
    kind: 'flag',
    label: 'Forbid useless actions',
    default: false,
    help: 'Actions that would change nothing (walking into a wall, picking up air) are masked out: far fewer steps to explore.',
  },
  maxSteps: {
    kind: 'number',
    label: 'Time limit',
    default: 0,
    min: 0,
    max: 100_000,
    integer: true,
    unit: 'steps',
    help: 'An episode is truncated after so many steps, and the reward falls towards it. 0: the level’s own.',
  },
  map: {
    kind: 'text',
    label: 'Map',
    default: '#######\n#>..#.#\n#...D.#\n#K..#G#\n#######',
    maxLength: 4000,
    help: GRID_MAP_HELP,
  },
} satisfies Schema;

interface LevelFacts {
  readonly level: GridLevel;
  readonly usualSize: number;
  readonly smallest: number;
  /** MiniGrid's max_steps. */
  readonly maxSteps: (cells: number) => number;
}
const LEVELS: Readonly<Record<string, LevelFacts>> = {
  empty: { level: EMPTY_ROOM, usualSize: 8, smallest: 5, maxSteps: (cells) => 4 * cells },
  doorkey: { level: DOOR_KEY, usualSize: 8, smallest: 5, maxSteps: (cells) => 10 * cells },
  lavagap: { level: LAVA_GAP, usualSize: 7, smallest: 5, maxSteps: (cells) => 4 * cells },
  fourrooms: { level: FOUR_ROOMS, usualSize: 19, smallest: 7, maxSteps: () => 100 },
};
const MOST_OBSERVED = 4096;

export const minigrid: ControlEnvironment<typeof schema> = {
  id: 'minigrid',
  title: 'Grid world (MiniGrid)',
  summary: 'An agent in a grid of rooms, doors, keys and lava that must reach the goal.',
  formula: 'reward 1 - 0.9 step / time limit at the goal, else 0',
  source: 'Farama-Foundation/Minigrid minigrid/minigrid_env.py, minigrid/envs',
  parameters: schema,
  build(given: AnyParameters, path: string): Built {
    const { parameters, problems } = checkParameters(schema, given, path);
    if (problems.length > 0) return { problems };
    const planned = plan(parameters, path);
    if ('problems' in planned) return planned;
    return { instance: instanceOf(planned) };
  },
};

/** Parameters to the settings of the program, or why they do not go together. */
function plan(parameters: Parameters<typeof schema>, path: string): GridSettings | { problems: readonly Problem[] } {
  const choices = {
    randomStart: parameters.start === 'random',
    view: parameters.view as GridView,
    encoding: parameters.encoding as GridEncoding,
    mask: parameters.mask,
    // MiniGrid's Empty has see_through_walls set, for speed; there is nothing to hide behind.
    seeThrough: parameters.level === 'empty',
  };
  const facts = LEVELS[parameters.level];
  if (facts === undefined) return planCustom(parameters, choices, path);
  const side = parameters.size || facts.usualSize;
  const problems: Problem[] = [];
  if (side < facts.smallest)
    problems.push({
      path: `${path}.size`,
      message: `must be 0 or at least ${facts.smallest} in this level, not ${side}`,
    });
  if (facts.level === FOUR_ROOMS && side % 2 === 0)
    problems.push({
      path: `${path}.size`,
      message: `must be odd in FourRooms, so that its walls cross in the middle, not ${side}`,
    });
  if (problems.length > 0) return { problems };
  return {
    ...choices,
    level: facts.level,
    width: side,
    height: side,
    maxSteps: parameters.maxSteps || facts.maxSteps(side * side),
  };
}

type Choices = Pick<GridSettings, 'randomStart' | 'view' | 'encoding' | 'mask' | 'seeThrough'>;

function planCustom(
  parameters: Parameters<typeof schema>,
  choices: Choices,
  path: string,
): GridSettings | { problems: readonly Problem[] } {
  const parsed = parseGridMap(parameters.map, `${path}.map`);
  const problems: Problem[] = 'problems' in parsed ? parsed.problems : [];
  if (parameters.size !== 0)
    problems.push({ path: `${path}.size`, message: 'must be 0 with a custom map, which has its own size' });
  if (!('layout' in parsed) || problems.length > 0) return { problems };
  const { layout } = parsed;
  const { width, height } = layout;
  const randomStart = choices.randomStart || layout.agent === undefined;
  if (randomStart && !hasEmptyCell(layout))
    return { problems: [{ path: `${path}.map`, message: 'has no empty cell (.) to start anywhere' }] };
  const settings = {
    ...choices,
    randomStart,
    level: customLevel(layout),
    width,
    height,
    maxSteps: parameters.maxSteps || 4 * width * height,
  };
  const observed = gridWorld(settings).observationSize;
  if (observed <= MOST_OBSERVED) return settings;
  const message = `the observation would have ${observed} numbers, more than ${MOST_OBSERVED}: choose the 7×7 view, fewer kinds of objects or a smaller map`;
  return { problems: [{ path: `${path}.view`, message }] };
}

/** The world of complete settings; also for layouts that come from elsewhere, such as golden vectors. */
export function instanceOf(settings: GridSettings): EnvironmentInstance {
  return {
    program: gridWorld(settings),
    view: (state) => gridView(state, settings),
    probes: (state) => gridProbes(state, settings),
  };
}

function gridView(state: Float32Array, { width, height, view, seeThrough }: GridSettings): View {
  const grid = new GridState(width, height, state);
  const [x, y] = grid.agent;
  const cells = Array.from({ length: width * height }, (_, i) =>
    gridCell(grid.cell([i % width, Math.floor(i / width)])),
  );
  const picture = {
    kind: 'grid',
    width,
    height,
    cells,
    agent: { x, y, direction: grid.direction },
    carrying: grid.carried === EMPTY ? null : gridCell(grid.carried),
  } as const;
  if (view === 'full') return picture;
  const seen = partialView(grid, seeThrough).filter(
    ({ at, cell }) => grid.contains(at) && objectOf(cell) !== OBJECT.unseen,
  );
  return { ...picture, visible: seen.map(({ at }) => at[1] * width + at[0]) };
}

function gridCell(cell: number): GridCell {
  return { object: objectOf(cell), colour: colourOf(cell), state: stateOf(cell) };
}

/** The same world with the agent in each cell where it could act, looking the way it looks now. */
function gridProbes(state: Float32Array, { width, height }: GridSettings): Probes {
  const now = new GridState(width, height, state);
  const cells = Array.from({ length: width * height }, (_, i) => i).filter((i) => {
    const cell = now.cell([i % width, Math.floor(i / width)]);
    return canEnter(cell) && objectOf(cell) !== OBJECT.goal && objectOf(cell) !== OBJECT.lava;
  });
  const rows = new Float32Array(cells.length * state.length);
  for (const [probe, cell] of cells.entries()) {
    rows.set(state, probe * state.length);
    new GridState(width, height, rows, probe * state.length).agent = [cell % width, Math.floor(cell / width)];
  }
  // A turn points where the agent would look; what moves nothing has no direction.
  const [dx, dy] = now.heading;
  const turned: Place[] = [
    [dy, -dx],
    [-dy, dx],
    [dx, dy],
  ];
  return { rows, cells, width, height, directions: [...turned, null, null, null, null] };
}
