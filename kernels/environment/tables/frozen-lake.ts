/**
 * FrozenLake's transition table from its map: S start, F frozen, H hole, G goal.
 * Source: Farama-Foundation/Gymnasium gymnasium/envs/toy_text/frozen_lake.py.
 */
import type { Outcome, TransitionTable } from '../mdp';

export const FROZEN_LAKE_MAPS: Readonly<Record<string, readonly string[]>> = {
  '4x4': ['SFFF', 'FHFH', 'FFFH', 'HFFG'],
  '8x8': ['SFFFFFFF', 'FFFFFFFF', 'FFFHFFFF', 'FFFFFHFF', 'FFFHFFFF', 'FHHFFFHF', 'FHFFHFHF', 'FFFHFFFG'],
};

/** By action: left, down, right, up, as [dx, dy]. Slipping takes a neighbour in this ring. */
const MOVES = [
  [-1, 0],
  [0, 1],
  [1, 0],
  [0, -1],
] as const;

export interface FrozenLakeSettings {
  readonly slippery: boolean;
  /** On slippery ice, the probability of moving as intended; the sides share the rest. */
  readonly successRate: number;
  readonly maxSteps: number;
}

/** `rows` are equally long and hold at least one S. The intended move lies between the two slips. */
export function frozenLakeTable(
  rows: readonly string[],
  { slippery, successRate, maxSteps }: FrozenLakeSettings,
): TransitionTable {
  const [width, height] = [rows[0].length, rows.length];
  const letters = rows.flatMap((row) => [...row]);
  const move = (state: number, action: number, probability: number): Outcome => {
    const [dx, dy] = MOVES[action];
    const x = Math.min(Math.max((state % width) + dx, 0), width - 1);
    const y = Math.min(Math.max(Math.floor(state / width) + dy, 0), height - 1);
    const next = y * width + x;
    const atGoal = letters[next] === 'G';
    return { probability, next, reward: Number(atGoal), terminated: atGoal || letters[next] === 'H', success: atGoal };
  };
  const slip = (1 - successRate) / 2;
  const outcomes = letters.map((letter, state) =>
    MOVES.map((_, action): Outcome[] => {
      if (letter === 'G' || letter === 'H')
        return [{ probability: 1, next: state, reward: 0, terminated: true, success: false }];
      if (!slippery) return [move(state, action, 1)];
      return [
        move(state, (action + 3) % 4, slip),
        move(state, action, successRate),
        move(state, (action + 1) % 4, slip),
      ];
    }),
  );
  const starts = letters.filter((letter) => letter === 'S').length;
  return {
    actions: ['left', 'down', 'right', 'up'],
    outcomes,
    start: letters.map((letter) => (letter === 'S' ? 1 / starts : 0)),
    maxSteps,
  };
}
