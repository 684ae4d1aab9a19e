/** CliffWalking: from corner to corner along a cliff. The table is built from Gymnasium's rules. */
import type { Outcome, TransitionTable } from '../../../kernels/environment/mdp';
import { type AnyParameters, checkParameters, type Schema } from '../parameters';
import type { Built, ControlEnvironment } from './environment';
import { mdpInstance, plainBoard } from './mdp-world';

const [WIDTH, HEIGHT] = [12, 4];
const START = (HEIGHT - 1) * WIDTH;
const GOAL = HEIGHT * WIDTH - 1;
const isCliff = (state: number) => state > START && state < GOAL;
/** By action: up, right, down, left, as [dx, dy]. */
const MOVES = [
  [0, -1],
  [1, 0],
  [0, 1],
  [-1, 0],
] as const;

const schema = {
  maxSteps: {
    kind: 'number',
    label: 'Time limit',
    default: 200,
    min: 0,
    max: 100_000,
    integer: true,
    unit: 'steps',
    help: 'An episode is truncated after so many steps; a first policy falls for long. 0: none, as in Gymnasium.',
  },
} satisfies Schema;

export const cliffWalking: ControlEnvironment<typeof schema> = {
  id: 'cliff-walking',
  title: 'CliffWalking-v1',
  summary: 'Walk from corner to corner; the shortest way runs along a cliff, and a fall costs 100.',
  formula: 'reward -1 a step, -100 for a fall (back to the start)',
  source: 'Farama-Foundation/Gymnasium gymnasium/envs/toy_text/cliffwalking.py; Sutton and Barto, example 6.6',
  parameters: schema,
  build(given: AnyParameters, path: string): Built {
    const { parameters, problems } = checkParameters(schema, given, path);
    if (problems.length > 0) return { problems };
    const labels = Array.from({ length: WIDTH * HEIGHT }, (_, state) => {
      if (state === START) return 'start';
      if (state === GOAL) return 'goal';
      return isCliff(state) ? 'cliff' : '';
    });
    const best = { solvedAt: { value: -13, label: 'best possible' } };
    return { instance: mdpInstance(cliffWalkingTable(parameters.maxSteps), plainBoard(WIDTH, labels), best) };
  },
};

/** Gymnasium's transition table; a step onto the cliff leads back to the start. */
export function cliffWalkingTable(maxSteps: number): TransitionTable {
  const outcomes = Array.from({ length: WIDTH * HEIGHT }, (_, state) =>
    MOVES.map(([dx, dy]): Outcome[] => {
      const x = Math.min(Math.max((state % WIDTH) + dx, 0), WIDTH - 1);
      const y = Math.min(Math.max(Math.floor(state / WIDTH) + dy, 0), HEIGHT - 1);
      const next = y * WIDTH + x;
      if (isCliff(next)) return [{ probability: 1, next: START, reward: -100, terminated: false, success: false }];
      return [{ probability: 1, next, reward: -1, terminated: next === GOAL, success: next === GOAL }];
    }),
  );
  return {
    actions: ['up', 'right', 'down', 'left'],
    outcomes,
    start: outcomes.map((_, state) => Number(state === START)),
    maxSteps,
  };
}
