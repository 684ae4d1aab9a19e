import { describe, expect, it } from 'vitest';
import { flags, normals } from '../../../../kernels/agree';
import { firstDifference } from '../../../../kernels/golden/read';
import { TOKEN_STATISTICS_SIZE, tokenMetrics } from '../../../../kernels/loss/token_statistics';
import type { Executor } from '../../device/executor';
import { BufferPool } from '../../device/pool';
import { executors } from '../../device/testing';
import { type AnyParameters, checkParameters } from '../../parameters';
import { PREFERENCE_LOSSES } from '../preference_losses';
import type { PreferenceLossContext, TokenMinibatch, TokenRollout } from '../token_stage';
import { TOKEN_LOSSES } from './index';
import { klReward } from './kl_reward';

const SEQUENCES = 6;
const LENGTH = 9;
const SIZE = SEQUENCES * LENGTH;

/** Log-probabilities around others, never above 0. */
const near = (base: Float32Array, seed: number, spread: number) =>
  normals(base.length, seed, 0, spread).map((x, i) => Math.min(-0.01, x + base[i]));
const logProbs = near(new Float32Array(SIZE).fill(-1.5), 1, 0.5);
const MINIBATCH = {
  mask: flags(SIZE, 0.7, 2),
  advantages: normals(SIZE, 3),
  returns: normals(SIZE, 4),
  behaviourLogProbs: near(logProbs, 5, 0.4),
  proximalLogProbs: near(logProbs, 6, 0.3),
  referenceLogProbs: near(logProbs, 7, 0.5),
  oldValues: normals(SIZE, 8),
  logProbs,
  entropies: normals(SIZE, 9, 1, 0.1),
  values: normals(SIZE, 10),
};
const WRITTEN = ['logProbGradient', 'entropyGradient', 'valueGradient'] as const;
type Found = Record<(typeof WRITTEN)[number], Float32Array> & { readonly metrics: Record<string, number> };

async function applyOn(
  executor: Executor,
  id: string,
  own: AnyParameters,
  data: Partial<typeof MINIBATCH> = {},
): Promise<Found> {
  const pool = new BufferPool(executor);
  const upload = (name: string, array: Float32Array) => {
    const buffer = pool.f32(`minibatch ${name}`, array.length);
    executor.upload(buffer, array);
    return buffer;
  };
  const given = Object.entries({ ...MINIBATCH, ...data }).map(([name, array]) => [name, upload(name, array)]);
  // What an update before left there must not matter.
  const left = WRITTEN.map((name) => [name, upload(name, new Float32Array(SIZE).fill(99))]);
  const statistics = upload('statistics', new Float32Array(SEQUENCES * TOKEN_STATISTICS_SIZE).fill(99));
  const arrays = Object.fromEntries([...given, ...left]);
  const minibatch = { sequences: SEQUENCES, length: LENGTH, statistics, ...arrays } as TokenMinibatch;
  const stage = TOKEN_LOSSES[id];
  const { parameters, problems } = checkParameters(stage.parameters, own, id);
  expect(problems).toEqual([]);
  await executor.prepare(stage.kernels);
  stage.apply({ executor, pool, minibatch }, parameters);
  const [rows, ...gradients] = (await executor.downloadAll([
    { buffer: statistics },
    ...WRITTEN.map((name) => ({ buffer: minibatch[name] })),
  ])) as Float32Array[];
  pool.destroy();
  const sums = new Float32Array(TOKEN_STATISTICS_SIZE);
  for (const [i, x] of rows.entries()) sums[i % TOKEN_STATISTICS_SIZE] += x;
  return {
    ...(Object.fromEntries(WRITTEN.map((name, i) => [name, gradients[i]])) as Record<
      (typeof WRITTEN)[number],
      Float32Array
    >),
    metrics: tokenMetrics(sums),
  };
}

/** On both executors, which must agree; what WebGPU found. */
async function apply(id: string, own: AnyParameters = {}, data: Partial<typeof MINIBATCH> = {}): Promise<Found> {
  const [cpu, gpu] = await Promise.all((await executors()).map((executor) => applyOn(executor, id, own, data)));
  for (const name of WRITTEN)
    expect(firstDifference(gpu[name], cpu[name], { rtol: 1e-4, atol: 2e-5 }), `${id}, ${name}`).toBeUndefined();
  expect(Object.keys(gpu.metrics)).toEqual(Object.keys(cpu.metrics));
  for (const [name, value] of Object.entries(gpu.metrics))
    expect(value, `${id}, ${name}`).toBeCloseTo(cpu.metrics[name], 4);
  return gpu;
}

