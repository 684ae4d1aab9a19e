/** What every control environment promises, whichever it is. A new environment is covered by being in the registry. */
import { describe, expect, it } from 'vitest';
import { takeSteps } from '../../../kernels/environment/golden';
import { actionSize, type EnvironmentProgram, STATE_HEADER } from '../../../kernels/environment/program';
import { environmentKernels } from '../../../kernels/environment/step';
import { resultSize, transition } from '../../../kernels/environment/transition';
import { firstDifference } from '../../../kernels/golden/read';
import { Random } from '../../../kernels/random/threefry';
import { executors, runOnce } from '../device/testing';
import type { EnvironmentInstance } from './environment';
import { ENVIRONMENTS } from './index';

interface Variant {
  readonly name: string;
  readonly id: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Bounds of each word of a fresh state, where it is drawn from a range. */
  readonly reset?: readonly (readonly [number, number])[];
  /** Whole numbers only: both executors must agree exactly. */
  readonly exact: boolean;
  /** Two fresh copies may be alike, since nothing in the state is drawn. */
  readonly fixedStart?: boolean;
}

const EVERYTHING = `
  #########
  #>.K0.d1..#
  #.BX(B3).D0._#
  #LX..o5..#
  #....#.G#
  #########`;
const grid = (name: string, parameters: Record<string, unknown>, fixedStart = false): Variant => {
  return { name: `minigrid ${name}`, id: 'minigrid', parameters, exact: true, fixedStart };
};
const VARIANTS: readonly Variant[] = [
  { name: 'cartpole', id: 'cartpole', parameters: {}, reset: Array(4).fill([-0.05, 0.05]), exact: false },
  {
    name: 'mountain-car',
    id: 'mountain-car',
    parameters: {},
    reset: [
      [-0.6, -0.4],
      [0, 0],
    ],
    exact: false,
  },
  {
    name: 'mountain-car-continuous',
    id: 'mountain-car-continuous',
    parameters: {},
    reset: [
      [-0.6, -0.4],
      [0, 0],
    ],
    exact: false,
  },
  { name: 'acrobot', id: 'acrobot', parameters: {}, reset: Array(4).fill([-0.1, 0.1]), exact: false },
  {
    name: 'pendulum',
    id: 'pendulum',
    parameters: {},
    reset: [
      [-Math.PI, Math.PI],
      [-1, 1],
      [0, 0],
    ],
    exact: false,
  },
  grid('Empty 5', { level: 'empty', size: 5 }, true),
  grid('Empty 16, raw, random start', { level: 'empty', size: 16, encoding: 'raw', start: 'random' }),
  grid('DoorKey 5', { level: 'doorkey', size: 5 }),
  grid('DoorKey 6, masked', { level: 'doorkey', size: 6, mask: true }),
  grid('DoorKey 8, full, raw', { level: 'doorkey', size: 8, view: 'full', encoding: 'raw' }),
  grid('DoorKey 16, full', { level: 'doorkey', size: 16, view: 'full' }),
  grid('LavaGap 5', { level: 'lavagap', size: 5 }),
  grid('LavaGap 7, random start', { level: 'lavagap', size: 7, start: 'random' }),
  grid('FourRooms', { level: 'fourrooms' }),
  grid('FourRooms, full', { level: 'fourrooms', view: 'full' }),
  grid('custom with every object', { level: 'custom', map: EVERYTHING, mask: true }, true),
  grid('custom, random start', { level: 'custom', map: EVERYTHING, start: 'random' }),
  { name: 'frozen-lake 4x4', id: 'frozen-lake', parameters: {}, exact: true, fixedStart: true },
  {
    name: 'frozen-lake 8x8, dry',
    id: 'frozen-lake',
    parameters: { map: '8x8', slippery: false },
    exact: true,
    fixedStart: true,
  },
  { name: 'cliff-walking', id: 'cliff-walking', parameters: {}, exact: true, fixedStart: true },
  { name: 'taxi', id: 'taxi', parameters: { mask: true }, exact: true },
  { name: 'taxi, state numbers', id: 'taxi', parameters: { observation: 'state' }, exact: true },
  { name: 'mdp', id: 'mdp', parameters: {}, exact: true, fixedStart: true },
  { name: 'bandit', id: 'bandit', parameters: {}, exact: false, fixedStart: true },
  {
    name: 'bandit, Gaussian, redrawn, drifting',
    id: 'bandit',
    parameters: { redrawn: true, drift: 0.1, pulls: 20, memory: true },
    exact: false,
  },
  {
    name: 'bandit, Bernoulli, redrawn, drifting',
    id: 'bandit',
    parameters: { kind: 'bernoulli', redrawn: true, drift: 0.1, pulls: 20, memory: true },
    exact: false,
  },
];

function instance({ id, parameters }: Variant): EnvironmentInstance {
  const built = ENVIRONMENTS[id].build(parameters, 'environment.parameters');
  if ('problems' in built) throw new Error(JSON.stringify(built.problems));
  return built.instance;
}

