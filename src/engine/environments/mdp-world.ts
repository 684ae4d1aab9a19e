/** What every finite MDP has in common once its table stands: program, picture, probes, exact values. */
import { mdp, optimalValues, type TransitionTable } from '../../../kernels/environment/mdp';
import type { View } from '../view';
import type { EnvironmentInstance } from './environment';

/** How the states of a table lie on a board. */
export interface Board {
  readonly width: number;
  readonly height: number;
  /** What is in each cell: start, hole, goal, …; empty where there is nothing to say. */
  readonly labels: readonly string[];
  cellOf(state: number): number;
  /** States whose values are drawn on the board while in `state`: at most one a cell. */
  probeStates(state: number): readonly number[];
  caption?(state: number): string;
}

const DIRECTIONS: Readonly<Record<string, readonly [number, number]>> = {
  left: [-1, 0],
  right: [1, 0],
  up: [0, -1],
  down: [0, 1],
};

export function mdpInstance(
  table: TransitionTable,
  board: Board,
  more: Pick<EnvironmentInstance, 'solvedAt'> = {},
): EnvironmentInstance {
  const { width, height, labels } = board;
  // Asked for with every value map, and the same until gamma changes.
  let exact: { readonly gamma: number; readonly values: Float32Array | undefined } | undefined;
  return {
    ...more,
    program: mdp(table),
    view: ([state]): View => {
      const caption = board.caption?.(state);
      return {
        kind: 'mdp',
        width,
        height,
        labels,
        state,
        cell: board.cellOf(state),
        ...(caption === undefined ? {} : { caption }),
      };
    },
    probes: ([state]) => {
      const states = board.probeStates(state);
      const directions = table.actions.map((name) => DIRECTIONS[name] ?? null);
      return {
        rows: Float32Array.from(states),
        cells: states.map((probe) => board.cellOf(probe)),
        states,
        width,
        height,
        directions,
      };
    },
    exactValues: (gamma) => {
      if (exact?.gamma !== gamma) exact = { gamma, values: exactValues(table, gamma) };
      return exact.values;
    },
  };
}

/** Undefined where value iteration did not settle: without discount a reward that never ends has no value. */
function exactValues(table: TransitionTable, gamma: number): Float32Array | undefined {
  const values = optimalValues(table, gamma);
  const settled = table.outcomes.every((choices, state) => {
    const returns = choices
      .filter((choice) => choice.length > 0)
      .map((choice) =>
        choice.reduce(
          (sum, { probability, reward, next, terminated }) =>
            sum + probability * (reward + (terminated ? 0 : gamma * values[next])),
          0,
        ),
      );
    return Math.abs(Math.max(...returns) - values[state]) <= 1e-6 * Math.max(1, Math.abs(values[state]));
  });
  return settled ? Float32Array.from(values) : undefined;
}

/** A board on which each state has a cell of its own. */
export function plainBoard(width: number, labels: readonly string[]): Board {
  const states = labels.map((_, state) => state);
  const height = Math.ceil(labels.length / width);
  const blanks = new Array<string>(width * height - labels.length).fill('');
  return { width, height, labels: [...labels, ...blanks], cellOf: (state) => state, probeStates: () => states };
}
