import { describe, expect, it } from 'vitest';
import { executors } from '../../src/engine/device/testing';
import { agree, expectGolden, flags, normals } from '../agree';
import { checkCase, floats, type GoldenAdapter } from '../golden/adapter';
import { readGolden } from '../golden/read';
import {
  GROUP_BASELINE,
  GROUP_SCALE,
  GROUP_STATISTICS,
  groupAdvantage,
  groupStatistics,
  LONE,
  WEIGHTING,
} from './group_advantage';
import { returnsToGo, TOKEN_BASELINE } from './returns_to_go';
import { LAMBDA_RULE, sequenceLambda } from './sequence_lambda';
import { sequenceScores } from './sequence_scores';
import { tokenGae } from './token_gae';
import * as golden from './token_golden';
import { groupLinks, turnGroupAdvantage } from './turn_group_advantage';
import { spreadTurns, turnPick, turnSums } from './turns';
import { vTrace } from './v_trace';
import { MASKED_PARTIALS, maskedMoments, maskedPartials, whiten } from './whiten';

describe('golden vectors', () => {
  it.each([
    ['verl_gae', golden.verlGae],
    ['areal_gae', golden.arealGae],
    ['dual_discount_gae', golden.dualDiscountGae],
    ['bilevel_gae', golden.bilevelGae],
    ['length_adaptive_decoupled_gae', golden.lengthAdaptiveGae],
    ['verl_grpo', golden.verlGrpo],
    ['verl_outcome_advantages', golden.verlOutcomeAdvantages],
    ['trl_grpo_advantages', golden.trlGrpoAdvantages],
    ['verl_masked_stats', golden.verlMaskedStats],
    ['vtrace', golden.vTraceGolden],
  ] as const)('%s', (name, adapter) => expectGolden(name, adapter));

  it('gigpo', () => expectGolden('gigpo', golden.gigpo, (testCase) => testCase.inputs.enable_similarity !== true));
  it('nonfinite_reference', () =>
    expectGolden(
      'nonfinite_reference',
      golden.maskedWhitenOfOne,
      (testCase) => testCase.function === 'verl masked_whiten',
    ));

  it('turn_level_mt_grpo, its advantages', () =>
    expectPart(
      'turn_level_mt_grpo',
      ['turn_advantages', 'outcome_advantages', 'combined_advantages', 'advantages'],
      golden.mtGrpoAdvantages,
    ));
  it('search_r1_masked_loss, its advantages', () =>
    expectPart('search_r1_masked_loss', ['advantages', 'returns'], async ({ inputs, expected }, bench) => {
      if (inputs.attention_mask === undefined) return {};
      const rewards = floats(expected.token_level_rewards ?? inputs.token_level_scores);
      return { ...(await golden.searchR1Advantages(inputs, rewards, bench)) };
    }));
});

/** Some keys of a file whose others belong to other kernels. */
async function expectPart(name: string, keys: readonly string[], adapter: GoldenAdapter): Promise<void> {
  const file = readGolden(name);
  for (const executor of await executors()) {
    for (const testCase of file.cases) {
      const expected = Object.fromEntries(Object.entries(testCase.expected).filter(([key]) => keys.includes(key)));
      const whole: GoldenAdapter = (part, bench, of) => adapter({ ...part, expected: testCase.expected }, bench, of);
      const where = `${name}, ${testCase.note}, ${executor.kind}`;
      expect(await checkCase(file, { ...testCase, expected }, whole, executor), where).toBeUndefined();
    }
  }
}

/** Sequence lengths and numbers at the edges of workgroups. */
const SHAPES = [
  [1, 1],
  [3, 0],
  [0, 3],
  [2, 7],
  [63, 5],
  [65, 12],
  [130, 40],
] as const;

/** Random episodes: turns of some tokens with observations between them, padded, in groups that are not contiguous. */
function episodes(sequences: number, length: number) {
  const size = sequences * length;
  const mask = flags(size, 0.7, 1);
  const ends = flags(size, 0.25, 2);
  const turns = new Uint32Array(size);
  for (let s = 0; s < sequences; s++) {
    const tokens = (s * 5) % (length + 1);
    for (let t = 0; t < length; t++) {
      const i = s * length + t;
      // A turn ends only behind one of its own tokens.
      if (t > 0) turns[i] = turns[i - 1] + Number(ends[i] !== 0 && mask[i - 1] !== 0 && mask[i] === 0);
      if (t >= tokens) mask[i] = 0;
    }
  }
  return {
    mask,
    turns,
    rewards: normals(size, 3).map((reward, i) => (mask[i] === 0 ? 0 : reward)),
    values: normals(size, 4),
    final_values: normals(sequences, 5).map((value, s) => (s % 3 === 0 ? value : 0)),
    groups: Uint32Array.from({ length: sequences }, (_, s) => (s * 7) % Math.max(1, Math.ceil(sequences / 4))),
  };
}

