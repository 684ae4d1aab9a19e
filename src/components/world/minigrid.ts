/**
 * MiniGrid's numbers as words, marks and colours (minigrid/core/constants.py): what the grid view
 * draws and what its text twin says. Colour is never alone: each one has a letter.
 */
import type { GridCell } from '../../engine/view';

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

const OBJECT_NAMES = ['unseen', 'floor', 'wall', 'floor', 'door', 'key', 'ball', 'box', 'goal', 'lava', 'agent'];

export const DOOR = { open: 0, closed: 1, locked: 2 } as const;
const DOOR_NAMES = ['open', 'closed', 'locked'];

/** COLOR_TO_IDX; `class` names the colour in world.css. */
export const COLOURS = [
  { name: 'red', letter: 'R' },
  { name: 'green', letter: 'G' },
  { name: 'blue', letter: 'B' },
  { name: 'purple', letter: 'P' },
  { name: 'yellow', letter: 'Y' },
  { name: 'grey', letter: 'E' },
] as const;

/** DIR_TO_VEC as words; 0 points right, and each next one a quarter turn clockwise. */
export const DIRECTIONS = ['right', 'down', 'left', 'up'] as const;

export function colourName(cell: GridCell): string {
  return COLOURS[cell.colour]?.name ?? 'grey';
}

/** "yellow door, locked", "blue key", "goal", "wall". */
export function cellName(cell: GridCell): string {
  const name = OBJECT_NAMES[cell.object] ?? 'unknown';
  switch (cell.object) {
    case OBJECT.door:
      return `${colourName(cell)} door, ${DOOR_NAMES[cell.state] ?? 'closed'}`;
    case OBJECT.key:
    case OBJECT.ball:
    case OBJECT.box:
      return `${colourName(cell)} ${name}`;
    default:
      return name;
  }
}

/** Cells on which something lies that a person should hear of. */
export function isObject(cell: GridCell): boolean {
  return cell.object >= OBJECT.door && cell.object <= OBJECT.lava;
}
