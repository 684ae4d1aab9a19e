/**
 * Taxi's transition table: 25 places × 5 places of the passenger × 4 destinations.
 * Source: Farama-Foundation/Gymnasium gymnasium/envs/toy_text/taxi.py; Dietterich (2000).
 */
import type { Outcome, TransitionTable } from '../mdp';

/** Gymnasium's map: a taxi passes ":" but not "|". */
const MAP = ['|R: | : :G|', '| : | : : |', '| : : : : |', '| | : | : |', '|Y| : |B: |'];
export const TAXI_SIDE = 5;
export const TAXI_STOPS = [
  { letter: 'R', row: 0, column: 0 },
  { letter: 'G', row: 0, column: 4 },
  { letter: 'Y', row: 4, column: 0 },
  { letter: 'B', row: 4, column: 3 },
] as const;
export const IN_TAXI = TAXI_STOPS.length;
const ACTIONS = ['down', 'up', 'right', 'left', 'pick up', 'drop off'] as const;

/** `passenger` and `destination` are indices of TAXI_STOPS; the passenger may also be IN_TAXI. */
export interface Taxi {
  readonly row: number;
  readonly column: number;
  readonly passenger: number;
  readonly destination: number;
}

export function encodeTaxi({ row, column, passenger, destination }: Taxi): number {
  return ((row * TAXI_SIDE + column) * (TAXI_STOPS.length + 1) + passenger) * TAXI_STOPS.length + destination;
}
export function decodeTaxi(state: number): Taxi {
  const place = Math.floor(state / TAXI_STOPS.length);
  const cell = Math.floor(place / (TAXI_STOPS.length + 1));
  return {
    row: Math.floor(cell / TAXI_SIDE),
    column: cell % TAXI_SIDE,
    passenger: place % (TAXI_STOPS.length + 1),
    destination: state % TAXI_STOPS.length,
  };
}
const STATES = TAXI_SIDE * TAXI_SIDE * (TAXI_STOPS.length + 1) * TAXI_STOPS.length;

/** The four one-hot parts of the observation. */
export const TAXI_PARTS = [
  { size: TAXI_SIDE, of: (state: number) => decodeTaxi(state).row },
  { size: TAXI_SIDE, of: (state: number) => decodeTaxi(state).column },
  { size: TAXI_STOPS.length + 1, of: (state: number) => decodeTaxi(state).passenger },
  { size: TAXI_STOPS.length, of: (state: number) => decodeTaxi(state).destination },
];

function stopAt({ row, column }: Taxi): number {
  return TAXI_STOPS.findIndex((stop) => stop.row === row && stop.column === column);
}
const openRight = ({ row, column }: Taxi) => MAP[row][2 * column + 2] === ':';
const openLeft = ({ row, column }: Taxi) => MAP[row][2 * column] === ':';

/** What an action does: a move, a pick-up, a drop-off, or a wrong one of these. */
function drive(taxi: Taxi, action: number): Outcome {
  const outcome = (after: Partial<Taxi>, reward = -1, delivered = false): Outcome => {
    return {
      probability: 1,
      next: encodeTaxi({ ...taxi, ...after }),
      reward,
      terminated: delivered,
      success: delivered,
    };
  };
  const { row, column, passenger, destination } = taxi;
  const stop = stopAt(taxi);
  switch (ACTIONS[action]) {
    case 'down':
      return outcome({ row: Math.min(row + 1, TAXI_SIDE - 1) });
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
export function taxiActionMask(taxi: Taxi): number {
  const stop = stopAt(taxi);
  const useful = [
    taxi.row < TAXI_SIDE - 1,
    taxi.row > 0,
    openRight(taxi),
    openLeft(taxi),
    stop >= 0 && taxi.passenger === stop,
    stop >= 0 && taxi.passenger === IN_TAXI,
  ];
  return useful.reduce((bits, yes, action) => (yes ? bits | (1 << action) : bits), 0);
}

export function taxiTable(maxSteps: number): TransitionTable {
  const taxis = Array.from({ length: STATES }, (_, state) => decodeTaxi(state));
  const waiting = taxis.map(({ passenger, destination }) => passenger !== IN_TAXI && passenger !== destination);
  const starts = waiting.filter(Boolean).length;
  return {
    actions: ACTIONS,
    outcomes: taxis.map((taxi) => ACTIONS.map((_, action) => [drive(taxi, action)])),
    start: waiting.map((yes) => (yes ? 1 / starts : 0)),
    maxSteps,
  };
}
