/**
 * CliffWalking's transition table: 4 rows of 12 cells, the cliff along the last row between start and goal.
 * Source: Farama-Foundation/Gymnasium gymnasium/envs/toy_text/cliffwalking.py; Sutton and Barto, example 6.6.
 */
import type { Outcome, TransitionTable } from '../mdp';

export const CLIFF_WIDTH = 12;
export const CLIFF_HEIGHT = 4;
export const CLIFF_START = (CLIFF_HEIGHT - 1) * CLIFF_WIDTH;
export const CLIFF_GOAL = CLIFF_HEIGHT * CLIFF_WIDTH - 1;

export function isCliff(state: number): boolean {
  return state > CLIFF_START && state < CLIFF_GOAL;
}

/** By action: up, right, down, left, as [dx, dy]. */
const MOVES = [
  [0, -1],
  [1, 0],
  [0, 1],
  [-1, 0],
] as const;

/** A step onto the cliff costs 100 and leads back to the start. */
export function cliffWalkingTable(maxSteps: number): TransitionTable {
  const outcomes = Array.from({ length: CLIFF_WIDTH * CLIFF_HEIGHT }, (_, state) =>
    MOVES.map(([dx, dy]): Outcome[] => {
      const x = Math.min(Math.max((state % CLIFF_WIDTH) + dx, 0), CLIFF_WIDTH - 1);
      const y = Math.min(Math.max(Math.floor(state / CLIFF_WIDTH) + dy, 0), CLIFF_HEIGHT - 1);
      const next = y * CLIFF_WIDTH + x;
      if (isCliff(next))
        return [{ probability: 1, next: CLIFF_START, reward: -100, terminated: false, success: false }];
      return [{ probability: 1, next, reward: -1, terminated: next === CLIFF_GOAL, success: next === CLIFF_GOAL }];
    }),
  );
  const start = outcomes.map((_, state) => Number(state === CLIFF_START));
  return { actions: ['up', 'right', 'down', 'left'], outcomes, start, maxSteps };
}