const tokens = MINIBATCH.mask.reduce((sum, flag) => sum + flag, 0);
const ALL_TERMS = { kl_coefficient: 0.1, entropy_coefficient: 0.01, value_coefficient: 0.5, value_clip: 0.2 };
const IDS = Object.keys(TOKEN_LOSSES);
const RATIO_IDS = ['token-ppo', 'gspo', 'gmpo', 'cispo', 'sapo', 'dppo', 'vespo', 'kl-cov'];

describe('losses over tokens as stages', () => {
  it.each(IDS)('%s writes all gradients, 0 where the mask is, and reports what it has', async (id) => {
    for (const own of [{}, ...(id === 'cross-entropy' ? [] : [ALL_TERMS])]) {
      const found = await apply(id, own);
      for (const name of WRITTEN)
        expect(
          found[name].every((slope, i) => Number.isFinite(slope) && (MINIBATCH.mask[i] === 1 || slope === 0)),
        ).toBe(true);
      const withTerms = own === ALL_TERMS;
      expect(found.logProbGradient.some((slope) => slope !== 0)).toBe(true);
      expect(found.entropyGradient.some((slope) => slope !== 0)).toBe(withTerms);
      expect(found.valueGradient.some((slope) => slope !== 0)).toBe(withTerms);
      expect('losses/value_loss' in found.metrics).toBe(withTerms);
      expect('losses/reference_kl' in found.metrics).toBe(withTerms);
      expect('losses/imitation_loss' in found.metrics).toBe(id === 'cross-entropy');
      expect('losses/approx_kl' in found.metrics).toBe(id !== 'cross-entropy');
      expect(found.metrics['losses/entropy']).toBeCloseTo(1, 1);
    }
  });

  it('the loss is the sum of its terms', async () => {
    const { metrics } = await apply('token-ppo', { ...ALL_TERMS, kl_estimator: 'k2' });
    const of = (name: string) => metrics[`losses/${name}`];
    expect(of('loss')).toBeCloseTo(
      of('policy_loss') + 0.5 * of('value_loss') - 0.01 * of('entropy') + 0.1 * of('reference_kl'),
      5,
    );
  });

  it('every way of averaging gives the weight that its name says', async () => {
    const count = (s: number) =>
      MINIBATCH.mask.slice(s * LENGTH, (s + 1) * LENGTH).reduce((sum, flag) => sum + flag, 0);
    const weights: Record<string, (s: number) => number> = {
      'token-mean': () => 1 / tokens,
      'seq-mean-token-mean': (s) => 1 / count(s) / SEQUENCES,
      'seq-mean-token-sum': () => 1 / SEQUENCES,
      'seq-mean-token-sum-norm': () => 1 / SEQUENCES / 32,
    };
    for (const [aggregation, weight] of Object.entries(weights)) {
      const { logProbGradient } = await apply('token-policy-gradient', { aggregation, norm_length: 32 });
      for (let i = 0; i < SIZE; i++)
        expect(logProbGradient[i]).toBeCloseTo(
          MINIBATCH.mask[i] * -weight(Math.floor(i / LENGTH)) * MINIBATCH.advantages[i],
          6,
        );
    }
  });

  it.each(RATIO_IDS)('%s: the decoupled objective is the plain one when nothing is old', async (id) => {
    const same = { behaviourLogProbs: MINIBATCH.proximalLogProbs };
    const plain = await apply(id, {}, same);
    for (const off_policy of ['decoupled', 'decoupled-drop']) {
      const decoupled = await apply(id, { off_policy }, same);
      expect(
        firstDifference(decoupled.logProbGradient, plain.logProbGradient, { rtol: 1e-5, atol: 1e-7 }),
      ).toBeUndefined();
    }
  });

  it('the decoupled objective weighs older tokens up to the cap, or leaves them out', async () => {
    const proximalLogProbs = MINIBATCH.logProbs;
    const cap = 1.2;
    const own = { off_policy_cap: cap, clip_low: 1, clip_high: 100 };
    for (const off_policy of ['decoupled', 'decoupled-drop']) {
      const { logProbGradient } = await apply('token-ppo', { ...own, off_policy }, { proximalLogProbs });
      for (let i = 0; i < SIZE; i++) {
        const importance = Math.exp(proximalLogProbs[i] - MINIBATCH.behaviourLogProbs[i]);
        const weight = importance <= cap ? importance : off_policy === 'decoupled' ? cap : 0;
        expect(logProbGradient[i]).toBeCloseTo((-MINIBATCH.mask[i] * weight * MINIBATCH.advantages[i]) / tokens, 5);
      }
    }
  });

  it('the KL stands in the loss or in the reward, not in both', async () => {
    const of = (kl_place: string, kl_coefficient = 0.1) => {
      const { parameters } = checkParameters(
        TOKEN_LOSSES['token-ppo'].parameters,
        { kl_place, kl_coefficient },
        'loss',
      );
      return TOKEN_LOSSES['token-ppo'].plan(parameters);
    };
    expect(of('loss')).toMatchObject({ needsReference: true, klReward: { coefficient: 0 } });
    expect(of('reward')).toMatchObject({ needsReference: true, klReward: { coefficient: 0.1, estimator: 'k3' } });
    expect(of('loss', 0)).toMatchObject({ needsReference: false, klReward: { coefficient: 0 } });
    const rewarded = await apply('token-ppo', { kl_place: 'reward', kl_coefficient: 0.1 });
    expect(rewarded.logProbGradient).toEqual((await apply('token-ppo')).logProbGradient);
  });

  it('the KL in the reward is taken from tokens that teach', async () => {
    for (const executor of await executors()) {
      const pool = new BufferPool(executor);
      const names = ['mask', 'behaviourLogProbs', 'referenceLogProbs'] as const;
      const arrays = Object.fromEntries(
        names.map((name) => {
          executor.upload(pool.f32(name, SIZE), MINIBATCH[name]);
          return [name, pool.f32(name, SIZE)];
        }),
      );
      const rewards = pool.f32('rewards', SIZE);
      executor.upload(rewards, new Float32Array(SIZE).fill(1));
      const rollout = { sequences: SEQUENCES, length: LENGTH, rewards, ...arrays } as unknown as TokenRollout;
      klReward.apply({ executor, pool, rollout }, { coefficient: 0.5, estimator: 'k1' });
      const left = await executor.download(rewards);
      for (let i = 0; i < SIZE; i++) {
        const kl = MINIBATCH.behaviourLogProbs[i] - MINIBATCH.referenceLogProbs[i];
        expect(left[i]).toBeCloseTo(1 - 0.5 * MINIBATCH.mask[i] * kl, 5);
      }
      pool.destroy();
    }
  });
});

