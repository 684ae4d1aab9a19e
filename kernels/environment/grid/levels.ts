/** The levels of the grid world: how each lays out its grid, drawn anew each episode. The twins of level-*.wgsl. */
import { wgsl } from '../../kernel';
import type { Random } from '../../random/threefry';
import { wgslConstants } from '../constants';
import customCode from './level-custom.wgsl?raw';
import doorKeyCode from './level-doorkey.wgsl?raw';
import emptyCode from './level-empty.wgsl?raw';
import fourRoomsCode from './level-fourrooms.wgsl?raw';
import lavaGapCode from './level-lavagap.wgsl?raw';
import { COLOUR, cellOf, DOOR, EMPTY, GOAL, LAVA, OBJECT, objectOf, WALL } from './objects';
import type { GridState, Place } from './state';

export interface GridLevel {
  readonly id: string;
  readonly wgsl: string;
  /** What can be seen in it beside empty cells, for the encoding by objects; a box's content too. */
  readonly cells: readonly number[];
  /** Constants that the layout needs, after the encoding's own table. */
  readonly table: readonly number[];
  reset(grid: GridState, random: Random, randomStart: boolean): void;
}

const YELLOW_KEY = cellOf(OBJECT.key, COLOUR.yellow);
const YELLOW_LOCKED_DOOR = cellOf(OBJECT.door, COLOUR.yellow, DOOR.locked);

/** Uniform integer in [low, high). */
function between(random: Random, low: number, high: number): number {
  return low + random.below(high - low);
}

function startAgent(grid: GridState, random: Random, randomStart: boolean): void {
  if (randomStart) grid.placeAgentAnywhere([grid.width, grid.height], random);
  else grid.agent = [1, 1];
}

export const EMPTY_ROOM: GridLevel = {
  id: 'empty',
  wgsl: emptyCode,
  cells: [WALL, GOAL],
  table: [],
  reset(grid, random, randomStart) {
    grid.buildRoom();
    grid.placeGoal([grid.width - 2, grid.height - 2]);
    startAgent(grid, random, randomStart);
  },
};

export const DOOR_KEY: GridLevel = {
  id: 'doorkey',
  wgsl: doorKeyCode,
  cells: [WALL, YELLOW_LOCKED_DOOR, YELLOW_KEY, GOAL],
  table: [],
  reset(grid, random) {
    grid.buildRoom();
    grid.placeGoal([grid.width - 2, grid.height - 2]);
    const split = between(random, 2, grid.width - 2);
    grid.buildLine([split, 0], [0, 1], grid.height, WALL);
    const left: Place = [split, grid.height];
    grid.placeAgentAnywhere(left, random);
    grid.setCell([split, between(random, 1, grid.height - 2)], YELLOW_LOCKED_DOOR);
    grid.setCell(grid.freePlace(left, random), YELLOW_KEY);
  },
};

export const LAVA_GAP: GridLevel = {
  id: 'lavagap',
  wgsl: lavaGapCode,
  cells: [WALL, LAVA, GOAL],
  table: [],
  reset(grid, random, randomStart) {
    grid.buildRoom();
    grid.placeGoal([grid.width - 2, grid.height - 2]);
    const gapX = between(random, 2, grid.width - 2);
    const gapY = between(random, 1, grid.height - 1);
    grid.buildLine([gapX, 1], [0, 1], grid.height - 2, LAVA);
    grid.setCell([gapX, gapY], EMPTY);
    startAgent(grid, random, randomStart);
  },
};

export const FOUR_ROOMS: GridLevel = {
  id: 'fourrooms',
  wgsl: fourRoomsCode,
  cells: [WALL, GOAL],
  table: [],
  reset(grid, random) {
    grid.buildRoom();
    const [centreX, centreY] = [Math.floor(grid.width / 2), Math.floor(grid.height / 2)];
    grid.buildLine([centreX, 0], [0, 1], grid.height, WALL);
    grid.buildLine([0, centreY], [1, 0], grid.width, WALL);
    grid.setCell([centreX, between(random, 1, centreY)], EMPTY);
    grid.setCell([centreX, between(random, centreY + 1, 2 * centreY)], EMPTY);
    grid.setCell([between(random, 1, centreX), centreY], EMPTY);
    grid.setCell([between(random, centreX + 1, 2 * centreX), centreY], EMPTY);
    grid.placeAgentAnywhere([grid.width, grid.height], random);
    grid.placeGoal(grid.freePlace([grid.width, grid.height], random));
  },
};

/** A level whose layout is given, the same in every episode. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  /** Row-major, `cells[y * width + x]`. */
  readonly cells: readonly number[];
  /** Absent: the agent starts anywhere. */
  readonly agent?: { readonly at: Place; readonly direction: number };
}

/** Where the custom level's layout starts in the tables: after the 256 entries of the encoding. */
export const LAYOUT_START = 256;

export function customLevel(layout: Layout): GridLevel {
  const { width, cells, agent } = layout;
  const goalIndex = cells.findIndex((cell) => objectOf(cell) === OBJECT.goal);
  const goal: Place = goalIndex < 0 ? [-1, -1] : [goalIndex % width, Math.floor(goalIndex / width)];
  const [agentX, agentY] = agent?.at ?? [-1, -1];
  return {
    id: 'custom',
    wgsl: wgsl(wgslConstants({}, { layout: LAYOUT_START }), customCode),
    cells,
    table: [agentX, agentY, agent?.direction ?? 0, ...goal, ...cells],
    reset(grid, random, randomStart) {
      for (const [i, cell] of cells.entries()) grid.setCell([i % width, Math.floor(i / width)], cell);
      grid.agent = [agentX, agentY];
      grid.direction = agent?.direction ?? 0;
      grid.carried = EMPTY;
      grid.goal = goal;
      if (!randomStart) return;
      grid.agent = [-1, -1];
      grid.placeAgentAnywhere([grid.width, grid.height], random);
    },
  };
}
