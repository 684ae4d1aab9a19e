/** CliffWalking: from corner to corner along a cliff. */
import {
  CLIFF_GOAL,
  CLIFF_HEIGHT,
  CLIFF_START,
  CLIFF_WIDTH,
  cliffWalkingTable,
  isCliff,
} from '../../../kernels/environment/tables/cliff-walking';
import { type AnyParameters, checkParameters, type Schema } from '../parameters';
import type { Built, ControlEnvironment } from './environment';
import { mdpInstance, plainBoard } from './mdp-world';

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
    const labels = Array.from({ length: CLIFF_WIDTH * CLIFF_HEIGHT }, (_, state) => {
      if (state === CLIFF_START) return 'start';
      if (state === CLIFF_GOAL) return 'goal';
      return isCliff(state) ? 'cliff' : '';
    });
    const best = { solvedAt: { value: -13, label: 'best possible' } };
    return { instance: mdpInstance(cliffWalkingTable(parameters.maxSteps), plainBoard(CLIFF_WIDTH, labels), best) };
  },
};
