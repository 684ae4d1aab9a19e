import { describe, expect, it } from 'vitest';
import { executors, runOnce } from '../../src/engine/device/testing';
import { agree, expectGolden, flags, normals } from '../agree';
import type { Kernel, TypedArray, UniformValues } from '../kernel';
import { covarianceSelection } from './covariance_selection';
import { entropyBonus } from './entropy_bonus';
import { importanceWeights } from './importance_weights';
import { KL_ESTIMATORS } from './kl_estimator';
import { klReward } from './kl_reward';
import { labelWeights, PREFERENCE_KIND, preferenceLoss } from './preference_loss';
import type { SurrogateName } from './surrogates';
import {
  mtGrpo,
  searchR1MaskedLoss,
  trlDpo,
  trlGrpoLoss,
  verlAggLoss,
  verlKlPenalty,
  verlPolicyLoss,
  verlPolicyLossVariants,
  verlValueLoss,
} from './token_golden';
import { tokenKl } from './token_kl';
import { tokenLikelihood } from './token_likelihood';
import { TOKEN_STATISTIC, TOKEN_STATISTICS_SIZE, tokenMetrics, tokenStatistics } from './token_statistics';
import { tokenSurrogate } from './token_surrogate';
import { tokenValueLoss } from './token_value_loss';
import { AGGREGATIONS, tokenCounts, tokenWeights } from './token_weights';

const SETTINGS: Readonly<Record<SurrogateName, UniformValues>> = {
  clip: { clip_low: 0.2, clip_high: 0.28, dual_clip: 1.5 },
  cispo: { ratio_low: 0.8, ratio_high: 1.3 },
  sapo: { tau_positive: 1, tau_negative: 1.2 },
  gmpo: { clip_low: 0.4, clip_high: 0.3 },
  vespo: { k_positive: 2, lambda_positive: 3, k_negative: 3, lambda_negative: 2 },
  dppo: { limit_low: 0.1, limit_high: 0.1, ratio_cap: 2, divergence: 1 },
  none: {},
};
const NAMES = Object.keys(SETTINGS) as SurrogateName[];
/** Those whose slope is the derivative of the loss they report; the others hold their ratio constant. */
const DIFFERENTIABLE = ['clip', 'sapo', 'gmpo', 'none'] as const;
const SHAPES = [
  [1, 1],
  [3, 7],
  [16, 5],
  [17, 33],
  [130, 9],
];

/** Episodes with holes, the last of them without any token that teaches. */
function batch(sequences: number, length: number, spread = 0.4) {
  const size = sequences * length;
  const mask = flags(size, 0.7, 1);
  mask.fill(0, (sequences - 1) * length + 1);
  const belowZero = (x: number) => Math.min(-0.05, x);
  const log_probs = normals(size, 2, -1.5, 0.5).map(belowZero);
  return {
    mask,
    weights: mask.map(
      (flag) =>
        flag /
        Math.max(
          1,
          mask.reduce((sum, x) => sum + x, 0),
        ),
    ),
    log_probs,
    old_log_probs: normals(size, 3, 0, spread).map((x, i) => belowZero(x + log_probs[i])),
    advantages: normals(size, 4),
    log_prob_gradient: new Float32Array(size + 1),
    statistics: new Float32Array(sequences * TOKEN_STATISTICS_SIZE + 1),
  };
}

const shapeUniforms = ([sequences, length]: readonly number[]) => ({ sequences, length });

/** The reference in double precision on the same buffers, and its whole loss. */
function doubles<B extends string>(kernel: Kernel<B>, buffers: Record<B, TypedArray>, uniforms: UniformValues) {
  const data = Object.fromEntries(
    Object.entries(buffers).map(([name, array]) => [name, Float64Array.from(array as TypedArray)]),
  ) as unknown as Record<B | 'statistics', Float64Array>;
  const sequences = uniforms.sequences ?? 2 * uniforms.pairs;
  const loss = () => {
    data.statistics.fill(0);
    kernel.reference(data as unknown as Record<B, Float32Array>, uniforms);
    let sum = 0;
    for (let s = 0; s < sequences; s++) sum += data.statistics[s * TOKEN_STATISTICS_SIZE + TOKEN_STATISTIC.loss];
    return sum;
  };
  return { data, loss };
}

