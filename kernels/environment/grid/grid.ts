/** The grid world as a program: MiniGrid's objects, actions and reward over any level; see grid.wgsl. */
import { wgsl } from '../../kernel';
import { programName, wgslConstants } from '../constants';
import type { EnvironmentProgram } from '../program';
import gridCode from './grid.wgsl?raw';
import levelCode from './level.wgsl?raw';
import type { GridLevel } from './levels';
import { ACTION_NAMES, canEnter, canPickUp, EMPTY, OBJECT, objectOf, toggled } from './objects';
import { CELLS_START, GridState } from './state';
import { type GridEncoding, type GridView, gridObserver } from './view';

export interface GridSettings {
  readonly level: GridLevel;
  readonly width: number;
  readonly height: number;
  readonly maxSteps: number;
  /** The agent starts on any empty cell, whatever the level says. */
  readonly randomStart: boolean;
  readonly view: GridView;
  /** Walls do not hide what is behind them (partial view). */
  readonly seeThrough: boolean;
  readonly encoding: GridEncoding;
  /** Actions that would change nothing are not legal. */
  readonly mask: boolean;
}

const ALL_ACTIONS = 0b1111111;

export function gridWorld(settings: GridSettings): EnvironmentProgram {
  const { level, width, height, maxSteps, randomStart, mask } = settings;
  const observer = gridObserver(level.cells, [width, height], settings);
  const { id, ...choices } = { id: level.id, width, height, maxSteps, randomStart, mask };
  const grid = (state: Float32Array, s: number) => new GridState(width, height, state, s);
  return {
    name: programName(`grid-${id}-${settings.view}-${settings.encoding}`, choices, {
      seeThrough: settings.seeThrough,
      cellSize: observer.cellSize,
    }),
    wgsl: wgsl(
      wgslConstants({}, { width, height, maxSteps, randomStart, mask }),
      gridCode,
      observer.wgsl,
      levelCode,
      level.wgsl,
    ),
    stateSize: CELLS_START + width * height,
    observationSize: observer.size,
    action: { kind: 'discrete', count: ACTION_NAMES.length, names: ACTION_NAMES },
    signals: ['reward', 'pickup', 'opened', 'lava', 'bump', 'distance', 'approach', 'success'],
    tables: Float32Array.from([...observer.table, ...level.table]),
    maxSteps,
    masksActions: mask,

    reset: (state, s, random) => level.reset(grid(state, s), random, randomStart),
    step(state, s, actions, a, steps, _random, signal) {
      const world = grid(state, s);
      const before = world.goalDistance;
      const happened = act(world, actions[a]);
      signal[0] = happened.arrived ? 1 - (0.9 * steps) / maxSteps : 0;
      signal[1] = Number(happened.pickedUp);
      signal[2] = Number(happened.opened);
      signal[3] = Number(happened.inLava);
      signal[4] = Number(happened.bumped);
      signal[5] = world.goalDistance;
      signal[6] = before - world.goalDistance;
      signal[7] = Number(happened.arrived);
      return happened.arrived || happened.inLava;
    },
    observe: (state, s, out, o) => observer.observe(grid(state, s), out, o),
    legal: (state, s) => (mask ? usefulActions(grid(state, s)) : ALL_ACTIONS),
  };
}

/** Carries out one action; says what came of it. */
function act(world: GridState, action: number) {
  const { front, carried } = world;
  const ahead = world.cell(front);
  const happened = { arrived: false, pickedUp: false, opened: false, inLava: false, bumped: false };
  switch (action) {
    case 0:
      world.direction = (world.direction + 3) % 4;
      break;
    case 1:
      world.direction = (world.direction + 1) % 4;
      break;
    case 2:
      happened.bumped = !canEnter(ahead);
      if (!happened.bumped) world.agent = front;
      happened.arrived = objectOf(ahead) === OBJECT.goal;
      happened.inLava = objectOf(ahead) === OBJECT.lava;
      break;
    case 3:
      happened.pickedUp = canPickUp(ahead) && carried === EMPTY;
      if (!happened.pickedUp) break;
      world.carried = ahead;
      world.setCell(front, EMPTY);
      break;
    case 4:
      if (ahead !== EMPTY || carried === EMPTY) break;
      world.setCell(front, carried);
      world.carried = EMPTY;
      break;
    case 5: {
      const after = toggled(ahead, carried);
      happened.opened = objectOf(ahead) === OBJECT.door && !canEnter(ahead) && canEnter(after);
      if (after !== ahead) world.setCell(front, after);
      break;
    }
  }
  return happened;
}

/** The actions that would change something, as bits; turning always does. */
function usefulActions(world: GridState): number {
  const { carried } = world;
  const ahead = world.cell(world.front);
  let legal = 0b11;
  if (canEnter(ahead)) legal |= 1 << 2;
  if (canPickUp(ahead) && carried === EMPTY) legal |= 1 << 3;
  if (ahead === EMPTY && carried !== EMPTY) legal |= 1 << 4;
  if (toggled(ahead, carried) !== ahead) legal |= 1 << 5;
  return legal;
}
