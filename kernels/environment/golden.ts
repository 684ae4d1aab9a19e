/**
 * Between the environments' golden vectors (kernels/golden/README.md, section 4: their own layouts) and
 * the programs: every recorded step is taken from its recorded state, on one executor, through the
 * `transition` kernel.
 */
import { Bench, type GoldenCheck, type GoldenExecutor, type Verdict } from '../golden/adapter';
import { firstDifference, type GoldenFile, type Tolerance } from '../golden/read';
import { Random } from '../random/threefry';
import { acrobot } from './acrobot';
import { cartPole } from './cartpole';
import { gridWorld } from './grid/grid';
import { customLevel } from './grid/levels';
import { COLOUR, cellOf, colourOf, EMPTY, OBJECT, objectOf } from './grid/objects';
import { GridState } from './grid/state';
import { mdp, type Outcome, optimalValues, type TransitionTable } from './mdp';
import { mountainCar, mountainCarContinuous } from './mountain-car';
import { pendulum } from './pendulum';
import type { EnvironmentProgram } from './program';
import { cliffWalkingTable } from './tables/cliff-walking';
import { FROZEN_LAKE_MAPS, frozenLakeTable } from './tables/frozen-lake';
import { taxiTable } from './tables/taxi';
import { resultSize, transition } from './transition';

/** One row of the `transition` kernel's result, and the state after it. */
interface Stepped {
  readonly signals: Float32Array;
  readonly terminated: boolean;
  readonly legal: number;
  readonly observation: Float32Array;
  readonly state: Float32Array;
}

export interface Step {
  /** The first words of the state; the rest are 0. */
  readonly state: ArrayLike<number>;
  readonly action: readonly number[];
  /** Number of the step in its episode, from 1. */
  readonly number: number;
}

/** Takes each step from its own state, all in one dispatch. */
export async function takeSteps(
  program: EnvironmentProgram,
  steps: readonly Step[],
  executor: GoldenExecutor,
  draw = 0,
): Promise<Stepped[]> {
  const bench = new Bench(executor);
  try {
    const [count, size, width] = [steps.length, program.stateSize, resultSize(program)];
    const states = new Float32Array(count * size);
    for (const [row, { state }] of steps.entries()) states.set(Array.from(state), row * size);
    const buffers = {
      state: bench.buffer(states),
      tables: bench.buffer(program.tables.length > 0 ? program.tables : new Float32Array(1)),
      actions: bench.buffer(Float32Array.from(steps.flatMap(({ action }) => action))),
      steps: bench.buffer(Uint32Array.from(steps, ({ number }) => number)),
      result: bench.zeros(count * width),
    };
    bench.run(transition(program), buffers, { count, seed: 0, draw, reset: 0 });
    const after = (await bench.read(buffers.state)) as Float32Array;
    const result = (await bench.read(buffers.result)) as Float32Array;
    const signals = program.signals.length;
    return steps.map((_, row) => {
      const at = row * width;
      return {
        signals: result.slice(at, at + signals),
        terminated: result[at + signals] === 1,
        legal: result[at + signals + 1],
        observation: result.slice(at + signals + 2, at + width),
        state: after.slice(row * size, (row + 1) * size),
      };
    });
  } finally {
    bench.close();
  }
}

type Problem = string | undefined;