/** Expects `gradient` to be the derivative of the loss by `by`. */
function expectGradient<B extends string>(
  kernel: Kernel<B>,
  buffers: Record<B, TypedArray>,
  uniforms: UniformValues,
  by: B,
  gradient: B,
): void {
  const { data, loss } = doubles(kernel, buffers, uniforms);
  data[gradient].fill(0);
  loss();
  const slopes = data[gradient].slice();
  for (let k = 0; k < data[by].length; k++) {
    const x = data[by][k];
    data[by][k] = x + 1e-5;
    const above = loss();
    data[by][k] = x - 1e-5;
    const below = loss();
    data[by][k] = x;
    expect(slopes[k], `${kernel.name} [${k}]`).toBeCloseTo((above - below) / 2e-5, 6);
  }
}

describe('losses over tokens', () => {
  it('agree with verl: clipped surrogate', () => expectGolden('verl_policy_loss', verlPolicyLoss));
  it('agree with verl: GSPO, GMPO, CISPO, SAPO, GPG, KL-Cov, DPPO', () =>
    expectGolden('verl_policy_loss_variants', verlPolicyLossVariants));
  it('agree with verl: aggregation', () => expectGolden('verl_agg_loss', verlAggLoss));
  it('aggregate nothing to 0', () =>
    expectGolden('nonfinite_reference', verlAggLoss, ({ function: name }) => name === 'verl agg_loss'));
  it('agree with verl: KL', () => expectGolden('verl_kl_penalty', verlKlPenalty));
  it('agree with verl: value loss', () =>
    expectGolden('verl_entropy_value', verlValueLoss, ({ function: name }) => name === 'compute_value_loss'));
  it('agree with TRL: GRPO', () => expectGolden('trl_grpo_loss', trlGrpoLoss));
  it('stay finite where TRL does not', () =>
    expectGolden('nonfinite_reference', trlGrpoLoss, ({ function: name }) => name === 'trl_grpo_loss'));
  it('agree with Search-R1', () =>
    expectGolden('search_r1_masked_loss', searchR1MaskedLoss, ({ function: name }) => name === 'masked_update'));
  it('agree with turn-level GRPO', () => expectGolden('turn_level_mt_grpo', mtGrpo));
  it('agree with TRL: preferences', () => expectGolden('trl_dpo', trlDpo));
});

