import { describe, expect, it } from 'vitest';
import { flags, normals } from '../../../../kernels/agree';
import { floats } from '../../../../kernels/golden/adapter';
import { firstDifference, type GoldenCase, readGolden, scalar, shapeOf } from '../../../../kernels/golden/read';
import type { TypedArray } from '../../../../kernels/kernel';
import type { Executor } from '../../device/executor';
import { BufferPool } from '../../device/pool';
import { executors } from '../../device/testing';
import { type AnyParameters, checkParameters } from '../../parameters';
import type { TokenRollout } from '../token_stage';
import { TOKEN_ADVANTAGES } from './index';

/** A rollout as plain arrays; what is left out is 0. */
interface Episodes {
  readonly sequences: number;
  readonly length: number;
  readonly mask: ArrayLike<number>;
  readonly rewards: ArrayLike<number>;
  readonly turns?: ArrayLike<number> | undefined;
  readonly groups?: ArrayLike<number> | undefined;
  readonly anchors?: ArrayLike<number> | undefined;
  readonly values?: ArrayLike<number> | undefined;
  readonly finalValues?: ArrayLike<number> | undefined;
  readonly baselines?: ArrayLike<number> | undefined;
  readonly behaviourLogProbs?: ArrayLike<number> | undefined;
  readonly proximalLogProbs?: ArrayLike<number> | undefined;
}

const INTEGERS = new Set(['turns', 'groups', 'anchors']);
const BY_SEQUENCE = new Set(['groups', 'finalValues', 'baselines']);
const ARRAYS = [
  'mask',
  'turns',
  'groups',
  'anchors',
  'rewards',
  'values',
  'finalValues',
  'baselines',
  'behaviourLogProbs',
  'proximalLogProbs',
  'advantages',
  'returns',
] as const;

async function applyOn(executor: Executor, id: string, parameters: AnyParameters, episodes: Episodes) {
  const { sequences, length } = episodes;
  const pool = new BufferPool(executor);
  const arrays = Object.fromEntries(
    ARRAYS.map((name) => {
      const size = BY_SEQUENCE.has(name) ? sequences : sequences * length;
      const buffer = pool.get(`rollout/${name}`, INTEGERS.has(name) ? 'u32' : 'f32', size);
      const given = (episodes as unknown as Record<string, ArrayLike<number> | undefined>)[name];
      if (given) executor.upload(buffer, INTEGERS.has(name) ? Uint32Array.from(given) : Float32Array.from(given));
      // The stage owns these two: what an update before left there must not matter.
      if (name === 'advantages' || name === 'returns') executor.upload(buffer, new Float32Array(size).fill(99));
      return [name, buffer];
    }),
  );
  const rollout = { sequences, length, ...arrays } as unknown as TokenRollout;
  const stage = TOKEN_ADVANTAGES[id];
  const checked = checkParameters(stage.parameters, parameters, id);
  expect(checked.problems).toEqual([]);
  await executor.prepare(stage.kernels);
  // Twice: scratch that an update leaves behind must not change the next one.
  for (let update = 0; update < 2; update++) stage.apply({ executor, pool, rollout }, checked.parameters);
  const [advantages, returns] = await executor.downloadAll([
    { buffer: rollout.advantages },
    { buffer: rollout.returns },
  ]);
  pool.destroy();
  return { advantages, returns };
}

/** On both executors, which must agree; what WebGPU found. */
async function apply(id: string, parameters: AnyParameters, episodes: Episodes) {
  const [cpu, gpu] = await Promise.all(
    (await executors()).map((executor) => applyOn(executor, id, parameters, episodes)),
  );
  for (const name of ['advantages', 'returns'] as const)
    expect(firstDifference(gpu[name], cpu[name], { rtol: 1e-4, atol: 1e-5 }), `${id} ${name}`).toBeUndefined();
  return gpu;
}

const rounded = (numbers: TypedArray, digits = 4) => [...numbers].map((x) => Number(x.toFixed(digits)) + 0);

/** 12 episodes of up to 20 tokens: observation, then turns of 2 to 4 tokens with an observation between them. */
function randomEpisodes(): Episodes {
  const [sequences, length] = [12, 20];
  const size = sequences * length;
  const [mask, turns, rewards] = [new Float32Array(size), new Uint32Array(size), new Float32Array(size)];
  const noise = normals(size, 1);
  for (let s = 0; s < sequences; s++) {
    const end = 8 + ((s * 5) % 12);
    let turn = 0;
    let left = 2 + (s % 3);
    for (let t = 1; t < end; t++) {
      const i = s * length + t;
      turns[i] = turn;
      if (left > 0) {
        mask[i] = 1;
        left -= 1;
        if (left === 0 || t === end - 1) rewards[i] = noise[i];
      } else {
        turn += 1;
        left = 2 + ((s + t) % 3);
        turns[i] = turn;
      }
    }
  }
  return {
    sequences,
    length,
    mask,
    turns,
    rewards,
    groups: Uint32Array.from({ length: sequences }, (_, s) => (s === 11 ? 9 : s % 3)),
    anchors: Uint32Array.from(turns, (turn, i) => 7 + Math.min(turn, 1) + 3 * Number(i % 2 === 0 && turn > 2)),
    values: normals(size, 2),
    finalValues: flags(sequences, 0.3, 3),
    baselines: normals(sequences, 4),
    behaviourLogProbs: normals(size, 5, -1, 0.5),
    proximalLogProbs: normals(size, 6, -1, 0.5),
  };
}

