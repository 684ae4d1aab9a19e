/** A finite MDP from data: any transition table in Gymnasium's toy_text layout, checked entry by entry. */
import { MAX_ACTIONS, type Outcome, type TransitionTable } from '../../../kernels/environment/mdp';
import { type AnyParameters, checkParameters, isRecord, type Problem, type Schema } from '../parameters';
import type { Built, ControlEnvironment } from './environment';
import { mdpInstance, plainBoard } from './mdp-world';

/** A small reward near by, a large one further off: what is worth more depends on the discount. */
const EXAMPLE = {
  actions: ['left', 'right'],
  transitions: [
    [[[1, 0, 0, true]], [[1, 0, 0, true]]],
    [[[1, 0, 0.4, true]], [[1, 2, 0, false]]],
    [
      [
        [0.9, 1, 0, false],
        [0.1, 3, 0, false],
      ],
      [
        [0.9, 3, 0, false],
        [0.1, 1, 0, false],
      ],
    ],
    [
      [[1, 2, 0, false]],
      [
        [0.9, 4, 1, true],
        [0.1, 2, 0, false],
      ],
    ],
    [[[1, 4, 0, true]], [[1, 4, 0, true]]],
  ],
  initial_state_distribution: [0, 0, 1, 0, 0],
  goals: [4],
  labels: ['small reward', '', 'start', '', 'goal'],
  width: 5,
};

const MAX_STATES = 2048;
const MAX_OUTCOMES = 200_000;
/** Probabilities come rounded; Gymnasium's own miss 1 by 2e-16. */
const SUM_TOLERANCE = 1e-6;
/** A reward beyond it would leave the 32-bit numbers once scaled, summed or squared. */
const MAX_REWARD = 1e9;
/** A broken table is broken all over: so many faults are enough to read. */
const MAX_PROBLEMS = 20;

const schema = {
  table: {
    kind: 'data',
    label: 'Transition table',
    default: EXAMPLE,
    help: 'transitions[state][action] = list of [probability, next state, reward, terminated] ([]: not legal); initial_state_distribution; if you like actions (names), goals (states that count as success), width and labels of the board.',
  },
  maxSteps: {
    kind: 'number',
    label: 'Time limit',
    default: 100,
    min: 0,
    max: 100_000,
    integer: true,
    unit: 'steps',
    help: 'An episode is truncated after so many steps. 0: none.',
  },
} satisfies Schema;

export const mdpFromTable: ControlEnvironment<typeof schema> = {
  id: 'mdp',
  title: 'Finite MDP from a table',
  summary: 'Any finite world: what each action does in each state, with which probability and reward.',
  formula: 'next state and reward ~ transitions[state][action]',
  source: 'layout of Farama-Foundation/Gymnasium gymnasium/envs/toy_text (P, initial_state_distrib)',
  parameters: schema,
  build(given: AnyParameters, path: string): Built {
    const { parameters, problems } = checkParameters(schema, given, path);
    if (problems.length > 0) return { problems };
    const read = readTable(parameters.table, `${path}.table`);
    if ('problems' in read) return { problems: read.problems.slice(0, MAX_PROBLEMS) };
    const states = read.table.outcomes.length;
    const width = read.width ?? Math.ceil(Math.sqrt(states));
    const labels = Array.from({ length: states }, (_, state) => read.labels?.[state] ?? '');
    return { instance: mdpInstance({ ...read.table, maxSteps: parameters.maxSteps }, plainBoard(width, labels)) };
  },
};

interface ReadTable {
  readonly table: Omit<TransitionTable, 'maxSteps'>;
  readonly width?: number;
  readonly labels?: readonly string[];
}

/** The table in `data`, or everything that is wrong with it. Keys that it does not know are left alone. */
export function readTable(data: unknown, path: string): ReadTable | { problems: Problem[] } {
  if (!isRecord(data))
    return { problems: [{ path, message: 'must be an object with transitions and initial_state_distribution' }] };
  const rows = numbered(data.transitions);
  if (rows === undefined || rows.length === 0 || rows.length > MAX_STATES)
    return {
      problems: [
        {
          path: `${path}.transitions`,
          message: `must be a list of 1 to ${MAX_STATES} states (or an object with the keys 0, 1, 2, …)`,
        },
      ],
    };
  const choices = rows.map(numbered);
  const actions = choices[0]?.length ?? 0;
  if (actions < 1 || actions > MAX_ACTIONS)
    return { problems: [{ path: `${path}.transitions[0]`, message: `must be a list of 1 to ${MAX_ACTIONS} actions` }] };

  const problems: Problem[] = [];
  const goals = readGoals(data.goals, rows.length, path, problems);
  const outcomes = choices.map((row, state) =>
    readState(row, state, { actions, states: rows.length, goals }, `${path}.transitions[${state}]`, problems),
  );
  const total = outcomes.reduce((sum, row) => sum + row.reduce((count, list) => count + list.length, 0), 0);
  if (total > MAX_OUTCOMES)
    problems.push({ path: `${path}.transitions`, message: `has ${total} outcomes, more than ${MAX_OUTCOMES}` });
  const start = readStart(data.initial_state_distribution, rows.length, `${path}.initial_state_distribution`, problems);
  const names =
    readNames(data.actions, actions, `${path}.actions`, problems) ??
    Array.from({ length: actions }, (_, action) => `action ${action}`);
  const labels = readNames(data.labels, rows.length, `${path}.labels`, problems);
  const width = readWidth(data.width, rows.length, `${path}.width`, problems);
  if (problems.length > 0) return { problems };
  return {
    table: { actions: names, outcomes, start },
    ...(width === undefined ? {} : { width }),
    ...(labels === undefined ? {} : { labels }),
  };
}