describe('surrogates over tokens', () => {
  for (const name of NAMES)
    it(`${name} agrees on both executors`, async () => {
      for (const shape of SHAPES)
        for (const sequence_ratio of [0, 1]) {
          const uniforms = { ...shapeUniforms(shape), sequence_ratio, ...SETTINGS[name] };
          const [sequences, length] = shape;
          const buffers = batch(sequences, length);
          const written = await agree(tokenSurrogate(name), buffers, uniforms, { rtol: 1e-4, atol: 2e-5 });
          expect([written.log_prob_gradient.at(-1), written.statistics.at(-1)]).toEqual([0, 0]);
          buffers.mask.forEach((flag, i) => {
            if (flag === 0) expect(written.log_prob_gradient[i]).toBe(0);
          });
        }
    });

  for (const name of DIFFERENTIABLE)
    it(`${name} has the gradient of its loss`, () => {
      // A geometric mean over all tokens of a row needs weights that are means over it.
      const buffers = batch(4, 6);
      const counts = new Float32Array(4);
      tokenCounts.reference({ mask: buffers.mask, counts }, { sequences: 4, length: 6 });
      tokenWeights.reference(
        { mask: buffers.mask, counts, weights: buffers.weights },
        { sequences: 4, length: 6, ...AGGREGATIONS['all-seq-mean-token-mean'], divisor: 1 },
      );
      for (const sequence_ratio of [0, 1]) {
        // So does a ratio of the sequence need one advantage for it: with several, each token goes by its own (GSPO-token).
        if (sequence_ratio === 1)
          for (let i = 0; i < 24; i++) buffers.advantages[i] = buffers.advantages[Math.floor(i / 6) * 6];
        const uniforms = { sequences: 4, length: 6, sequence_ratio, ...SETTINGS[name] };
        const { log_prob_gradient: _, ...rest } = buffers;
        const exact = { ...rest, log_prob_gradient: new Float32Array(24) };
        expectGradient(tokenSurrogate(name), exact, uniforms, 'log_probs', 'log_prob_gradient');
      }
    });

  it('have gradient −weight · advantage at ratio 1', async () => {
    const buffers = batch(5, 8);
    buffers.old_log_probs.set(buffers.log_probs);
    // One advantage a sequence, so that a mean over the sequence is the same.
    for (let i = 0; i < 40; i++) buffers.advantages[i] = buffers.advantages[Math.floor(i / 8) * 8];
    for (const executor of await executors())
      for (const name of NAMES)
        for (const sequence_ratio of [0, 1]) {
          const uniforms = { sequences: 5, length: 8, sequence_ratio, ...SETTINGS[name] };
          const { log_prob_gradient } = await runOnce(executor, tokenSurrogate(name), buffers, uniforms);
          for (let i = 0; i < 40; i++)
            expect(log_prob_gradient[i]).toBeCloseTo(-buffers.weights[i] * buffers.advantages[i], 6);
        }
  });

  it('stay finite, and leave other episodes alone, at log-ratios of ±1000 and beside masked NaN', async () => {
    for (const executor of await executors())
      for (const name of NAMES)
        for (const sequence_ratio of [0, 1])
          for (const jump of [-1000, 1000]) {
            const buffers = batch(4, 6);
            const uniforms = { sequences: 4, length: 6, sequence_ratio, ...SETTINGS[name] };
            const before = await runOnce(executor, tokenSurrogate(name), buffers, uniforms);
            buffers.mask.fill(1, 0, 6);
            for (let t = 0; t < 6; t++) buffers.old_log_probs[t] = buffers.log_probs[t] - (t % 2 === 0 ? jump : -jump);
            buffers.mask[7] = 0;
            buffers.log_probs[7] = Number.NaN;
            buffers.advantages[7] = Number.POSITIVE_INFINITY;
            const after = await runOnce(executor, tokenSurrogate(name), buffers, uniforms);
            const where = `${name}, ${sequence_ratio}, ${jump}, ${executor.kind}`;
            expect([...after.log_prob_gradient, ...after.statistics].every(Number.isFinite), where).toBe(true);
            expect(after.log_prob_gradient[7], where).toBe(0);
            expect(after.log_prob_gradient.slice(12), where).toEqual(before.log_prob_gradient.slice(12));
          }
  });

  it('count what they clip', () => {
    const size = 6;
    const buffers = {
      ...batch(1, size),
      mask: new Float32Array(size).fill(1),
      log_probs: Float32Array.of(0, 0, 0, 0, 0, 0),
      old_log_probs: Float32Array.from([0.5, 0.5, -0.5, -0.5, -30, 0]),
      advantages: Float32Array.of(1, -1, 1, -1, -1, 1),
    };
    tokenSurrogate('clip').reference(buffers, { sequences: 1, length: size, sequence_ratio: 0, ...SETTINGS.clip });
    const metrics = tokenMetrics(buffers.statistics);
    expect(metrics['losses/clipfrac_low']).toBeCloseTo(1 / 6);
    expect(metrics['losses/clipfrac_high']).toBeCloseTo(1 / 6);
    expect(metrics['losses/clipfrac']).toBeCloseTo(2 / 6);
    expect(metrics['losses/dual_clipfrac']).toBeCloseTo(2 / 6);
    expect(metrics['losses/bounded_ratios']).toBeCloseTo(1 / 6);
    expect(metrics['losses/approx_kl']).toBeGreaterThan(0);
    expect(metrics).not.toHaveProperty('losses/entropy');
  });
});