const VARIANTS: readonly (readonly [string, AnyParameters])[] = [
  ...['none', 'batch-mean', 'critic'].map((baseline) => ['return-to-go', { gamma: 0.9, baseline }] as const),
  ['return-to-go', { gamma: 0.5, unit: 'turn' }],
  ...['token', 'turn', 'dual', 'bilevel'].flatMap((unit) => [
    ['token-gae', { unit, gamma: 0.98 }] as const,
    ['token-gae', { unit, alpha: 0.7, decoupled: true, whiten: false }] as const,
    ['token-gae', { unit, q: 0.5 }] as const,
  ]),
  ...['none', 'group', 'batch', 'nonzero'].flatMap((scale) =>
    ['mean', 'length-weighted', 'second-best'].map((baseline) => ['group-relative', { scale, baseline }] as const),
  ),
  ['leave-one-out', {}],
  ['reinforce-plus-plus', { gamma: 0.97 }],
  ['reinforce-plus-plus', { observations: 'reset' }],
  ['reinforce-plus-plus', { groupMean: true }],
  ['remax', {}],
  ...['outcome', 'merged', 'turn'].map((mode) => ['turn-level', { mode, coefficient: 0.5 }] as const),
  ...['mean', 'mean-std'].flatMap((mode) =>
    ['episodes', 'steps'].map((weighting) => ['gigpo', { mode, weighting }] as const),
  ),
  ['v-trace', { gamma: 0.95, rhoBar: 1.5 }],
  ['step-scores', {}],
  ['step-scores', { scale: 'group' }],
];

describe('every stage', () => {
  it('is in the table by its own id, says what it is, and is tried below', () => {
    for (const [id, stage] of Object.entries(TOKEN_ADVANTAGES)) {
      expect(stage.id).toBe(id);
      for (const text of [stage.title, stage.summary, stage.formula, stage.source]) expect(text).not.toBe('');
      for (const field of Object.values(stage.parameters)) expect(field.help).not.toBe('');
      expect(VARIANTS.some(([tried]) => tried === id)).toBe(true);
    }
  });

  it.each(VARIANTS)('%s %o: both executors agree, and only tokens of mask 1 get anything', async (id, parameters) => {
    const episodes = randomEpisodes();
    const { advantages, returns } = await apply(id, parameters, episodes);
    expect([...returns].every(Number.isFinite)).toBe(true);
    const taught = [...advantages].filter((_, i) => episodes.mask[i] === 1);
    expect(taught.every((advantage) => Number.isFinite(advantage) && advantage !== 99)).toBe(true);
    expect(taught.some((advantage) => advantage !== 0)).toBe(true);
    expect([...advantages].every((advantage, i) => episodes.mask[i] === 1 || advantage === 0)).toBe(true);
  });

  it('changes with each of its settings', async () => {
    const episodes = randomEpisodes();
    const base: Readonly<Record<string, AnyParameters>> = {
      'return-to-go': { gamma: 0.9 },
      'token-gae': { unit: 'dual', decoupled: true },
      'reinforce-plus-plus': { gamma: 0.9 },
    };
    for (const [id, stage] of Object.entries(TOKEN_ADVANTAGES)) {
      const from = base[id] ?? {};
      const hash = async (parameters: AnyParameters) => {
        const [cpu] = await executors();
        const { advantages, returns } = await applyOn(cpu, id, parameters, episodes);
        return [...advantages, ...returns].join(' ');
      };
      const before = await hash(from);
      for (const [key, field] of Object.entries(stage.parameters)) {
        const now = from[key] ?? field.default;
        const others: readonly unknown[] =
          field.kind === 'choice'
            ? field.options.map((option) => option.value).filter((value) => value !== now)
            : [field.kind === 'flag' ? !now : 0.35];
        for (const value of others) expect(await hash({ ...from, [key]: value }), `${id}.${key}`).not.toBe(before);
      }
    }
  });
});