/** Resets `count` copies on every executor; the results begin as NaN, so that a gap shows. */
async function resets(program: EnvironmentProgram, count: number, seed: number) {
  const buffers = {
    state: new Float32Array(count * program.stateSize).fill(Number.NaN),
    tables: program.tables.length > 0 ? program.tables : new Float32Array(1),
    actions: new Float32Array(count * actionSize(program.action)),
    steps: new Uint32Array(count),
    result: new Float32Array(count * resultSize(program)).fill(Number.NaN),
  };
  const both = [];
  for (const executor of await executors())
    both.push(await runOnce(executor, transition(program), buffers, { count, seed, draw: 0, reset: 1 }));
  return both as { state: Float32Array; result: Float32Array }[];
}

/** A legal action drawn at random, beyond the bounds at times where they are continuous. */
function randomAction({ action }: EnvironmentProgram, legal: number, random: Random): number[] {
  if (action.kind === 'continuous')
    return action.low.map((low, i) => 1.5 * (low + random.uniform() * (action.high[i] - low)));
  const choices = Array.from({ length: action.count }, (_, i) => i).filter((i) => (legal >> i) & 1);
  return [choices[random.below(choices.length)]];
}

/** States and actions of `count` steps with random actions, from the TypeScript program. */
function walk(program: EnvironmentProgram, count: number, seed: number) {
  const state = new Float32Array(program.stateSize);
  const signal = new Float32Array(program.signals.length);
  let number = 0;
  return Array.from({ length: count }, (_, t) => {
    if (number === 0) program.reset(state, 0, new Random(seed, 1, 0, t));
    const action = randomAction(program, program.legal(state, 0), new Random(seed, 2, 0, t));
    const step = { state: state.slice(), action, number: number + 1 };
    const ended = program.step(state, 0, Float32Array.from(action), 0, number + 1, new Random(seed, 3, 0, t), signal);
    number = ended || number + 1 === program.maxSteps ? 0 : number + 1;
    return step;
  });
}

/** Many copies through the wrapper that training uses: time limit, automatic reset, record. */
async function rollouts(program: EnvironmentProgram, copies: number, horizon: number) {
  const rows = copies * horizon;
  const { step, reset } = environmentKernels(program);
  const legal = 2 ** (program.action.kind === 'discrete' ? program.action.count : 0) - 1;
  const actions = Array.from({ length: rows }, (_, row) => randomAction(program, legal, new Random(5, 5, row, 0)));
  const record = [];
  for (const executor of await executors()) {
    const buffers = {
      state: executor.createBuffer('state', 'f32', copies * (STATE_HEADER + program.stateSize)),
      tables: executor.createBuffer('tables', 'f32', Math.max(program.tables.length, 1)),
      actions: executor.createBuffer('actions', 'f32', rows * actionSize(program.action)),
      observations: executor.createBuffer('observations', 'f32', (rows + copies + rows) * program.observationSize),
      signals: executor.createBuffer('signals', 'f32', rows * program.signals.length),
      terminated: executor.createBuffer('terminated', 'f32', rows),
      truncated: executor.createBuffer('truncated', 'f32', rows),
      masks: executor.createBuffer('masks', 'u32', rows + copies),
    };
    if (program.tables.length > 0) executor.upload(buffers.tables, program.tables);
    executor.upload(buffers.actions, Float32Array.from(actions.flat()));
    const uniforms = {
      copies,
      first: 0,
      final_first: rows + copies,
      seed: 3,
      step_stream: 3,
      reset_stream: 4,
      step: 0,
    };
    const limits = { max_steps: Math.min(program.maxSteps || 40, 40), episode_limit: 0 };
    executor.run(reset, buffers, { ...uniforms, ...limits });
    for (let t = 0; t < horizon; t++)
      executor.run(step, buffers, { ...uniforms, ...limits, first: t * copies, step: t });
    const read = async (name: keyof typeof buffers) => [name, await executor.download(buffers[name])] as const;
    record.push(
      Object.fromEntries(
        await Promise.all(
          (['state', 'observations', 'signals', 'terminated', 'truncated', 'masks'] as const).map(read),
        ),
      ),
    );
    for (const buffer of Object.values(buffers)) executor.destroyBuffer(buffer);
  }
  return record;
}

it('covers every environment of the registry', () => {
  expect(new Set(VARIANTS.map(({ id }) => id))).toEqual(new Set(Object.keys(ENVIRONMENTS)));
});

