/** Taxi-v3: fetch a passenger and bring them where they want to go. */
import {
  decodeTaxi,
  encodeTaxi,
  IN_TAXI,
  TAXI_PARTS,
  TAXI_SIDE,
  TAXI_STOPS,
  taxiActionMask,
  taxiTable,
} from '../../../kernels/environment/tables/taxi';
import { type AnyParameters, checkParameters, type Schema } from '../parameters';
import type { Built, ControlEnvironment } from './environment';
import { type Board, mdpInstance } from './mdp-world';

const schema = {
  observation: {
    kind: 'choice',
    label: 'Observation',
    default: 'parts',
    options: [
      {
        value: 'parts',
        label: 'Its four parts',
        help: 'Row, column, passenger and destination, each one-hot: 19 numbers that generalise.',
      },
      { value: 'state', label: 'The state number', help: 'One-hot of 500: every situation is learned by itself.' },
    ],
    help: 'What the policy sees.',
  },
  mask: {
    kind: 'flag',
    label: 'Forbid useless actions',
    default: false,
    help: "Gymnasium's action_mask: driving into walls and impossible pick-ups are not offered.",
  },
  maxSteps: {
    kind: 'number',
    label: 'Time limit',
    default: 200,
    min: 1,
    max: 10_000,
    integer: true,
    unit: 'steps',
    help: 'An episode is truncated after so many steps.',
  },
} satisfies Schema;

export const taxi: ControlEnvironment<typeof schema> = {
  id: 'taxi',
  title: 'Taxi-v3',
  summary: 'Drive to the passenger, pick them up, and drop them off where they want to go.',
  formula: 'reward 20 for the right drop-off, -10 for a wrong pick-up or drop-off, else -1 a step',
  source: 'Farama-Foundation/Gymnasium gymnasium/envs/toy_text/taxi.py; Dietterich (2000)',
  parameters: schema,
  build(given: AnyParameters, path: string): Built {
    const { parameters, problems } = checkParameters(schema, given, path);
    if (problems.length > 0) return { problems };
    const table = taxiTable(parameters.maxSteps);
    const legal = parameters.mask ? { legal: table.outcomes.map((_, state) => taxiActionMask(decodeTaxi(state))) } : {};
    const parts = parameters.observation === 'parts' ? { parts: TAXI_PARTS } : {};
    return {
      instance: mdpInstance({ ...table, ...legal, ...parts }, board, {
        solvedAt: { value: 8, label: 'solved (Gymnasium)' },
      }),
    };
  },
};

const board: Board = {
  width: TAXI_SIDE,
  height: TAXI_SIDE,
  labels: Array.from({ length: TAXI_SIDE * TAXI_SIDE }, (_, cell) => {
    return TAXI_STOPS.find(({ row, column }) => row * TAXI_SIDE + column === cell)?.letter ?? '';
  }),
  cellOf: (state) => decodeTaxi(state).row * TAXI_SIDE + decodeTaxi(state).column,
  probeStates: (state) => {
    const { passenger, destination } = decodeTaxi(state);
    return Array.from({ length: TAXI_SIDE * TAXI_SIDE }, (_, cell) =>
      encodeTaxi({ row: Math.floor(cell / TAXI_SIDE), column: cell % TAXI_SIDE, passenger, destination }),
    );
  },
  caption: (state) => {
    const { passenger, destination } = decodeTaxi(state);
    const where = passenger === IN_TAXI ? 'in the taxi' : `at ${TAXI_STOPS[passenger].letter}`;
    return `passenger ${where}, to ${TAXI_STOPS[destination].letter}`;
  },
};