describe('losses over pairs as stages', () => {
  it.each(Object.keys(PREFERENCE_LOSSES))('%s raises the preferred episode and lowers the other', async (id) => {
    for (const executor of await executors()) {
      const pool = new BufferPool(executor);
      const upload = (name: string, array: Float32Array) => {
        executor.upload(pool.f32(name, array.length), array);
        return pool.f32(name, array.length);
      };
      const stage = PREFERENCE_LOSSES[id];
      const { parameters, problems } = checkParameters(stage.parameters, {}, id);
      expect(problems).toEqual([]);
      const context: PreferenceLossContext = {
        executor,
        pool,
        pairs: SEQUENCES / 2,
        length: LENGTH,
        mask: upload('mask', MINIBATCH.mask),
        logProbs: upload('log-probabilities', MINIBATCH.logProbs),
        referenceLogProbs: upload('reference', MINIBATCH.referenceLogProbs),
        logProbGradient: upload('gradient', new Float32Array(SIZE).fill(99)),
        statistics: upload('statistics', new Float32Array(SEQUENCES * TOKEN_STATISTICS_SIZE).fill(99)),
      };
      stage.apply(context, parameters);
      const gradient = await executor.download(context.logProbGradient);
      for (let i = 0; i < SIZE; i++) {
        const side = Math.floor(i / LENGTH) % 2 === 0 ? -1 : 1;
        expect(Math.sign(gradient[i]) * side + 0).toBe(MINIBATCH.mask[i]);
      }
      pool.destroy();
    }
  });
});
