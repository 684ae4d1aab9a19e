/** Taxi-v3: fetch a passenger and bring them where they want to go. The table is built from Gymnasium's rules. */
import type { Outcome, TransitionTable } from '../../../kernels/environment/mdp';
import { type AnyParameters, checkParameters, type Schema } from '../parameters';
import type { Built, ControlEnvironment } from './environment';
import { type Board, mdpInstance } from './mdp-world';

/** Gymnasium's map: a taxi passes ":" but not "|". */
const MAP = ['|R: | : :G|', '| : | : : |', '| : : : : |', '| | : | : |', '|Y| : |B: |'];
const SIDE = 5;
const STOPS = [
  { letter: 'R', row: 0, column: 0 },
  { letter: 'G', row: 0, column: 4 },
  { letter: 'Y', row: 4, column: 0 },
  { letter: 'B', row: 4, column: 3 },
] as const;
const IN_TAXI = STOPS.length;
const ACTIONS = ['down', 'up', 'right', 'left', 'pick up', 'drop off'] as const;

/** `passenger` and `destination` are indices of STOPS; the passenger may also be IN_TAXI. */
interface Taxi {
  readonly row: number;
  readonly column: number;
  readonly passenger: number;
  readonly destination: number;
}

function encode({ row, column, passenger, destination }: Taxi): number {
  return ((row * SIDE + column) * (STOPS.length + 1) + passenger) * STOPS.length + destination;
}
function decode(state: number): Taxi {
  const place = Math.floor(state / STOPS.length);
  const cell = Math.floor(place / (STOPS.length + 1));
  return {
    row: Math.floor(cell / SIDE),
    column: cell % SIDE,
    passenger: place % (STOPS.length + 1),
    destination: state % STOPS.length,
  };
}
const STATES = SIDE * SIDE * (STOPS.length + 1) * STOPS.length;

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
    const legal = parameters.mask
      ? { legal: Array.from({ length: STATES }, (_, state) => actionMask(decode(state))) }
      : {};
    const parts = parameters.observation === 'parts' ? { parts: PARTS } : {};
    return {
      instance: mdpInstance({ ...table, ...legal, ...parts }, board, {
        solvedAt: { value: 8, label: 'solved (Gymnasium)' },
      }),
    };
  },
};

const PARTS = [
  { size: SIDE, of: (state: number) => decode(state).row },
  { size: SIDE, of: (state: number) => decode(state).column },
  { size: STOPS.length + 1, of: (state: number) => decode(state).passenger },
  { size: STOPS.length, of: (state: number) => decode(state).destination },
];

function stopAt({ row, column }: Taxi): number {
  return STOPS.findIndex((stop) => stop.row === row && stop.column === column);
}
const openRight = ({ row, column }: Taxi) => MAP[row][2 * column + 2] === ':';
const openLeft = ({ row, column }: Taxi) => MAP[row][2 * column] === ':';

/** What an action does: a move, a pick-up, a drop-off, or a wrong one of these. */
function drive(taxi: Taxi, action: number): Outcome {
  const outcome = (after: Partial<Taxi>, reward = -1, delivered = false): Outcome => {
    return { probability: 1, next: encode({ ...taxi, ...after }), reward, terminated: delivered, success: delivered };
  };
  const { row, column, passenger, destination } = taxi;
  const stop = stopAt(taxi);
  switch (ACTIONS[action]) {
    case 'down':
      return outcome({ row: Math.min(row + 1, SIDE - 1) });
    case 'up':
      return outcome({ row: Math.max(row - 1, 0) });
    case 'right':
      return outcome(openRight(taxi) ? { column: column + 1 } : {});
    case 'left':
      return outcome(openLeft(taxi) ? { column: column - 1 } : {});
    case 'pick up':
      return stop >= 0 && passenger === stop ? outcome({ passenger: IN_TAXI }) : outcome({}, -10);
    case 'drop off':
      if (passenger !== IN_TAXI || stop < 0) return outcome({}, -10);
      return stop === destination ? outcome({ passenger: stop }, 20, true) : outcome({ passenger: stop });
  }
}

/** Gymnasium's action_mask as bits: the actions that change the state. */
function actionMask(taxi: Taxi): number {
  const stop = stopAt(taxi);
  const useful = [
    taxi.row < SIDE - 1,
    taxi.row > 0,
    openRight(taxi),
    openLeft(taxi),
    stop >= 0 && taxi.passenger === stop,
    stop >= 0 && taxi.passenger === IN_TAXI,
  ];
  return useful.reduce((bits, yes, action) => (yes ? bits | (1 << action) : bits), 0);
}

export function taxiTable(maxSteps: number): TransitionTable {
  const taxis = Array.from({ length: STATES }, (_, state) => decode(state));
  const waiting = taxis.map(({ passenger, destination }) => passenger !== IN_TAXI && passenger !== destination);
  const starts = waiting.filter(Boolean).length;
  return {
    actions: ACTIONS,
    outcomes: taxis.map((taxi) => ACTIONS.map((_, action) => [drive(taxi, action)])),
    start: waiting.map((yes) => (yes ? 1 / starts : 0)),
    maxSteps,
  };
}

const board: Board = {
  width: SIDE,
  height: SIDE,
  labels: Array.from({ length: SIDE * SIDE }, (_, cell) => {
    return STOPS.find(({ row, column }) => row * SIDE + column === cell)?.letter ?? '';
  }),
  cellOf: (state) => decode(state).row * SIDE + decode(state).column,
  probeStates: (state) => {
    const { passenger, destination } = decode(state);
    return Array.from({ length: SIDE * SIDE }, (_, cell) =>
      encode({ row: Math.floor(cell / SIDE), column: cell % SIDE, passenger, destination }),
    );
  },
  caption: (state) => {
    const { passenger, destination } = decode(state);
    const where = passenger === IN_TAXI ? 'in the taxi' : `at ${STOPS[passenger].letter}`;
    return `passenger ${where}, to ${STOPS[destination].letter}`;
  },
};