/** Four episodes of one task, two turns of two tokens with an observation between: rewards by turn. */
function twoTurns(first: readonly number[], last: readonly number[], more: Partial<Episodes> = {}): Episodes {
  const sequences = first.length;
  const row = (values: readonly number[]) => Array.from({ length: sequences }, () => values).flat();
  return {
    sequences,
    length: 7,
    mask: row([0, 1, 1, 0, 1, 1, 0]),
    turns: row([0, 0, 0, 0, 1, 1, 1]),
    rewards: first.flatMap((reward, s) => [0, 0, reward, 0, 0, last[s], 0]),
    ...more,
  };
}
const GROUPS = ['group-relative', 'leave-one-out', 'turn-level', 'gigpo', 'step-scores'];

describe('by hand', () => {
  it.each(GROUPS)('%s: equal rewards teach exactly nothing (F8)', async (id) => {
    const episodes = twoTurns(Array(5).fill(0.94), Array(5).fill(123.4));
    const { advantages } = await apply(id, {}, { ...episodes, anchors: episodes.turns });
    expect([...advantages]).toEqual(Array(35).fill(0));
  });

  it.each(GROUPS)('%s: groups of one teach nothing (F3)', async (id) => {
    const episodes = twoTurns([1, 2, 3], [4, 5, 6], { groups: [0, 1, 2] });
    const { advantages } = await apply(id, {}, { ...episodes, anchors: episodes.turns });
    expect([...advantages]).toEqual(Array(21).fill(0));
  });

  it('whitening of equal returns gives 0, of one token too (F3)', async () => {
    const one = { sequences: 1, length: 2, mask: [0, 1], rewards: [0, 5] };
    expect([...(await apply('reinforce-plus-plus', {}, one)).advantages]).toEqual([0, 0]);
    const equal = twoTurns([0, 0], [0.94, 0.94]);
    expect([...(await apply('reinforce-plus-plus', {}, equal)).advantages]).toEqual(Array(14).fill(0));
  });

  it('GRPO: [1, 0, 1, 0] becomes ±0.866 (F8); Dr. GRPO ±0.5; RLOO ±2/3', async () => {
    const episodes = twoTurns([0, 0, 0, 0], [1, 0, 1, 0]);
    const firsts = async (id: string, parameters: AnyParameters) =>
      rounded((await apply(id, parameters, episodes)).advantages, 3).filter((_, i) => i % 7 === 1);
    expect(await firsts('group-relative', {})).toEqual([0.866, -0.866, 0.866, -0.866]);
    expect(await firsts('group-relative', { scale: 'none' })).toEqual([0.5, -0.5, 0.5, -0.5]);
    expect(await firsts('leave-one-out', {})).toEqual([0.667, -0.667, 0.667, -0.667]);
  });

  it('returns are the rewards to go, over observations', async () => {
    const { returns } = await apply('group-relative', {}, twoTurns([1, 0], [2, 0]));
    expect([...returns].slice(1, 6)).toEqual([3, 3, 2, 2, 2]);
  });

  it('return to go by token and by turn; a truncated episode goes on with V', async () => {
    const episodes = twoTurns([1], [2], { finalValues: [4] });
    const plain = { gamma: 0.5, baseline: 'none' };
    const byToken = await apply('return-to-go', plain, episodes);
    expect([...byToken.advantages]).toEqual([0, 1, 2, 0, 2, 4, 0]);
    const byTurn = await apply('return-to-go', { ...plain, unit: 'turn' }, episodes);
    expect([...byTurn.advantages]).toEqual([0, 3, 3, 0, 4, 4, 0]);
  });

  it('ReMax subtracts the greedy reward of the task', async () => {
    const { advantages } = await apply('remax', {}, twoTurns([0, 0], [1, 0], { baselines: [0.25, 0.5] }));
    expect([...advantages]).toEqual([0, 0.75, 0.75, 0, 0.75, 0.75, 0, 0, -0.5, -0.5, 0, -0.5, -0.5, 0]);
  });

  it('turn-level: only the turns before the last get their own reward, and three arms differ in one switch', async () => {
    const episodes = twoTurns([1, 0, 1, 0], [1, 1, 0, 0]);
    const first = async (mode: string) => {
      const found = rounded((await apply('turn-level', { mode }, episodes)).advantages, 3);
      return [found[1], found[4], found[8], found[11]];
    };
    expect(await first('outcome')).toEqual([0.866, 0.866, 0.866, 0.866]);
    // Sums 2, 1, 1, 0: deviation √(2/3).
    expect(await first('merged')).toEqual([1.225, 1.225, 0, 0]);
    expect(await first('turn')).toEqual([1.732, 0.866, 0, 0.866]);
  });

  it('turn-level: a last turn is not compared with others’ earlier turns', async () => {
    const episodes = twoTurns([1, 0, 5], [1, 0, 0]);
    // The third episode ends with its first turn, whose reward is then the outcome.
    const mask = Array.from(episodes.mask, (flag, i) => (i > 16 ? 0 : flag));
    const { advantages } = await apply('turn-level', {}, { ...episodes, mask });
    const own = rounded(advantages, 3);
    expect(own[1] - own[4]).toBeCloseTo(Math.SQRT1_2, 2);
    expect(own[8] - own[11]).toBeCloseTo(-Math.SQRT1_2, 2);
  });

  it('step scores: each turn by itself', async () => {
    const { advantages } = await apply('step-scores', {}, twoTurns([1, 0], [0, 4]));
    expect([...advantages]).toEqual([0, 0.5, 0.5, 0, -2, -2, 0, 0, -0.5, -0.5, 0, 2, 2, 0]);
  });

  it('GiGPO: turns that saw the same are compared by their return, others with nobody', async () => {
    const anchors = [
      [5, 8],
      [5, 9],
      [5, 8],
    ].flatMap(([a, b]) => [0, a, a, 0, b, b, 0]);
    const episodes = twoTurns([0, 0, 0], [1, 0, 0], { anchors });
    const settings = { gamma: 0.5, mode: 'mean' };
    const { advantages } = await apply('gigpo', settings, episodes);
    const [whole, rest] = [2 / 3, -1 / 3];
    const firsts = rounded(advantages, 4).filter((_, i) => i % 7 === 1);
    expect(firsts).toEqual(
      [whole + 0.5 * whole, rest + 0.5 * rest, rest + 0.5 * rest].map((x) => Number(x.toFixed(4))),
    );
    const lasts = rounded(advantages, 4).filter((_, i) => i % 7 === 4);
    expect(lasts).toEqual([whole + 0.5, rest, rest - 0.5].map((x) => Number(x.toFixed(4))));
  });

  it('V-trace on its own policy with γ 1 is the n-step return', async () => {
    const episodes = twoTurns([1], [2], { values: [0, 0.5, 0.25, 9, 0.5, 0.75, 9] });
    const { advantages, returns } = await apply('v-trace', {}, episodes);
    expect([...returns].filter((_, i) => episodes.mask[i])).toEqual([3, 3, 2, 2]);
    expect([...advantages].filter((_, i) => episodes.mask[i])).toEqual([2.5, 2.75, 1.5, 1.25]);
  });
});