describe('weights of tokens', () => {
  it.each(Object.entries(AGGREGATIONS))('agree on both executors: %s', async (_, aggregation) => {
    for (const [sequences, length] of SHAPES) {
      const { mask } = batch(sequences, length);
      const uniforms = { sequences, length };
      const { counts } = await agree(tokenCounts, { mask, counts: new Float32Array(sequences) }, uniforms);
      const weights = new Float32Array(mask.length + 1);
      const written = await agree(tokenWeights, { mask, counts, weights }, { ...uniforms, ...aggregation, divisor: 3 });
      expect(written.weights.at(-1)).toBe(0);
      expect(mask.every((flag, i) => (flag === 0) === (written.weights[i] === 0))).toBe(true);
    }
  });

  it('of older tokens are capped, or left out', async () => {
    const weights = Float32Array.of(1, 2, 3, 0, 1);
    const proximal_log_probs = Float32Array.of(0, 1, 0, 0, 500);
    const behaviour_log_probs = Float32Array.of(0, 0, 3, -Infinity, -500);
    for (const [drop, expected] of [
      [0, [1, 4, 3 * Math.exp(-3), 0, 2]],
      [1, [1, 0, 3 * Math.exp(-3), 0, 0]],
    ] as const) {
      const buffers = { weights, proximal_log_probs, behaviour_log_probs, weights_out: new Float32Array(6) };
      const { weights_out } = await agree(importanceWeights, buffers, { tokens: 5, cap: 2, drop });
      for (const [i, weight] of [...expected, 0].entries()) expect(weights_out[i]).toBeCloseTo(weight, 6);
    }
  });

  it('keep the share with the largest covariance', async () => {
    for (const [sequences, length] of SHAPES)
      for (const share of [0, 0.2, 0.7, 1]) {
        const { mask, weights, log_probs, advantages } = batch(sequences, length);
        mask[0] = 1;
        weights[0] = 1;
        const buffers = { mask, weights, log_probs, advantages, weights_out: new Float32Array(mask.length) };
        const { weights_out } = await agree(covarianceSelection, buffers, { tokens: mask.length, share });
        const count = mask.reduce((sum, flag) => sum + flag, 0);
        expect(weights_out.filter((weight) => weight !== 0).length).toBe(Math.max(1, Math.floor(count * share + 1e-4)));
      }
  });
});

describe('terms that join the surrogate', () => {
  const terms = (sequences: number, length: number) => {
    const base = batch(sequences, length);
    const { mask, weights, log_probs, old_log_probs, advantages, statistics } = base;
    statistics.forEach((_, i) => {
      statistics[i] = i / 10;
    });
    const values = { mask, weights, values: advantages, old_values: old_log_probs, returns: log_probs, statistics };
    return {
      kl: {
        mask,
        weights,
        log_probs,
        reference_log_probs: old_log_probs,
        log_prob_gradient: normals(mask.length, 9),
        statistics,
      },
      reward: { mask, log_probs, reference_log_probs: old_log_probs, rewards: normals(mask.length, 8) },
      entropy: {
        mask,
        weights,
        entropies: advantages,
        entropy_gradient: new Float32Array(mask.length + 1),
        statistics,
      },
      value: { ...values, value_gradient: new Float32Array(mask.length + 1) },
      likelihood: { mask, weights, log_probs, log_prob_gradient: new Float32Array(mask.length + 1), statistics },
    };
  };
  const tolerance = { rtol: 1e-4, atol: 2e-5 };

  it('agree on both executors', async () => {
    for (const shape of SHAPES) {
      const uniforms = shapeUniforms(shape);
      const [sequences, length] = shape;
      const { kl, reward, entropy, value, likelihood } = terms(sequences, length);
      for (const estimator of Object.values(KL_ESTIMATORS)) {
        await agree(tokenKl, kl, { ...uniforms, coefficient: 0.3, report: 1, ...estimator }, tolerance);
        const rewarded = { tokens: sequences * length, coefficient: 0.3, estimator: estimator.estimator };
        await agree(klReward, reward, rewarded, tolerance);
      }
      await agree(entropyBonus, entropy, { ...uniforms, coefficient: 0.01 }, tolerance);
      for (const value_clip of [0, 0.3])
        await agree(tokenValueLoss, value, { ...uniforms, coefficient: 0.5, value_clip }, tolerance);
      await agree(tokenLikelihood, likelihood, uniforms, tolerance);
      const statistics_out = new Float32Array(3 * TOKEN_STATISTICS_SIZE);
      await agree(tokenStatistics, { statistics: kl.statistics, statistics_out }, { sequences, row: 1 }, tolerance);
    }
  });

  it('have the gradients of their losses', () => {
    const uniforms = { sequences: 4, length: 6 };
    const { kl, entropy, value, likelihood } = terms(4, 6);
    for (const name of ['k1', 'abs', 'k2', 'k3'] as const)
      expectGradient(
        tokenKl,
        kl,
        { ...uniforms, coefficient: 0.3, report: 0, ...KL_ESTIMATORS[name] },
        'log_probs',
        'log_prob_gradient',
      );
    const cut = (gradient: Float32Array) => gradient.slice(0, 24);
    const [entropy_gradient, value_gradient] = [cut(entropy.entropy_gradient), cut(value.value_gradient)];
    expectGradient(
      entropyBonus,
      { ...entropy, entropy_gradient },
      { ...uniforms, coefficient: 0.2 },
      'entropies',
      'entropy_gradient',
    );
    for (const value_clip of [0, 0.3])
      expectGradient(
        tokenValueLoss,
        { ...value, value_gradient },
        { ...uniforms, coefficient: 0.5, value_clip },
        'values',
        'value_gradient',
      );
    const shown = { ...likelihood, log_prob_gradient: cut(likelihood.log_prob_gradient) };
    expectGradient(tokenLikelihood, shown, uniforms, 'log_probs', 'log_prob_gradient');
  });

  it('a value within its clip range is not clipped by rounding', async () => {
    const size = 400;
    const buffers = {
      mask: new Float32Array(size).fill(1),
      weights: new Float32Array(size).fill(1),
      values: normals(size, 1, 3.1, 0.1),
      old_values: normals(size, 2, 3, 0.1),
      returns: normals(size, 3),
      value_gradient: new Float32Array(size),
      statistics: new Float32Array(TOKEN_STATISTICS_SIZE),
    };
    for (const executor of await executors()) {
      const uniforms = { sequences: 1, length: size, coefficient: 1, value_clip: 5 };
      const { value_gradient, statistics } = await runOnce(executor, tokenValueLoss, buffers, uniforms);
      expect(statistics[TOKEN_STATISTIC.value_clipped]).toBe(0);
      expect(value_gradient.every((slope) => slope !== 0)).toBe(true);
    }
  });

  it('without a critic there is no value loss', async () => {
    const { value } = terms(3, 4);
    value.values.fill(Number.NaN);
    const before = value.statistics.slice();
    const written = await agree(tokenValueLoss, value, { sequences: 3, length: 4, coefficient: 0, value_clip: 0 });
    expect(written.value_gradient.every((slope) => slope === 0)).toBe(true);
    expect(written.statistics).toEqual(before);
  });
});

