/**
 * What can lie in a cell of the grid world, in MiniGrid's numbers (minigrid/core/constants.py), and
 * how each object behaves (minigrid/core/world_object.py). The twin of grid.wgsl.
 *
 * A cell is one whole number: object + 16 colour + 256 state + 4096 content, the content being what a
 * box holds (object + 16 colour, 0 for nothing). It stays below 2^24, so float32 keeps it exactly.
 */

export const OBJECT = {
  unseen: 0,
  empty: 1,
  wall: 2,
  floor: 3,
  door: 4,
  key: 5,
  ball: 6,
  box: 7,
  goal: 8,
  lava: 9,
  agent: 10,
} as const;
export const COLOUR = { red: 0, green: 1, blue: 2, purple: 3, yellow: 4, grey: 5 } as const;
export const DOOR = { open: 0, closed: 1, locked: 2 } as const;
export const ACTION_NAMES = ['turn left', 'turn right', 'forward', 'pick up', 'drop', 'toggle', 'done'] as const;

export function cellOf(object: number, colour = 0, state = 0, content = 0): number {
  return object + 16 * colour + 256 * state + 4096 * content;
}
export const objectOf = (cell: number): number => cell & 15;
export const colourOf = (cell: number): number => (cell >> 4) & 15;
export const stateOf = (cell: number): number => (cell >> 8) & 15;
export const contentOf = (cell: number): number => cell >> 12;

export const EMPTY = cellOf(OBJECT.empty);
export const WALL = cellOf(OBJECT.wall, COLOUR.grey);
export const GOAL = cellOf(OBJECT.goal, COLOUR.green);
export const LAVA = cellOf(OBJECT.lava, COLOUR.red);

function isShutDoor(cell: number): boolean {
  return objectOf(cell) === OBJECT.door && stateOf(cell) !== DOOR.open;
}

export function canEnter(cell: number): boolean {
  const object = objectOf(cell);
  if (object === OBJECT.door) return !isShutDoor(cell);
  return object === OBJECT.empty || object === OBJECT.floor || object === OBJECT.goal || object === OBJECT.lava;
}

export function canPickUp(cell: number): boolean {
  const object = objectOf(cell);
  return object === OBJECT.key || object === OBJECT.ball || object === OBJECT.box;
}

export function canSeePast(cell: number): boolean {
  return objectOf(cell) !== OBJECT.wall && !isShutDoor(cell);
}

/** The cell after toggling it while carrying `carried`; the same cell where toggling does nothing. */
export function toggled(cell: number, carried: number): number {
  if (objectOf(cell) === OBJECT.box) return contentOf(cell) === 0 ? EMPTY : contentOf(cell);
  if (objectOf(cell) !== OBJECT.door) return cell;
  const hasKey = objectOf(carried) === OBJECT.key && colourOf(carried) === colourOf(cell);
  if (stateOf(cell) === DOOR.locked && !hasKey) return cell;
  return cellOf(OBJECT.door, colourOf(cell), stateOf(cell) === DOOR.open ? DOOR.closed : DOOR.open);
}