describe.each(VARIANTS)('$name', (variant) => {
  const { program, ...world } = instance(variant);
  const tolerance = variant.exact ? { rtol: 0, atol: 1e-7 } : { rtol: 1e-5, atol: 1e-5 };

  it('says its sizes, names its actions and signals', () => {
    expect(program.stateSize).toBeGreaterThan(0);
    expect(program.observationSize).toBeGreaterThan(0);
    expect(program.signals[0]).toBe('reward');
    expect(program.signals.at(-1)).toBe('success');
    expect(new Set(program.signals).size).toBe(program.signals.length);
    if (program.action.kind === 'discrete') expect(program.action.names).toHaveLength(program.action.count);
    else expect(program.action.low).toHaveLength(program.action.size);
  });

  it('resets within its range, alike on both executors, and writes every number', async () => {
    const [cpu, gpu] = await resets(program, 70, 0);
    expect(firstDifference(gpu.state, cpu.state, tolerance)).toBeUndefined();
    expect(firstDifference(gpu.result, cpu.result, tolerance)).toBeUndefined();
    for (const { state, result } of [cpu, gpu]) {
      expect(state.every(Number.isFinite)).toBe(true);
      expect(result.every(Number.isFinite)).toBe(true);
      for (const [word, [low, high]] of (variant.reset ?? []).entries()) {
        const drawn = Array.from({ length: 70 }, (_, row) => state[row * program.stateSize + word]);
        expect(Math.min(...drawn)).toBeGreaterThanOrEqual(low - 1e-6);
        expect(Math.max(...drawn)).toBeLessThanOrEqual(high + 1e-6);
        // 70 draws reach over three quarters of the range
        expect(Math.max(...drawn) - Math.min(...drawn)).toBeGreaterThanOrEqual(0.75 * (high - low));
      }
    }
  });

  it('depends on seed and copy, and on nothing else', async () => {
    const [[, first], [, again], [, other]] = [
      await resets(program, 70, 0),
      await resets(program, 70, 0),
      await resets(program, 70, 1),
    ];
    expect(again).toEqual(first);
    if (variant.fixedStart) return;
    expect(other.state).not.toEqual(first.state);
    const rows = new Set(
      Array.from({ length: 70 }, (_, row) =>
        first.state.slice(row * program.stateSize, (row + 1) * program.stateSize).join(),
      ),
    );
    expect(rows.size).toBeGreaterThan(1);
  });

  it('takes 200 random steps alike on both executors, with finite numbers and legal actions', async () => {
    const steps = walk(program, 200, 7);
    const [cpu, gpu] = await Promise.all((await executors()).map((executor) => takeSteps(program, steps, executor)));
    for (const [t, expected] of cpu.entries()) {
      const where = `step ${t + 1} of the walk`;
      expect(firstDifference(gpu[t].state, expected.state, tolerance), `${where}, state`).toBeUndefined();
      expect(
        firstDifference(gpu[t].observation, expected.observation, tolerance),
        `${where}, observation`,
      ).toBeUndefined();
      expect(firstDifference(gpu[t].signals, expected.signals, tolerance), `${where}, signals`).toBeUndefined();
      expect(gpu[t].terminated, where).toBe(expected.terminated);
      expect(gpu[t].legal, where).toBe(expected.legal);
      for (const numbers of [expected.state, expected.observation, expected.signals])
        expect(numbers.every(Number.isFinite)).toBe(true);
      expect(expected.legal, where).toBeGreaterThan(0);
      if (!program.masksActions && program.action.kind === 'discrete')
        expect(expected.legal).toBe(2 ** program.action.count - 1);
    }
  });

  it('rolls out alike on both executors, through time limit and automatic reset', async () => {
    // Classic dynamics amplify rounding: few steps, and a wider tolerance.
    const horizon = variant.exact ? 200 : 20;
    const [cpu, gpu] = await rollouts(program, 5, horizon);
    for (const [name, expected] of Object.entries(cpu)) {
      const allowed = variant.exact ? tolerance : { rtol: 1e-3, atol: 1e-3 };
      expect(firstDifference(gpu[name], expected, allowed), name).toBeUndefined();
      expect(gpu[name].every(Number.isFinite), name).toBe(true);
    }
    const ends = [...gpu.terminated, ...gpu.truncated].reduce((sum, end) => sum + end, 0);
    if (horizon > 40) expect(ends).toBeGreaterThanOrEqual(5 * Math.floor(horizon / 40));
  });

  it('draws a picture of any state, and probes that can be observed', () => {
    for (const { state, action } of walk(program, 20, 3)) {
      const view = world.view(state, action, 1);
      expect(JSON.stringify(view)).not.toContain('null,null');
      const probes = world.probes?.(state);
      if (probes === undefined) continue;
      const count = probes.rows.length / program.stateSize;
      expect(probes.cells).toHaveLength(count);
      expect(new Set(probes.cells).size).toBe(count);
      expect(Math.max(...probes.cells)).toBeLessThan(probes.width * probes.height);
      expect(probes.directions).toHaveLength(program.action.kind === 'discrete' ? program.action.count : 0);
      const observation = new Float32Array(program.observationSize);
      for (let row = 0; row < count; row++) program.observe(probes.rows, row * program.stateSize, observation, 0);
      expect(observation.every(Number.isFinite)).toBe(true);
    }
  });
});