describe('losses over pairs', () => {
  const pairs = (count: number, length: number, spread = 0.4) => {
    const { mask, log_probs, old_log_probs } = batch(2 * count, length, spread);
    return {
      mask,
      log_probs,
      reference_log_probs: old_log_probs,
      log_prob_gradient: new Float32Array(mask.length),
      statistics: new Float32Array(2 * count * TOKEN_STATISTICS_SIZE),
    };
  };
  const SETTINGS_OF_PAIRS = Object.values(PREFERENCE_KIND).flatMap((kind) =>
    [0, 1].flatMap((mean) =>
      [labelWeights(0, false), labelWeights(0.2, false), labelWeights(0.2, true)].map((weights) => ({
        kind,
        mean,
        beta: 0.7,
        ...weights,
      })),
    ),
  );

  it('agree on both executors, and have the gradient of their loss', async () => {
    for (const settings of SETTINGS_OF_PAIRS) {
      for (const [count, length] of [
        [1, 1],
        [17, 9],
      ])
        await agree(
          preferenceLoss,
          pairs(count, length),
          { pairs: count, length, ...settings },
          { rtol: 1e-4, atol: 2e-5 },
        );
      expectGradient(
        preferenceLoss,
        pairs(3, 5),
        { pairs: 3, length: 5, ...settings },
        'log_probs',
        'log_prob_gradient',
      );
    }
  });

  it('stay finite at any margin', async () => {
    for (const executor of await executors())
      for (const settings of SETTINGS_OF_PAIRS) {
        const { log_prob_gradient, statistics } = await runOnce(executor, preferenceLoss, pairs(4, 6, 1000), {
          pairs: 4,
          length: 6,
          ...settings,
        });
        expect([...log_prob_gradient, ...statistics].every(Number.isFinite)).toBe(true);
      }
  });

  it('report only what pairs have', () => {
    const buffers = pairs(3, 5);
    preferenceLoss.reference(buffers, { pairs: 3, length: 5, ...SETTINGS_OF_PAIRS[0] });
    const sums = new Float32Array(TOKEN_STATISTICS_SIZE);
    tokenStatistics.reference({ statistics: buffers.statistics, statistics_out: sums }, { sequences: 6, row: 0 });
    const metrics = tokenMetrics(sums);
    expect(Object.keys(metrics)).toEqual(
      [
        'loss',
        'preference_loss',
        'preference_accuracy',
        'preference_margin',
        'chosen_log_prob',
        'rejected_log_prob',
      ].map((name) => `losses/${name}`),
    );
    expect(metrics['losses/preference_accuracy']).toBeLessThanOrEqual(1);
  });
});