/** A list, or an object with the keys 0 … n-1, as JSON writes Python's dictionaries. */
function numbered(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isRecord(value)) return undefined;
  const count = Object.keys(value).length;
  if (!Array.from({ length: count }, (_, i) => String(i)).every((key) => Object.hasOwn(value, key))) return undefined;
  return Array.from({ length: count }, (_, i) => value[i]);
}

interface Context {
  readonly actions: number;
  readonly states: number;
  /** States in which termination is a success; absent: any termination with a positive reward is. */
  readonly goals: ReadonlySet<number> | undefined;
}

function readState(
  row: readonly unknown[] | undefined,
  state: number,
  context: Context,
  path: string,
  problems: Problem[],
): Outcome[][] {
  if (row === undefined || row.length !== context.actions) {
    const found = row === undefined ? 'no list of actions' : `${row.length} actions`;
    problems.push({
      path,
      message: `state ${state} has ${found}, state 0 has ${context.actions}; give [] for an action that is not legal`,
    });
    return [];
  }
  const before = problems.length;
  const lists = row.map((list, action) =>
    readOutcomes(list, `state ${state}, action ${action}`, context, `${path}[${action}]`, problems),
  );
  if (problems.length === before && lists.every((list) => list.length === 0))
    problems.push({ path, message: `state ${state} has no legal action: every list is empty` });
  return lists;
}

function readOutcomes(list: unknown, where: string, context: Context, path: string, problems: Problem[]): Outcome[] {
  if (!Array.isArray(list)) {
    problems.push({ path, message: `${where}: must be a list of [probability, next state, reward, terminated]` });
    return [];
  }
  const before = problems.length;
  const outcomes = list.map((entry, i) => readOutcome(entry, where, context, `${path}[${i}]`, problems));
  const sum = outcomes.reduce((total, outcome) => total + outcome.probability, 0);
  if (problems.length === before && list.length > 0 && Math.abs(sum - 1) > SUM_TOLERANCE)
    problems.push({ path, message: `${where}: the probabilities sum to ${Number(sum.toPrecision(6))}, not 1` });
  return outcomes;
}

function readOutcome(
  entry: unknown,
  where: string,
  { states, goals }: Context,
  path: string,
  problems: Problem[],
): Outcome {
  const say = (message: string) => problems.push({ path, message: `${where}: ${message}` });
  const [probability, next, reward, terminated] = Array.isArray(entry) && entry.length === 4 ? entry : [];
  if (!Array.isArray(entry) || entry.length !== 4)
    say('an outcome must be [probability, next state, reward, terminated]');
  else if (!isNumber(probability) || probability < 0 || probability > 1)
    say(`the probability must be 0 to 1, not ${show(probability)}`);
  else if (!isNumber(next) || !Number.isInteger(next) || next < 0 || next >= states)
    say(`the next state must be a whole number from 0 to ${states - 1}, not ${show(next)}`);
  else if (!isNumber(reward)) say(`the reward must be a number, not ${show(reward)}`);
  else if (Math.abs(reward) > MAX_REWARD)
    say(`the reward must be ${-MAX_REWARD} to ${MAX_REWARD}, not ${show(reward)}`);
  else if (typeof terminated !== 'boolean') say(`terminated must be true or false, not ${show(terminated)}`);
  else return { probability, next, reward, terminated, success: terminated && (goals ? goals.has(next) : reward > 0) };
  return { probability: 0, next: 0, reward: 0, terminated: false, success: false };
}

/** A value of the table as JSON writes it, as far as it is worth repeating. */
function show(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function readStart(value: unknown, states: number, path: string, problems: Problem[]): number[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  const numbers = list.filter(isNumber);
  const sum = numbers.reduce((total, entry) => total + entry, 0);
  if (list.length !== states)
    problems.push({ path, message: `must be a list of ${states} probabilities, one a state` });
  else if (numbers.length < states || numbers.some((entry) => entry < 0)) {
    const bad = list.findIndex((entry) => !isNumber(entry) || entry < 0);
    problems.push({
      path: `${path}[${bad}]`,
      message: `state ${bad}: the probability must be a number of 0 or more, not ${show(list[bad])}`,
    });
  } else if (Math.abs(sum - 1) > SUM_TOLERANCE)
    problems.push({ path, message: `the probabilities sum to ${Number(sum.toPrecision(6))}, not 1` });
  return numbers;
}

function readGoals(value: unknown, states: number, path: string, problems: Problem[]): ReadonlySet<number> | undefined {
  if (value === undefined) return undefined;
  const isState = (entry: unknown) => isNumber(entry) && Number.isInteger(entry) && entry >= 0 && entry < states;
  if (Array.isArray(value) && value.every(isState)) return new Set<number>(value);
  problems.push({ path: `${path}.goals`, message: `must be a list of states from 0 to ${states - 1}` });
  return undefined;
}

function readNames(value: unknown, count: number, path: string, problems: Problem[]): string[] | undefined {
  if (value === undefined) return undefined;
  if (
    Array.isArray(value) &&
    value.length === count &&
    value.every((entry) => typeof entry === 'string' && entry.length <= 40)
  )
    return value;
  problems.push({ path, message: `must be a list of ${count} names of at most 40 characters` });
  return undefined;
}

function readWidth(value: unknown, states: number, path: string, problems: Problem[]): number | undefined {
  if (value === undefined) return undefined;
  if (isNumber(value) && Number.isInteger(value) && value >= 1 && value <= states) return value;
  problems.push({ path, message: `must be a whole number from 1 to ${states}, not ${show(value)}` });
  return undefined;
}