const zeros = (length: number) => new Float32Array(length);
const LOOSE = { rtol: 1e-4, atol: 1e-5 };

describe.each(SHAPES)('WebGPU agrees with the reference on [%i, %i]', (sequences, length) => {
  const at = { sequences, length };
  const size = sequences * length;
  const { mask, turns, rewards, values, final_values, groups } = episodes(sequences, length);
  const outputs = { advantages: zeros(size), returns: zeros(size) };

  it.each([
    [0, 0],
    [1, 0.9],
    [1, 0],
  ])('GAE, dual %i, turn γ %d', async (dual, turn_gamma) => {
    const lambdas = flags(sequences, 0.5, 6).map((flag) => 0.9 * flag);
    const buffers = { rewards, values, mask, turns, final_values, lambdas, ...outputs };
    const result = await agree(tokenGae, buffers, { ...at, gamma: 0.97, dual, turn_gamma, turn_lambda: 0.8 }, LOOSE);
    for (let i = 0; i < size; i++) {
      if (mask[i] === 0) expect([result.advantages[i], result.returns[i]]).toEqual([0, values[i]]);
    }
  });

  it.each(Object.entries(LAMBDA_RULE))('λ, %s', async (_, rule) => {
    await agree(sequenceLambda, { mask, lambdas: zeros(sequences) }, { ...at, rule, value: 0.6 });
  });

  it.each([0, 1])('returns, reset %i', async (reset) => {
    const buffers = { rewards, mask, turns, final_values, values, baselines: final_values, ...outputs };
    for (const baseline of Object.values(TOKEN_BASELINE))
      await agree(returnsToGo, buffers, { ...at, gamma: 0.9, turn_gamma: 0.7, baseline, reset }, LOOSE);
  });

  it('V-trace', async () => {
    await agree(
      vTrace,
      {
        rewards,
        values,
        mask,
        behaviour: normals(size, 7, -1, 30),
        proximal: normals(size, 8, -1),
        final_values,
        ...outputs,
      },
      { ...at, gamma: 0.95, rho_max: 1, c_max: 1, policy_rho_max: 2 },
      LOOSE,
    );
  });

  it('whitening', async () => {
    const sized = { count: size, partials: MASKED_PARTIALS };
    const first = { values, mask, partials: zeros(MASKED_PARTIALS * 3) };
    const { partials } = await agree(maskedPartials, first, sized, LOOSE);
    const last = { partials: MASKED_PARTIALS };
    const { moments } = await agree(maskedMoments, { partials, moments: zeros(3) }, last, LOOSE);
    for (const [center, scale] of [
      [1, 1],
      [1, 0],
      [0, 1],
    ])
      await agree(whiten, { mask, moments, values }, { count: size, center, scale }, LOOSE);
  });

  it('groups', async () => {
    const scored = { rewards, mask, scores: zeros(sequences), lengths: zeros(sequences) };
    const { scores, lengths: weights } = await agree(sequenceScores, scored, at);
    for (const weighting of Object.values(WEIGHTING)) {
      const statistics = zeros(sequences * GROUP_STATISTICS);
      const run = (whole: number) =>
        agree(groupStatistics, { scores, weights, groups, statistics }, { sequences, whole, weighting }, LOOSE);
      const [own, scaling] = [(await run(0)).statistics, (await run(1)).statistics];
      for (const baseline of Object.values(GROUP_BASELINE))
        for (const scale of Object.values(GROUP_SCALE))
          await agree(
            groupAdvantage,
            { scores, weights, own, scaling, advantages: zeros(sequences) },
            {
              sequences,
              weighted: Number(weighting === WEIGHTING.counts),
              baseline,
              scale,
              lone: scale % 2,
              epsilon: 1e-6,
              variance_floor: 0,
            },
            LOOSE,
          );
    }
  });

  it('turns', async () => {
    const sums = {
      turn_rewards: zeros(size).fill(7),
      turn_mask: zeros(size).fill(7),
      turn_counts: new Uint32Array(sequences),
      outcomes: zeros(sequences),
    };
    const { turn_rewards, turn_mask, turn_counts, outcomes } = await agree(
      turnSums,
      { rewards, mask, turns, ...sums },
      at,
    );
    for (const last of [0, 1])
      await agree(turnPick, { source: values, mask, turns, picked: zeros(size) }, { ...at, last });
    const anchors = Uint32Array.from(values, (value) => 0xfffffff0 + Math.floor(Math.abs(value) * 2));
    const picked = { source: anchors, mask, turns, picked: new Uint32Array(size) };
    const { picked: keys } = await agree(turnPick, picked, { ...at, last: 0 });
    const chained = { groups, links: new Uint32Array(sequences * 2) };
    const { links } = await agree(groupLinks, chained, { sequences });
    for (const [by_key, before_last, scale] of [
      [0, 0, 0],
      [0, 1, 1],
      [1, 0, 1],
    ]) {
      const out = { turn_advantages: zeros(size), step_groups: new Uint32Array(size) };
      const buffers = { turn_scores: turn_rewards, turn_mask, keys, links, turn_counts, ...out };
      const found = await agree(
        turnGroupAdvantage,
        buffers,
        { ...at, by_key, before_last, scale, epsilon: 1e-4 },
        LOOSE,
      );
      for (const last_only of [0, 1])
        await agree(
          spreadTurns,
          { by_sequence: outcomes, by_turn: found.turn_advantages, mask, turns, output: zeros(size).fill(7) },
          { ...at, sequence_weight: 1, turn_weight: 0.5, last_only },
          LOOSE,
        );
    }
  });
});