describe('golden vectors through the stages', () => {
  /** Advantages and returns of a GAE file, where its mask is 1. */
  async function expectGae(
    name: string,
    maskName: string,
    settings: (testCase: GoldenCase) => AnyParameters,
    turnsOf?: (rewards: Float32Array, length: number) => Uint32Array,
  ) {
    const file = readGolden(name);
    for (const { note, inputs, expected } of file.cases) {
      const [sequences, length] = shapeOf(inputs[maskName]) as [number, number];
      const [mask, rewards] = [floats(inputs[maskName]), floats(inputs.token_level_rewards)];
      const turns = turnsOf?.(rewards, length);
      const episodes = { sequences, length, mask, rewards, turns, values: floats(inputs.values) };
      const found = await apply('token-gae', { whiten: true, ...settings({ note, inputs, expected }) }, episodes);
      for (const key of ['advantages', 'returns'] as const)
        expect(
          firstDifference(found[key], expected[key], { rtol: 5e-5, atol: 1e-5 }, mask),
          `${name}, ${note}, ${key}`,
        ).toBeUndefined();
    }
  }

  it('verl_gae', () =>
    expectGae('verl_gae', 'response_mask', ({ inputs }) => ({
      gamma: scalar(inputs.gamma),
      lambda: scalar(inputs.lam),
    })));

  it('length_adaptive_decoupled_gae', () =>
    expectGae('length_adaptive_decoupled_gae', 'response_mask', ({ inputs }) => ({
      gamma: scalar(inputs.gamma),
      ...(inputs.policy_lambda === null ? { alpha: scalar(inputs.alpha) } : { lambda: scalar(inputs.policy_lambda) }),
      decoupled: true,
      criticLambda: scalar(inputs.value_lambda),
    })));

  it('bilevel_gae', () =>
    expectGae(
      'bilevel_gae',
      'loss_mask',
      ({ inputs }) => ({
        unit: 'bilevel',
        gamma: scalar(inputs.gamma),
        lambda: scalar(inputs.lam),
        turnGamma: scalar(inputs.high_level_gamma),
        turnLambda: scalar(inputs.lam),
      }),
      (rewards, length) => {
        const turns = new Uint32Array(rewards.length);
        for (let i = 0; i < turns.length; i++)
          turns[i] = i % length === 0 ? 0 : turns[i - 1] + Number(rewards[i - 1] !== 0);
        return turns;
      },
    ));
});
