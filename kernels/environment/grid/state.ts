/** One copy's state of the grid world, as grid.wgsl lays it out, with the words' names and the building blocks of level.wgsl. */
import type { Random } from '../../random/threefry';
import { EMPTY, GOAL, WALL } from './objects';

export const CELLS_START = 6;
const [AGENT_X, AGENT_Y, DIRECTION, CARRIED, GOAL_X, GOAL_Y] = [0, 1, 2, 3, 4, 5];

export type Place = readonly [x: number, y: number];

const HEADINGS: readonly Place[] = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
];

/** A view on `state[s] …`: reading and writing go to the array. */
export class GridState {
  constructor(
    readonly width: number,
    readonly height: number,
    private readonly words: Float32Array,
    private readonly start = 0,
  ) {}

  get agent(): Place {
    return [this.words[this.start + AGENT_X], this.words[this.start + AGENT_Y]];
  }
  set agent([x, y]: Place) {
    this.words[this.start + AGENT_X] = x;
    this.words[this.start + AGENT_Y] = y;
  }
  get direction(): number {
    return this.words[this.start + DIRECTION];
  }
  set direction(direction: number) {
    this.words[this.start + DIRECTION] = direction;
  }
  get carried(): number {
    return this.words[this.start + CARRIED];
  }
  set carried(cell: number) {
    this.words[this.start + CARRIED] = cell;
  }
  get goal(): Place {
    return [this.words[this.start + GOAL_X], this.words[this.start + GOAL_Y]];
  }
  set goal([x, y]: Place) {
    this.words[this.start + GOAL_X] = x;
    this.words[this.start + GOAL_Y] = y;
  }

  get heading(): Place {
    return HEADINGS[this.direction];
  }
  get front(): Place {
    const [[x, y], [dx, dy]] = [this.agent, this.heading];
    return [x + dx, y + dy];
  }
  /** Cells between the agent and the goal, along the axes. */
  get goalDistance(): number {
    const [[x, y], [goalX, goalY]] = [this.agent, this.goal];
    return Math.abs(x - goalX) + Math.abs(y - goalY);
  }

  contains([x, y]: Place): boolean {
    return x >= 0 && y >= 0 && x < this.width && y < this.height;
  }
  /** Outside the grid everything is wall, as in MiniGrid's views. */
  cell(at: Place): number {
    return this.contains(at) ? this.words[this.indexOf(at)] : WALL;
  }
  setCell(at: Place, cell: number): void {
    this.words[this.indexOf(at)] = cell;
  }
  private indexOf([x, y]: Place): number {
    return this.start + CELLS_START + y * this.width + x;
  }

  /** Walls around the whole grid, empty within; no agent yet, nothing carried. */
  buildRoom(): void {
    for (let y = 0; y < this.height; y++) {
      for (let x = 0; x < this.width; x++) {
        const edge = x === 0 || y === 0 || x === this.width - 1 || y === this.height - 1;
        this.setCell([x, y], edge ? WALL : EMPTY);
      }
    }
    this.agent = [-1, -1];
    this.direction = 0;
    this.carried = EMPTY;
  }

  /** `length` equal cells from `at` on, in steps of `by`. */
  buildLine([x, y]: Place, [dx, dy]: Place, length: number, cell: number): void {
    for (let i = 0; i < length; i++) this.setCell([x + i * dx, y + i * dy], cell);
  }

  placeGoal(at: Place): void {
    this.setCell(at, GOAL);
    this.goal = at;
  }

  placeAgentAnywhere(size: Place, random: Random): void {
    this.agent = this.freePlace(size, random);
    this.direction = random.below(4);
  }

  /** A place drawn evenly from the empty cells of the top-left rectangle of this size, the agent's own excepted. */
  freePlace([width, height]: Place, random: Random): Place {
    const free: Place[] = [];
    const [agentX, agentY] = this.agent;
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        if (this.cell([x, y]) === EMPTY && (x !== agentX || y !== agentY)) free.push([x, y]);
      }
    }
    return free[random.below(free.length)] ?? [0, 0];
  }
}