describe('groups', () => {
  const at = (scores: readonly number[], groups: readonly number[], uniforms: Partial<Record<string, number>> = {}) =>
    groupAdvantages(Float32Array.from(scores), Uint32Array.from(groups), uniforms);

  async function groupAdvantages(
    scores: Float32Array,
    groups: Uint32Array,
    uniforms: Partial<Record<string, number>>,
  ): Promise<number[]> {
    const sequences = scores.length;
    const statistics = zeros(sequences * GROUP_STATISTICS);
    const shape = { sequences, whole: 0, weighting: WEIGHTING.none };
    const own = (await agree(groupStatistics, { scores, weights: scores, groups, statistics }, shape, LOOSE))
      .statistics;
    const rest = { weighted: 0, baseline: GROUP_BASELINE.mean, scale: GROUP_SCALE.deviation, lone: LONE.zero };
    const { advantages } = await agree(
      groupAdvantage,
      { scores, weights: scores, own, scaling: own, advantages: zeros(sequences) },
      { sequences, ...rest, epsilon: 1e-6, variance_floor: 0, ...uniforms },
      LOOSE,
    );
    return [...advantages];
  }

  it('[1, 0, 1, 0] becomes ±0.866 (F8)', async () => {
    const found = await at([1, 0, 1, 0], [3, 3, 3, 3]);
    expect(found.map((a) => Number(a.toFixed(3)))).toEqual([0.866, -0.866, 0.866, -0.866]);
  });

  it.each(Object.values(GROUP_BASELINE).flatMap((baseline) => [0, 1, 2].map((scale) => [baseline, scale] as const)))(
    'equal scores give exactly 0, whatever their rounding: baseline %i, scale %i (F8)',
    async (baseline, scale) => {
      const scores = [...Array<number>(5).fill(0.94), ...Array<number>(7).fill(123.456)];
      const groups = scores.map((_, i) => Number(i >= 5));
      expect(await at(scores, groups, { baseline, scale })).toEqual(scores.map(() => 0));
    },
  );

  it('a group of one gets 0, or its score (F3)', async () => {
    expect(await at([3, 1, 2], [0, 1, 2])).toEqual([0, 0, 0]);
    expect(await at([3, 1, 2], [0, 1, 2], { lone: LONE.score })).toEqual([3, 1, 2]);
  });

  it('keeps its digits far from 0', async () => {
    const [low, high] = await at([1000, 1000.5], [0, 0]);
    expect(low).toBeCloseTo(-Math.SQRT1_2, 3);
    expect(high).toBeCloseTo(Math.SQRT1_2, 3);
  });

  it('the best of a group is compared with the second, and nobody else', async () => {
    const settings = { baseline: GROUP_BASELINE.bestOther, scale: GROUP_SCALE.none };
    expect(await at([1, 4, 2, 5, 5], [0, 0, 0, 1, 1], settings)).toEqual([0, 2, 0, 0, 0]);
  });
});

describe('turns', () => {
  it('are jumped over only where the mask is 0, and end with their last token', async () => {
    const mask = Float32Array.of(0, 1, 1, 0, 1, 0);
    const turns = Uint32Array.of(0, 0, 0, 1, 1, 1);
    const rewards = Float32Array.of(0, 0, 2, 0, 3, 0);
    const at = { sequences: 1, length: 6 };
    const sums = {
      turn_rewards: zeros(6),
      turn_mask: zeros(6),
      turn_counts: new Uint32Array(1),
      outcomes: zeros(1),
    };
    const found = await agree(turnSums, { rewards, mask, turns, ...sums }, at);
    expect([...found.turn_rewards]).toEqual([2, 3, 0, 0, 0, 0]);
    expect([...found.turn_counts, ...found.outcomes]).toEqual([2, 3]);
    const spread = await agree(
      spreadTurns,
      { by_sequence: zeros(1), by_turn: found.turn_rewards, mask, turns, output: zeros(6) },
      { ...at, sequence_weight: 0, turn_weight: 1, last_only: 1 },
    );
    expect([...spread.output]).toEqual([...rewards]);
  });
});