async function verdict(name: string, check: () => Promise<Problem>): Promise<Verdict> {
  try {
    const problem = await check();
    return problem === undefined
      ? { passed: 1, notCovered: 0 }
      : { passed: 0, notCovered: 0, problem: `${name}: ${problem}` };
  } catch (error) {
    return { passed: 0, notCovered: 0, problem: `${name}: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Checks case by case up to the first difference. */
async function eachCase<C extends { note: string }>(
  cases: readonly C[],
  check: (one: C) => Promise<Problem>,
): Promise<Verdict> {
  let passed = 0;
  for (const one of cases) {
    const { problem } = await verdict(`case "${one.note}"`, () => check(one));
    if (problem !== undefined) return { passed, notCovered: 0, problem };
    passed += 1;
  }
  return { passed, notCovered: 0 };
}

/** The environment files carry one number for both kinds of error. */
function toleranceOf(file: GoldenFile): Tolerance {
  const one = (file as unknown as { tolerance: number }).tolerance;
  return { rtol: one, atol: one };
}

interface TrajectoryCase {
  readonly note: string;
  readonly inputs: { readonly state: number[]; readonly actions: (number | number[])[] };
  readonly expected: {
    readonly observations: number[][];
    readonly rewards: number[];
    readonly terminated: boolean[];
    readonly states: number[][];
  };
}

/** gymnasium_cartpole and its like: trajectories of states, one step at a time. */
export function trajectoryGolden(program: EnvironmentProgram): GoldenCheck {
  return (file, executor) =>
    eachCase(file.cases as unknown as TrajectoryCase[], async ({ inputs, expected }) => {
      const steps = inputs.actions.map((action, t): Step => {
        return { state: t === 0 ? inputs.state : expected.states[t - 1], action: [action].flat(), number: t + 1 };
      });
      const taken = await takeSteps(program, steps, executor);
      const tolerance = toleranceOf(file);
      for (const [t, { signals, terminated, observation, state }] of taken.entries()) {
        const problem =
          named('observation', firstDifference(observation, expected.observations[t], tolerance)) ??
          named('state', firstDifference(state.slice(0, inputs.state.length), expected.states[t], tolerance)) ??
          named('reward', firstDifference(signals[0], expected.rewards[t], tolerance)) ??
          (terminated === expected.terminated[t] ? undefined : `terminated is ${terminated}`);
        if (problem !== undefined) return `step ${t + 1}: ${problem}`;
      }
      return undefined;
    });
}

function named(name: string, difference: Problem): Problem {
  return difference === undefined ? undefined : `${name} ${difference}`;
}

interface TableFile {
  readonly name: string;
  readonly options?: {
    readonly map_name?: string | null;
    readonly desc?: readonly string[] | null;
    readonly is_slippery?: boolean;
    readonly success_rate?: number;
  };
  readonly initial_state_distribution: number[];
  readonly transitions: Record<string, Record<string, [number, number, number, boolean][]>>;
}

/** gymnasium_frozen_lake and its like: the whole table, its optimal values, and steps drawn from it. */
export function tableGolden(tableFor: (options: NonNullable<TableFile['options']>) => TransitionTable): GoldenCheck {
  return async (file, executor) => {
    const golden = file as unknown as TableFile;
    return verdict(golden.name, async () => {
      const table = tableFor(golden.options ?? {});
      return tableDifference(golden, table) ?? valueDifference(file, table) ?? (await drawDifference(table, executor));
    });
  };
}

function tableDifference(golden: TableFile, { outcomes, start }: TransitionTable): Problem {
  const exact = { rtol: 1e-9, atol: 1e-9 };
  const startDifference = firstDifference(start, golden.initial_state_distribution, exact);
  if (startDifference !== undefined) return `initial_state_distribution ${startDifference}`;
  const states = Object.keys(golden.transitions);
  if (states.length !== outcomes.length) return `${outcomes.length} states, expected ${states.length}`;
  for (const state of states) {
    for (const [action, list] of Object.entries(golden.transitions[state])) {
      const ours = (outcomes[Number(state)][Number(action)] ?? []).flatMap(
        ({ probability, next, reward, terminated }) => [probability, next, reward, Number(terminated)],
      );
      const difference = firstDifference(ours, list.flat().map(Number), exact);
      if (difference !== undefined) return `transitions[${state}][${action}] ${difference}`;
    }
  }
  return undefined;
}

const VALUES_KEY = /^optimal_values_gamma_(\d+)_(\d+)$/;

function valueDifference(file: GoldenFile, table: TransitionTable): Problem {
  for (const [key, expected] of Object.entries(file as unknown as Record<string, number[]>)) {
    const [, whole, fraction] = VALUES_KEY.exec(key) ?? [];
    if (fraction === undefined) continue;
    const difference = firstDifference(optimalValues(table, Number(`${whole}.${fraction}`)), expected, {
      rtol: 1e-8,
      atol: 1e-8,
    });
    if (difference !== undefined) return `${key} ${difference}`;
  }
  return undefined;
}

/** Steps from every state with every action, a few draws each: what comes of them must be in the table. */
async function drawDifference(table: TransitionTable, executor: GoldenExecutor): Promise<Problem> {
  const program = mdp(table);
  const pairs = table.outcomes.flatMap((row, state) =>
    row.map((_, action): Step => ({ state: [state], action: [action], number: 1 })),
  );
  const seen = pairs.map(() => new Set<Outcome>());
  for (let draw = 0; draw < 8; draw++) {
    for (const [i, { state, signals, terminated }] of (await takeSteps(program, pairs, executor, draw)).entries()) {
      const [from, action] = [pairs[i].state[0], pairs[i].action[0]];
      const match = table.outcomes[from][action].find(
        (outcome) =>
          outcome.next === state[0] && Math.fround(outcome.reward) === signals[0] && outcome.terminated === terminated,
      );
      if (match === undefined)
        return `state ${from}, action ${action}: came to state ${state[0]} with reward ${signals[0]}, which is not in the table`;
      seen[i].add(match);
    }
  }
  const choices = pairs.map(({ state, action }) => table.outcomes[state[0]][action[0]]);
  const alwaysSame =
    choices.some((list) => new Set(list.map(({ next }) => next)).size > 1) && seen.every((set) => set.size < 2);
  return alwaysSame ? 'every draw took the same outcome' : undefined;
}

type Triple = [object: number, colour: number, state: number];

interface GridCase {
  readonly note: string;
  readonly inputs: {
    readonly environment: string;
    /** `[x][y]` */
    readonly grid: Triple[][];
    readonly agent_pos: [number, number];
    readonly agent_dir: number;
    readonly max_steps: number;
    readonly see_through_walls?: boolean;
    readonly actions: number[];
  };
  readonly expected: {
    readonly steps: {
      readonly agent_pos: [number, number];
      readonly agent_dir: number;
      readonly carrying: [keyof typeof OBJECT, keyof typeof COLOUR] | null;
      readonly reward: number;
      readonly terminated: boolean;
      readonly truncated: boolean;
      /** `[x][y]` */
      readonly view: Triple[][];
    }[];
    readonly final_grid: Triple[][];
  };
}

/** Layouts from a case draw nothing. */
const NO_RANDOM = new Random(0, 0, 0, 0);

/** The environments that MiniGrid builds with see_through_walls=True. */
const SEE_THROUGH = /^MiniGrid-(Empty|DistShift|Dynamic-Obstacles|Fetch|GoToDoor|GoToObject|PutNear)/;

/** minigrid: trajectories on given grids. The grid between two steps is ours, the rest is recorded. */
export const minigridGolden: GoldenCheck = (file, executor) =>
  eachCase(file.cases as unknown as GridCase[], async ({ inputs, expected }) => {
    const [width, height] = [inputs.grid.length, inputs.grid[0].length];
    const program = gridWorld({
      level: customLevel({
        width,
        height,
        cells: rowMajor(inputs.grid),
        agent: { at: inputs.agent_pos, direction: inputs.agent_dir },
      }),
      width,
      height,
      maxSteps: inputs.max_steps,
      randomStart: false,
      view: 'partial',
      seeThrough: inputs.see_through_walls ?? SEE_THROUGH.test(inputs.environment),
      encoding: 'raw',
      mask: false,
    });
    const steps = recordedSteps(program, inputs);
    const taken = await takeSteps(program, steps, executor);
    for (const [t, want] of expected.steps.entries()) {
      const problem = gridDifference(taken[t], new GridState(width, height, taken[t].state), want);
      if (problem !== undefined) return `step ${t + 1}: ${problem}`;
      const truncated = t + 1 >= program.maxSteps;
      if (truncated !== want.truncated) return `step ${t + 1}: truncated is ${truncated}`;
    }
    const last = new GridState(width, height, taken[taken.length - 1].state);
    const cells = rowMajor(inputs.grid).map((_, i) => last.cell([i % width, Math.floor(i / width)]));
    return named('final_grid', firstDifference(cells, rowMajor(expected.final_grid), { rtol: 0, atol: 0 }));
  });

/** The state before each action. Whole numbers throughout, so the reference's states are the executor's own. */
function recordedSteps(program: EnvironmentProgram, { actions }: GridCase['inputs']): Step[] {
  const state = new Float32Array(program.stateSize);
  const signal = new Float32Array(program.signals.length);
  program.reset(state, 0, NO_RANDOM);
  return actions.map((action, t): Step => {
    const before = state.slice();
    program.step(state, 0, Float32Array.of(action), 0, t + 1, NO_RANDOM, signal);
    return { state: before, action: [action], number: t + 1 };
  });
}

function gridDifference(taken: Stepped, grid: GridState, want: GridCase['expected']['steps'][number]): Problem {
  const carried = want.carrying === null ? EMPTY : cellOf(OBJECT[want.carrying[0]], COLOUR[want.carrying[1]]);
  const near = { rtol: 1e-6, atol: 1e-6 };
  return (
    named('agent_pos', firstDifference(grid.agent, want.agent_pos, near)) ??
    named('agent_dir', firstDifference(grid.direction, want.agent_dir, near)) ??
    named(
      'carrying',
      firstDifference([objectOf(grid.carried), colourOf(grid.carried)], [objectOf(carried), colourOf(carried)], near),
    ) ??
    named('reward', firstDifference(taken.signals[0], want.reward, near)) ??
    named('view', firstDifference(decodeView(taken.observation), want.view.flat(2), near)) ??
    (taken.terminated === want.terminated ? undefined : `terminated is ${taken.terminated}`)
  );
}

/** The raw observation back to MiniGrid's numbers, `[x][y][object, colour, state]`. */
function decodeView(observation: Float32Array): number[] {
  const scale = [10, 5, 3];
  return Array.from(observation.subarray(0, 7 * 7 * 3), (value, i) => value * scale[i % 3]);
}

/** `[x][y]` triples to cells, `cells[y * width + x]`. */
function rowMajor(grid: readonly Triple[][]): number[] {
  return grid[0].flatMap((_, y) => grid.map((column) => cellOf(...column[y])));
}

const frozenLakeGolden = tableGolden(({ map_name, desc, is_slippery = true, success_rate = 1 / 3 }) =>
  frozenLakeTable(desc ?? FROZEN_LAKE_MAPS[map_name ?? '8x8'], {
    slippery: is_slippery,
    successRate: success_rate,
    maxSteps: 100,
  }),
);

/** By the `name` of the file. */
export const ENVIRONMENT_GOLDEN: readonly (readonly [string, GoldenCheck])[] = [
  ['CartPole-v1', trajectoryGolden(cartPole())],
  ['MountainCar-v0', trajectoryGolden(mountainCar())],
  ['MountainCarContinuous-v0', trajectoryGolden(mountainCarContinuous())],
  ['Acrobot-v1', trajectoryGolden(acrobot())],
  ['Pendulum-v1', trajectoryGolden(pendulum())],
  ['FrozenLake-v1', frozenLakeGolden],
  ['FrozenLake8x8-v1', frozenLakeGolden],
  ['CliffWalking-v0', tableGolden(() => cliffWalkingTable(0))],
  ['CliffWalking-v1', tableGolden(() => cliffWalkingTable(0))],
  ['Taxi-v3', tableGolden(() => taxiTable(200))],
  ['MiniGrid', minigridGolden],
];
