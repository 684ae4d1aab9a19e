/** A finite Markov decision process from a transition table, as a program; see mdp.wgsl for the layout. */
import { wgsl } from '../kernel';
import { programName, wgslConstants } from './constants';
import code from './mdp.wgsl?raw';
import type { EnvironmentProgram } from './program';

export interface Outcome {
  readonly probability: number;
  readonly next: number;
  readonly reward: number;
  readonly terminated: boolean;
  /** The environment's own verdict, on a terminating outcome. */
  readonly success: boolean;
}

export interface TransitionTable {
  readonly actions: readonly string[];
  /** `outcomes[state][action]`: what may happen; probabilities sum to 1. Empty: the action is not legal there. */
  readonly outcomes: readonly (readonly (readonly Outcome[])[])[];
  /** Probability of each state at reset; sums to 1. */
  readonly start: readonly number[];
  /** Legal actions of each state as bits; absent: those that have an outcome. */
  readonly legal?: readonly number[];
  /** Parts of the observation, each a one-hot; absent: one part, the state's number. */
  readonly parts?: readonly { readonly size: number; readonly of: (state: number) => number }[];
  readonly maxSteps: number;
}

/** An action is a bit of a float32 word, which holds whole numbers up to 2^24. */
export const MAX_ACTIONS = 24;

const FLAG = { terminated: 1, success: 2 } as const;

export function mdp(table: TransitionTable): EnvironmentProgram {
  const states = table.outcomes.length;
  const actions = table.actions.length;
  const parts = table.parts ?? [{ size: states, of: (state: number) => state }];
  const legal = table.legal ?? table.outcomes.map(actionsWithOutcome);
  const every = 2 ** actions - 1;
  const distance = stepsToSuccess(table);
  const layout = layOut(table, parts, legal, distance ?? []);
  const { tables, places, starts } = layout;
  const sizes = { actions, starts, parts: parts.length, distances: distance !== undefined };
  return {
    name: programName('mdp', sizes, places),
    wgsl: wgsl(wgslConstants({}, { ...sizes, ...places }), code),
    stateSize: 1,
    observationSize: parts.reduce((sum, part) => sum + part.size, 0),
    action: { kind: 'discrete', count: actions, names: table.actions },
    signals: ['reward', 'failed', ...(distance ? ['distance', 'approach'] : []), 'success'],
    tables,
    maxSteps: table.maxSteps,
    masksActions: legal.some((bits) => bits !== every),

    reset(state, s, random) {
      let i = 0;
      if (starts > 1) {
        const u = random.uniform();
        while (i < starts - 1 && u >= tables[places.startsAt + 2 * i]) i++;
      }
      state[s] = tables[places.startsAt + 2 * i + 1];
    },
    step(state, s, actionsTaken, a, _steps, random, signal) {
      const now = state[s];
      const choices = table.outcomes[now][actionsTaken[a]];
      const outcome =
        choices[choices.length > 1 ? drawn(layout, now * actions + actionsTaken[a], random.uniform()) : 0];
      const next = outcome?.next ?? now;
      const terminated = outcome?.terminated ?? false;
      const success = outcome?.success ?? false;
      state[s] = next;
      signal[0] = outcome?.reward ?? 0;
      signal[1] = Number(terminated && !success);
      if (distance) {
        signal[2] = distance[next];
        signal[3] = distance[now] - distance[next];
      }
      signal[signal.length - 1] = Number(success);
      return terminated;
    },
    observe(state, s, out, o) {
      let at = o;
      for (const part of parts) {
        out.fill(0, at, at + part.size);
        out[at + part.of(state[s])] = 1;
        at += part.size;
      }
    },
    legal: (state, s) => legal[state[s]],
  };
}

function actionsWithOutcome(row: TransitionTable['outcomes'][number]): number {
  return row.reduce((bits, outcomes, action) => (outcomes.length > 0 ? bits | (1 << action) : bits), 0);
}

type Tables = ReturnType<typeof layOut>;

/** The table as mdp.wgsl reads it, and where each piece starts. */
function layOut(
  table: TransitionTable,
  parts: NonNullable<TransitionTable['parts']>,
  legal: readonly number[],
  distance: readonly number[],
) {
  const outcomes: number[] = [];
  const first: number[] = [];
  for (const choices of table.outcomes.flat()) {
    first.push(outcomes.length / 4);
    const upTo = cumulative(choices.map((outcome) => outcome.probability));
    for (const [i, { next, reward, terminated, success }] of choices.entries())
      outcomes.push(upTo[i], next, reward, (terminated ? FLAG.terminated : 0) + (success ? FLAG.success : 0));
  }
  first.push(outcomes.length / 4);
  const startStates = [...table.start.keys()].filter((state) => table.start[state] > 0);
  const startUpTo = cumulative(startStates.map((state) => table.start[state]));
  const hot = table.outcomes.flatMap((_, state) => parts.map((part) => part.of(state)));
  const pieces = {
    legalAt: legal,
    firstAt: first,
    outcomesAt: outcomes,
    startsAt: startStates.flatMap((state, i) => [startUpTo[i], state]),
    partsAt: parts.map((part) => part.size),
    hotAt: hot,
    distanceAt: distance,
  };
  const places = {} as Record<keyof typeof pieces, number>;
  let length = 0;
  for (const [name, piece] of Object.entries(pieces) as [keyof typeof pieces, readonly number[]][]) {
    places[name] = length;
    length += piece.length;
  }
  return { tables: Float32Array.from(Object.values(pieces).flat()), places, starts: startStates.length };
}

/** Running sums: the upper bound of a uniform number that draws each entry. */
function cumulative(probabilities: readonly number[]): number[] {
  let sum = 0;
  return probabilities.map((probability) => (sum += probability));
}

/** Which outcome of a state and action a uniform number draws. Compares float32 bounds, as mdp.wgsl does. */
function drawn({ tables, places }: Tables, pair: number, u: number): number {
  const first = tables[places.firstAt + pair];
  const last = tables[places.firstAt + pair + 1] - 1;
  let outcome = first;
  while (outcome < last && u >= tables[places.outcomesAt + 4 * outcome]) outcome++;
  return outcome - first;
}

/**
 * Fewest steps from each state to the state in which an episode succeeds, with luck on every step;
 * one more than the largest where success is out of reach. Undefined where no outcome is a success.
 */
export function stepsToSuccess({ outcomes }: TransitionTable): number[] | undefined {
  const before = outcomes.map((): number[] => []);
  const distance = new Array<number>(outcomes.length).fill(-1);
  for (const [state, choices] of outcomes.entries()) {
    for (const { probability, next, terminated, success } of choices.flat()) {
      if (probability > 0 && success) distance[next] = 0;
      if (probability > 0 && (success || !terminated)) before[next].push(state);
    }
  }
  const queue = [...distance.keys()].filter((state) => distance[state] === 0);
  if (queue.length === 0) return undefined;
  for (const state of queue) {
    for (const earlier of before[state]) {
      if (distance[earlier] >= 0) continue;
      distance[earlier] = distance[state] + 1;
      queue.push(earlier);
    }
  }
  const farthest = Math.max(...distance);
  return distance.map((steps) => (steps < 0 ? farthest + 1 : steps));
}

/**
 * Optimal value of every state by value iteration; a terminating outcome does not bootstrap (as
 * Gymnasium's toy_text tables mean it). Stops when no value moves by more than 1e-12, or after 20,000 sweeps.
 */
export function optimalValues({ outcomes }: TransitionTable, gamma: number): Float64Array {
  const values = new Float64Array(outcomes.length);
  for (let sweep = 0, moved = Number.POSITIVE_INFINITY; sweep < 20_000 && moved > 1e-12; sweep++) {
    moved = 0;
    for (const [state, choices] of outcomes.entries()) {
      const best = Math.max(
        ...choices.filter((choice) => choice.length > 0).map((choice) => expectedReturn(choice, values, gamma)),
      );
      moved = Math.max(moved, Math.abs(best - values[state]));
      values[state] = best;
    }
  }
  return values;
}

function expectedReturn(choice: readonly Outcome[], values: Float64Array, gamma: number): number {
  return choice.reduce(
    (sum, { probability, next, reward, terminated }) =>
      sum + probability * (reward + (terminated ? 0 : gamma * values[next])),
    0,
  );
}
