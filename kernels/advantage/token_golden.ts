/** Golden vectors of the advantage estimators over tokens, run through the kernels. */
import type { Bench, BenchBuffer, GoldenAdapter, Outputs } from '../golden/adapter';
import { floats, numberOr } from '../golden/adapter';
import { type GoldenRecord, type GoldenValue, numbers, scalar, shapeOf } from '../golden/read';
import type { TypedArray } from '../kernel';
import { categoricalEvaluate } from '../sampling/categorical_evaluate';
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
import { groupLinks, turnGroupAdvantage } from './turn_group_advantage';
import { spreadTurns, turnPick, turnSums } from './turns';
import { vTrace } from './v_trace';
import { MASKED_PARTIALS, maskedMoments, maskedPartials, whiten } from './whiten';

/** Where a reference does not clip. */
const UNBOUNDED = 3e38;

/** Sequences and length of a [S, L] input. */
interface Shape {
  readonly sequences: number;
  readonly length: number;
}

function shape(value: GoldenValue | undefined): Shape {
  const [sequences, length] = shapeOf(value) as [number, number];
  return { sequences, length };
}

function size({ sequences, length }: Shape): number {
  return sequences * length;
}

/** Group numbers from any labels, numbered by first appearance. */
function groupsOf(labels: GoldenValue | undefined): Uint32Array {
  const names = (labels as readonly GoldenValue[]).map((label) => JSON.stringify(label));
  const known = [...new Set(names)];
  return Uint32Array.from(names, (name) => known.indexOf(name));
}

interface Gae {
  readonly rewards: BenchBuffer;
  readonly values: BenchBuffer;
  readonly mask: BenchBuffer;
  readonly turns?: BenchBuffer;
  readonly finalValues?: BenchBuffer;
  /** One number, or one for each sequence. */
  readonly lambda: number | BenchBuffer;
  readonly gamma: number;
  readonly between?: { readonly gamma: number; readonly lambda: number };
}

function runGae(bench: Bench, at: Shape, { lambda, gamma, between, ...inputs }: Gae) {
  const lambdas = typeof lambda === 'number' ? bench.buffer(new Float32Array(at.sequences).fill(lambda)) : lambda;
  const buffers = {
    rewards: inputs.rewards,
    values: inputs.values,
    mask: inputs.mask,
    turns: inputs.turns ?? bench.zeros(size(at), 'u32'),
    final_values: inputs.finalValues ?? bench.zeros(at.sequences),
    lambdas,
    advantages: bench.zeros(size(at)),
    returns: bench.zeros(size(at)),
  };
  const { gamma: turn_gamma, lambda: turn_lambda } = between ?? { gamma: 0, lambda: 0 };
  bench.run(tokenGae, buffers, { ...at, gamma, dual: Number(between !== undefined), turn_gamma, turn_lambda });
  return { advantages: buffers.advantages, returns: buffers.returns };
}

function runMoments(bench: Bench, values: BenchBuffer, mask: BenchBuffer): BenchBuffer {
  const partials = bench.zeros(MASKED_PARTIALS * 3);
  const moments = bench.zeros(3);
  bench.run(maskedPartials, { values, mask, partials }, { count: values.length, partials: MASKED_PARTIALS });
  bench.run(maskedMoments, { partials, moments }, { partials: MASKED_PARTIALS });
  return moments;
}

/** In place. */
function runWhiten(bench: Bench, values: BenchBuffer, mask: BenchBuffer, center = true): BenchBuffer {
  const moments = runMoments(bench, values, mask);
  bench.run(whiten, { mask, moments, values }, { count: values.length, center: Number(center), scale: 1 });
  return values;
}

/** Raw and whitened advantages, and returns: what the GAE files of verl hold. */
async function gaeOutputs(
  bench: Bench,
  mask: BenchBuffer,
  advantages: BenchBuffer,
  returns: BenchBuffer,
): Promise<Outputs> {
  const raw = await bench.read(advantages);
  return {
    raw_advantages: raw,
    returns: await bench.read(returns),
    advantages: await bench.read(runWhiten(bench, advantages, mask)),
  };
}

export const verlGae: GoldenAdapter = async ({ inputs }, bench) => {
  const mask = bench.buffer(floats(inputs.response_mask));
  const { advantages, returns } = runGae(bench, shape(inputs.response_mask), {
    rewards: bench.buffer(floats(inputs.token_level_rewards)),
    values: bench.buffer(floats(inputs.values)),
    mask,
    gamma: scalar(inputs.gamma),
    lambda: scalar(inputs.lam),
  });
  return gaeOutputs(bench, mask, advantages, returns);
};

/** length_adaptive_decoupled_gae: one pass for the policy, one with its own lambda for the critic. */
export const lengthAdaptiveGae: GoldenAdapter = async ({ inputs }, bench) => {
  const at = shape(inputs.response_mask);
  const mask = bench.buffer(floats(inputs.response_mask));
  const common = {
    rewards: bench.buffer(floats(inputs.token_level_rewards)),
    values: bench.buffer(floats(inputs.values)),
    mask,
    gamma: scalar(inputs.gamma),
  };
  const lambda = bench.zeros(at.sequences);
  const adaptive = inputs.policy_lambda === null || inputs.policy_lambda === undefined;
  bench.run(
    sequenceLambda,
    { mask, lambdas: lambda },
    {
      ...at,
      rule: adaptive ? LAMBDA_RULE.lengthAdaptive : LAMBDA_RULE.fixed,
      value: adaptive ? scalar(inputs.alpha) : scalar(inputs.policy_lambda),
    },
  );
  const { advantages } = runGae(bench, at, { ...common, lambda });
  const { returns } = runGae(bench, at, { ...common, lambda: scalar(inputs.value_lambda) });
  return { lambda_policy: await bench.read(lambda), ...(await gaeOutputs(bench, mask, advantages, returns)) };
};

/** AReaL shifts log-probabilities by one: its last column is the bootstrap value and no token. */
export const arealGae: GoldenAdapter = async ({ inputs, function: name }, bench) => {
  if (inputs.timestep_lengths !== undefined) return arealLambda(inputs, bench);
  const at = shape(inputs.loss_mask);
  const last = (s: number) => (s + 1) * at.length - 1;
  const lossMask = floats(inputs.loss_mask);
  for (let s = 0; s < at.sequences; s++) lossMask[last(s)] = 0;
  const allValues = floats(inputs.values);
  const truncated = floats(inputs.seq_no_eos_mask);
  const lambda = numbers(inputs.gae_lambda);
  const [mask, values, rewards] = [lossMask, allValues, floats(inputs.rewards)].map((data) => bench.buffer(data));
  const common = {
    finalValues: bench.buffer(truncated.map((flag, s) => (flag ? allValues[last(s)] : 0))),
    lambda: lambda.length === 1 ? lambda[0] : bench.buffer(Float32Array.from(lambda)),
    gamma: scalar(inputs.discount),
  };
  if (name === '_compute_token_level_gae') {
    const { advantages, returns } = runGae(bench, at, { ...common, rewards, values, mask });
    return { advantages: await bench.read(advantages), returns: await bench.read(returns) };
  }
  const turns = bench.buffer(Uint32Array.from(numbers(inputs.turn_ids), (turn) => (turn < 0 ? at.length : turn)));
  const byTurn = runTurns(bench, at, { rewards, values, mask, turns }, false);
  const { advantages, returns } = runGae(bench, at, { ...common, ...byTurn });
  const tokens = (by_turn: BenchBuffer) => runSpread(bench, at, { by_turn, mask, turns });
  return { advantages: await bench.read(tokens(advantages)), returns: await bench.read(tokens(returns)) };
};

async function arealLambda(inputs: GoldenRecord, bench: Bench): Promise<Outputs> {
  const lengths = numbers(inputs.timestep_lengths);
  const at = { sequences: lengths.length, length: Math.max(1, ...lengths) };
  const mask = Float32Array.from({ length: size(at) }, (_, i) =>
    Number(i % at.length < lengths[Math.floor(i / at.length)]),
  );
  const lambdas = bench.zeros(at.sequences);
  const relative = inputs.q !== undefined;
  const rule = relative ? LAMBDA_RULE.relativePosition : LAMBDA_RULE.lengthAdaptive;
  const value = scalar(relative ? inputs.q : inputs.alpha);
  bench.run(sequenceLambda, { mask: bench.buffer(mask), lambdas }, { ...at, rule, value });
  return { lambda: await bench.read(lambdas) };
}

interface Tokens {
  readonly rewards: BenchBuffer;
  readonly values: BenchBuffer;
  readonly mask: BenchBuffer;
  readonly turns: BenchBuffer;
}

/** Rewards, values and mask by turn; the value is that of the turn's first token, or its last. */
function runTurns(bench: Bench, at: Shape, { rewards, values, mask, turns }: Tokens, lastValue: boolean) {
  const turn_rewards = bench.zeros(size(at));
  const turn_mask = bench.zeros(size(at));
  const picked = bench.zeros(size(at));
  const ends = { turn_counts: bench.zeros(at.sequences, 'u32'), outcomes: bench.zeros(at.sequences) };
  bench.run(turnSums, { rewards, mask, turns, turn_rewards, turn_mask, ...ends }, { ...at });
  bench.run(turnPick, { source: values, mask, turns, picked }, { ...at, last: Number(lastValue) });
  return { rewards: turn_rewards, mask: turn_mask, values: picked };
}

interface Spread {
  readonly mask: BenchBuffer;
  readonly turns?: BenchBuffer;
  readonly by_sequence?: BenchBuffer;
  readonly by_turn?: BenchBuffer;
  readonly turnWeight?: number;
  readonly lastOnly?: boolean;
}

/** To tokens: what is not given does not count. */
function runSpread(bench: Bench, at: Shape, spread: Spread): BenchBuffer {
  const output = bench.zeros(size(at));
  bench.run(
    spreadTurns,
    {
      by_sequence: spread.by_sequence ?? spread.mask,
      by_turn: spread.by_turn ?? spread.mask,
      mask: spread.mask,
      turns: spread.turns ?? bench.zeros(size(at), 'u32'),
      output,
    },
    {
      ...at,
      sequence_weight: spread.by_sequence === undefined ? 0 : 1,
      turn_weight: spread.by_turn === undefined ? 0 : (spread.turnWeight ?? 1),
      last_only: Number(spread.lastOnly ?? false),
    },
  );
  return output;
}

/** bilevel_gae: the reference finds the turns by rewards that are not 0. */
export const bilevelGae: GoldenAdapter = async ({ inputs }, bench) => {
  const at = shape(inputs.loss_mask);
  const tokenRewards = floats(inputs.token_level_rewards);
  const ids = new Uint32Array(size(at));
  for (let i = 1; i < ids.length; i++)
    ids[i] = i % at.length === 0 ? 0 : ids[i - 1] + Number(tokenRewards[i - 1] !== 0);
  const [mask, values] = [inputs.loss_mask, inputs.values].map((data) => bench.buffer(floats(data)));
  const turns = bench.buffer(ids);
  const lambda = scalar(inputs.lam);
  const byTurn = runTurns(bench, at, { rewards: bench.buffer(tokenRewards), values, mask, turns }, true);
  const high = runGae(bench, at, { ...byTurn, gamma: scalar(inputs.high_level_gamma), lambda });
  const rewards = runSpread(bench, at, { by_turn: high.returns, mask, turns, lastOnly: true });
  const between = { gamma: 0, lambda: 0 };
  const low = runGae(bench, at, { rewards, values, mask, turns, gamma: scalar(inputs.gamma), lambda, between });
  return gaeOutputs(bench, mask, low.advantages, low.returns);
};

/**
 * dual_discount_gae: rows are turns of parallel rollouts. Each episode becomes one sequence; its mask is
 * shifted by one, as in the reference, where position j holds the state before token j. The last turn of a
 * rollout is only there for its first value.
 */
export const dualDiscountGae: GoldenAdapter = async ({ inputs }, bench) => {
  const { sequences: rows, length: tokens } = shape(inputs.response_mask);
  const rollouts = scalar(inputs.n_rollouts);
  const [mask, values, rewards] = [inputs.response_mask, inputs.values, inputs.token_level_rewards].map(floats);
  const dones = floats(inputs.dones);
  const episodes: { rows: number[]; bootstrap: number }[] = [];
  for (let k = 0; k < rollouts; k++) {
    let open: number[] = [];
    for (let row = k; row + rollouts < rows; row += rollouts) {
      open.push(row);
      const next = row + rollouts;
      const done = dones[row] !== 0;
      if (!done && next + rollouts < rows) continue;
      episodes.push({ rows: open, bootstrap: done ? 0 : values[next * tokens] });
      open = [];
    }
  }
  const at = { sequences: episodes.length, length: tokens * Math.max(1, ...episodes.map((e) => e.rows.length)) };
  /** Sequence entry and the input entry that it stands for. */
  const places = episodes.flatMap((episode, s) =>
    episode.rows.flatMap((row, turn) =>
      Array.from({ length: tokens }, (_, j) => ({
        to: s * at.length + turn * tokens + j,
        from: row * tokens + j,
        turn,
        updates: j === 0 || mask[row * tokens + j - 1] !== 0,
      })),
    ),
  );
  const gather = (of: (place: (typeof places)[number]) => number) => {
    const data = new Float32Array(size(at));
    for (const place of places) data[place.to] = of(place);
    return data;
  };
  const { advantages, returns } = runGae(bench, at, {
    rewards: bench.buffer(gather(({ from }) => rewards[from])),
    values: bench.buffer(gather(({ from }) => values[from])),
    mask: bench.buffer(gather(({ updates }) => Number(updates))),
    turns: bench.buffer(Uint32Array.from(gather(({ turn }) => turn))),
    finalValues: bench.buffer(Float32Array.from(episodes, ({ bootstrap }) => bootstrap)),
    gamma: scalar(inputs.token_gamma),
    lambda: scalar(inputs.token_lam),
    between: { gamma: scalar(inputs.step_gamma), lambda: scalar(inputs.step_lam) },
  });
  const scatter = async (buffer: BenchBuffer, data: Float32Array) => {
    const found = await bench.read(buffer);
    for (const { to, from } of places) data[from] = found[to];
    return bench.buffer(data);
  };
  return gaeOutputs(
    bench,
    bench.buffer(mask),
    await scatter(advantages, new Float32Array(rows * tokens)),
    await scatter(returns, values.slice()),
  );
};

interface GroupRun {
  readonly groups: Uint32Array;
  readonly weights?: BenchBuffer;
  readonly weighting?: number;
  readonly baseline?: number;
  readonly scale?: number;
  /** The scale is that of the whole batch. */
  readonly batchScale?: boolean;
  /** The batch is one group. */
  readonly whole?: boolean;
  readonly lone?: number;
  readonly epsilon?: number;
  readonly varianceFloor?: number;
}

/** Advantages [S] of scores [S]. */
function runGroups(bench: Bench, scores: BenchBuffer, run: GroupRun): BenchBuffer {
  const sequences = run.groups.length;
  const weights = run.weights ?? scores;
  const weighting = run.weighting ?? WEIGHTING.none;
  const groups = bench.buffer(run.groups);
  const statistics = (whole: boolean) => {
    const buffer = bench.zeros(sequences * GROUP_STATISTICS);
    bench.run(
      groupStatistics,
      { scores, weights, groups, statistics: buffer },
      { sequences, whole: Number(whole), weighting },
    );
    return buffer;
  };
  const own = statistics(run.whole ?? false);
  const advantages = bench.zeros(sequences);
  bench.run(
    groupAdvantage,
    { scores, weights, own, scaling: run.batchScale ? statistics(true) : own, advantages },
    {
      sequences,
      weighted: Number(weighting === WEIGHTING.counts),
      baseline: run.baseline ?? GROUP_BASELINE.mean,
      scale: run.scale ?? GROUP_SCALE.none,
      lone: run.lone ?? LONE.zero,
      epsilon: run.epsilon ?? 0,
      variance_floor: run.varianceFloor ?? 0,
    },
  );
  return advantages;
}

/** Scores and lengths [S] of the file's rows. */
function runScores(bench: Bench, at: Shape, rewards: BenchBuffer, mask: BenchBuffer) {
  const buffers = { scores: bench.zeros(at.sequences), lengths: bench.zeros(at.sequences) };
  bench.run(sequenceScores, { rewards, mask, ...buffers }, { ...at });
  return buffers;
}

/** Advantages [S, L] of an outcome reward. */
async function outcome(inputs: GoldenRecord, bench: Bench, run: Omit<GroupRun, 'groups'>, byLength = false) {
  const at = shape(inputs.response_mask);
  const mask = bench.buffer(floats(inputs.response_mask));
  const { scores, lengths } = runScores(bench, at, bench.buffer(floats(inputs.token_level_rewards)), mask);
  const by_sequence = runGroups(bench, scores, {
    groups: groupsOf(inputs.index),
    ...run,
    ...(byLength ? { weights: lengths, weighting: WEIGHTING.mean } : {}),
  });
  return { mask, advantages: runSpread(bench, at, { by_sequence, mask }) };
}

export const verlGrpo: GoldenAdapter = async ({ inputs, function: name, variant }, bench) => {
  const epsilon = numberOr(inputs.epsilon, 1e-6);
  const floored = name === 'compute_grpo_vectorized_outcome_advantage' && variant === 'volcengine/verl@b178a3c';
  const { advantages } = await outcome(inputs, bench, {
    scale: inputs.norm_adv_by_std_in_grpo === false ? GROUP_SCALE.none : GROUP_SCALE.deviation,
    lone: LONE.score,
    epsilon,
    varianceFloor: floored ? epsilon : 0,
  });
  return { advantages: await bench.read(advantages) };
};

/** verl_outcome_advantages, by function. */
const OUTCOMES: Readonly<Record<string, (inputs: GoldenRecord, bench: Bench) => Promise<{ advantages: BenchBuffer }>>> =
  {
    compute_rloo_outcome_advantage: (inputs, bench) =>
      outcome(inputs, bench, { baseline: GROUP_BASELINE.leaveOneOut, lone: LONE.score }),
    compute_rloo_vectorized_outcome_advantage: (inputs, bench) =>
      outcome(inputs, bench, { baseline: GROUP_BASELINE.leaveOneOut }),
    compute_opo_outcome_advantage: (inputs, bench) => outcome(inputs, bench, { lone: LONE.score }, true),
    compute_gpg_outcome_advantage: (inputs, bench) =>
      outcome(inputs, bench, { scale: GROUP_SCALE.nonzero, batchScale: true, lone: LONE.score }),
    compute_grpo_passk_outcome_advantage: (inputs, bench) =>
      outcome(inputs, bench, {
        baseline: GROUP_BASELINE.bestOther,
        scale: inputs.norm_adv_by_std_in_grpo === false ? GROUP_SCALE.none : GROUP_SCALE.deviation,
        epsilon: numberOr(inputs.epsilon, 1e-6),
      }),
    compute_reinforce_plus_plus_baseline_outcome_advantage: async (inputs, bench) => {
      const { advantages, mask } = await outcome(inputs, bench, { lone: LONE.score });
      return { advantages: runWhiten(bench, advantages, mask) };
    },
  };

export const verlOutcomeAdvantages: GoldenAdapter = async ({ inputs, function: name = '', variant }, bench) => {
  const found = await OUTCOMES[name]?.(inputs, bench);
  if (found !== undefined) return { advantages: await bench.read(found.advantages) };
  if (name === 'compute_remax_outcome_advantage') return remax(inputs, bench);
  if (name === 'compute_reinforce_plus_plus_outcome_advantage')
    return reinforcePlusPlus(inputs, bench, variant === 'volcengine/verl@b178a3c');
  return undefined;
};

function runReturns(bench: Bench, inputs: GoldenRecord, baselines: BenchBuffer | undefined, reset: boolean) {
  const at = shape(inputs.response_mask);
  const mask = bench.buffer(floats(inputs.response_mask));
  const rewards = bench.buffer(floats(inputs.token_level_rewards));
  const gamma = numberOr(inputs.gamma, 1);
  const buffers = { returns: bench.zeros(size(at)), advantages: bench.zeros(size(at)) };
  bench.run(
    returnsToGo,
    {
      rewards,
      mask,
      turns: bench.zeros(size(at), 'u32'),
      final_values: bench.zeros(at.sequences),
      values: rewards,
      baselines: baselines ?? rewards,
      ...buffers,
    },
    {
      ...at,
      gamma,
      turn_gamma: gamma,
      baseline: baselines ? TOKEN_BASELINE.sequence : TOKEN_BASELINE.none,
      reset: Number(reset),
    },
  );
  return { ...buffers, mask };
}

/** The reference masks only the baseline: where the mask is 0, its advantage is the return. */
async function remax(inputs: GoldenRecord, bench: Bench): Promise<Outputs> {
  const run = runReturns(bench, inputs, bench.buffer(floats(inputs.reward_baselines)), false);
  const mask = floats(inputs.response_mask);
  const returns = await bench.read(run.returns);
  const advantages = await bench.read(run.advantages);
  return { returns, advantages: advantages.map((advantage, i) => (mask[i] === 0 ? returns[i] : advantage)) };
}

/** Where the mask is 0 the kernel's returns mean nothing, and the references leave different things. */
async function reinforcePlusPlus(inputs: GoldenRecord, bench: Bench, reset: boolean): Promise<Outputs> {
  const run = runReturns(bench, inputs, undefined, reset);
  const mask = floats(inputs.response_mask);
  const rewards = floats(inputs.token_level_rewards);
  const { length } = shape(inputs.response_mask);
  const kernel = await bench.read(run.returns);
  const after = (i: number) => (i % length < length - 1 && mask[i + 1] !== 0 ? kernel[i + 1] : 0);
  const atHole = (i: number) => (reset ? rewards[i] + scalar(inputs.gamma) * after(i) : 0);
  return {
    returns: Float32Array.from(kernel, (value, i) => (mask[i] === 0 ? atHole(i) : value)),
    advantages: await bench.read(runWhiten(bench, run.advantages, run.mask)),
  };
}

/** trl_grpo_advantages: rewards of several functions, NaN where one has none. Sums are the reward's work, done here. */
export const trlGrpoAdvantages: GoldenAdapter = async ({ inputs }, bench) => {
  const { sequences, length: functions } = shape(inputs.rewards_per_func);
  const rewards = numbers(inputs.rewards_per_func);
  const weights = numbers(inputs.reward_weights);
  const groups = Uint32Array.from({ length: sequences }, (_, i) => Math.floor(i / scalar(inputs.num_generations)));
  /** Scores with a weight of 1, or 0 where there is none. */
  const normalize = (scores: readonly number[], run: Omit<GroupRun, 'groups'>) =>
    runGroups(bench, bench.buffer(Float32Array.from(scores, (score) => (Number.isNaN(score) ? 0 : score))), {
      groups,
      weights: bench.buffer(Float32Array.from(scores, (score) => Number(!Number.isNaN(score)))),
      weighting: WEIGHTING.counts,
      epsilon: 1e-4,
      ...run,
    });
  const weightedSum = (per: (row: number, k: number) => number) =>
    Array.from({ length: sequences }, (_, row) => {
      const terms = weights.map((weight, k) => weight * per(row, k)).filter((term) => !Number.isNaN(term));
      return terms.length === 0 ? Number.NaN : terms.reduce((a, b) => a + b, 0);
    });
  const own = (row: number, k: number) => rewards[row * functions + k];
  if (inputs.multi_objective_aggregation === 'normalize_then_sum') {
    const normalized: TypedArray[] = [];
    for (let k = 0; k < functions; k++) {
      const scores = Array.from({ length: sequences }, (_, row) => own(row, k));
      normalized.push(await bench.read(normalize(scores, { scale: GROUP_SCALE.deviation })));
    }
    const sums = weightedSum((row, k) => normalized[k][row]);
    return { advantages: await bench.read(normalize(sums, { whole: true, scale: GROUP_SCALE.deviation })) };
  }
  const scale = inputs.scale_rewards === 'none' ? GROUP_SCALE.none : GROUP_SCALE.deviation;
  const batchScale = inputs.scale_rewards === 'batch';
  return { advantages: await bench.read(normalize(weightedSum(own), { scale, batchScale })) };
};

/** gigpo: rows are steps. Each trajectory becomes a sequence and each row a turn of T tokens. */
export const gigpo: GoldenAdapter = async ({ inputs }, bench) => {
  const trajectories = groupsOf(inputs.traj_index);
  const rows = trajectories.length;
  const sequences = Math.max(...trajectories) + 1;
  const turnOf = Array.from(trajectories, (s, row) => trajectories.subarray(0, row).filter((o) => o === s).length);
  const tokens = inputs.response_mask === undefined ? 1 : shape(inputs.response_mask).length;
  const at = { sequences, length: (Math.max(...turnOf) + 1) * tokens };
  const cell = (row: number) => trajectories[row] * at.length + turnOf[row];
  const token = (row: number, j: number) => trajectories[row] * at.length + turnOf[row] * tokens + j;
  const scatter = <A extends TypedArray>(data: A, to: (i: number) => number, from: ArrayLike<number>): A => {
    for (let i = 0; i < from.length; i++) data[to(i)] = from[i];
    return data;
  };
  const floatsAt = (to: (i: number) => number, from: ArrayLike<number>) =>
    bench.buffer(scatter(new Float32Array(size(at)), to, from));
  const turn_mask = floatsAt(cell, new Float32Array(rows).fill(1));
  const turnCounts = new Float32Array(sequences);
  for (const s of trajectories) turnCounts[s] += 1;
  if (inputs.step_rewards === undefined) {
    const returns = bench.zeros(size(at));
    const gamma = scalar(inputs.gamma);
    const rewards = floatsAt(cell, floats(inputs.rewards));
    const none = { final_values: bench.zeros(sequences), values: rewards, baselines: rewards };
    bench.run(
      returnsToGo,
      {
        rewards,
        mask: turn_mask,
        turns: bench.zeros(size(at), 'u32'),
        ...none,
        returns,
        advantages: bench.zeros(size(at)),
      },
      { ...at, gamma, turn_gamma: gamma, baseline: TOKEN_BASELINE.none, reset: 0 },
    );
    const found = await bench.read(returns);
    return { step_returns: turnOf.map((_, row) => found[cell(row)]) };
  }
  // Grouping by similar text is the environment's matter: a kernel sees numbers.
  if (inputs.enable_similarity === true) return undefined;
  const keys = scatter(new Uint32Array(size(at)), cell, groupsOf(inputs.anchor_obs));
  const groups = scatter(new Uint32Array(sequences), (row) => trajectories[row], groupsOf(inputs.index));
  const scale = inputs.mode === 'mean_std_norm' ? GROUP_SCALE.deviation : GROUP_SCALE.none;
  const epsilon = numberOr(inputs.epsilon, 1e-6);
  const links = bench.zeros(sequences * 2, 'u32');
  bench.run(groupLinks, { groups: bench.buffer(groups), links }, { sequences });
  const turn_advantages = bench.zeros(size(at));
  const step_groups = bench.zeros(size(at), 'u32');
  bench.run(
    turnGroupAdvantage,
    {
      turn_scores: floatsAt(cell, floats(inputs.step_rewards)),
      turn_mask,
      keys: bench.buffer(keys),
      links,
      turn_counts: bench.buffer(Uint32Array.from(turnCounts)),
      turn_advantages,
      step_groups,
    },
    { ...at, by_key: 1, before_last: 0, scale: Number(scale === GROUP_SCALE.deviation), epsilon },
  );
  const rewards = floats(inputs.token_level_rewards);
  const rowScore = (_: unknown, row: number) =>
    rewards.subarray(row * tokens, (row + 1) * tokens).reduce((a, b) => a + b, 0);
  const scores = scatter(new Float32Array(sequences), (row) => trajectories[row], turnOf.map(rowScore));
  const by_sequence = runGroups(bench, bench.buffer(scores), {
    groups,
    weights: bench.buffer(turnCounts),
    weighting: inputs.cross_steps === false ? WEIGHTING.none : WEIGHTING.counts,
    scale,
    lone: LONE.score,
    epsilon,
  });
  const rowOf = (i: number) => Math.floor(i / tokens);
  const mask = floatsAt((i) => token(rowOf(i), i % tokens), floats(inputs.response_mask));
  const turns = Uint32Array.from({ length: size(at) }, (_, i) => Math.floor((i % at.length) / tokens));
  const spread = { mask, turns: bench.buffer(turns) };
  const toRows = async (buffer: BenchBuffer) => {
    const found = await bench.read(buffer);
    return Float32Array.from({ length: rows * tokens }, (_, i) => found[token(rowOf(i), i % tokens)]);
  };
  const foundGroups = await bench.read(step_groups);
  return {
    step_group: groupsOf(turnOf.map((_, row) => foundGroups[cell(row)])),
    episode_advantages: await toRows(runSpread(bench, at, { ...spread, by_sequence })),
    step_advantages: await toRows(runSpread(bench, at, { ...spread, by_turn: turn_advantages })),
    advantages: await toRows(
      runSpread(bench, at, {
        ...spread,
        by_sequence,
        by_turn: turn_advantages,
        turnWeight: scalar(inputs.step_advantage_w),
      }),
    ),
  };
};

/**
 * Advantages of turn_level_mt_grpo. The reference knows two turns, and gives an episode without a tool result
 * the advantage of its combined reward; the tokens before the result are turn 0 here, all others turn 1.
 */
export const mtGrpoAdvantages: GoldenAdapter = async ({ inputs }, bench) => {
  const at = shape(inputs.completion_mask);
  const segments = numbers(inputs.result_segment);
  const groups = segments.map((_, s) => Math.floor(s / scalar(inputs.num_generations)));
  const stream = (value: GoldenValue | undefined) =>
    bench.read(
      runGroups(bench, bench.buffer(floats(value)), {
        groups: Uint32Array.from(groups),
        scale: GROUP_SCALE.deviation,
        epsilon: 1e-4,
      }),
    );
  const turn = await stream(inputs.turn_rewards);
  const final = await stream(inputs.outcome_rewards);
  const combined = await stream(inputs.combined_rewards);
  const mask = floats(inputs.completion_mask);
  const turns = new Uint32Array(size(at)).fill(1);
  const byTurn = new Float32Array(size(at));
  segments.forEach((segment, s) => {
    const changes = Array.from({ length: at.length }, (_, t) => s * at.length + t).filter(
      (i) => i % at.length > 0 && mask[i] !== mask[i - 1],
    );
    if (segment <= 0) return;
    byTurn[s * at.length] = turn[s];
    for (let i = s * at.length; i < (changes[segment - 1] ?? 0); i++) if (mask[i] !== 0) turns[i] = 0;
  });
  const advantages = runSpread(bench, at, {
    mask: bench.buffer(new Float32Array(size(at)).fill(1)),
    turns: bench.buffer(turns),
    by_sequence: bench.buffer(Float32Array.from(segments, (segment, s) => (segment > 0 ? final[s] : combined[s]))),
    by_turn: bench.buffer(byTurn),
    turnWeight: scalar(inputs.turn_advantage_coef),
  });
  return {
    turn_advantages: turn,
    outcome_advantages: final,
    combined_advantages: combined,
    advantages: await bench.read(advantages),
  };
};

/** Advantages of search_r1_masked_loss, from its token-level rewards: over all real tokens, retrieved ones too. */
export async function searchR1Advantages(
  inputs: GoldenRecord,
  rewards: Float32Array,
  bench: Bench,
): Promise<{ advantages: TypedArray; returns?: TypedArray }> {
  const at = shape(inputs.attention_mask);
  const mask = bench.buffer(floats(inputs.attention_mask));
  if (inputs.adv_estimator === 'grpo') {
    const { scores } = runScores(bench, at, bench.buffer(rewards), mask);
    const by_sequence = runGroups(bench, scores, {
      groups: groupsOf(inputs.index),
      scale: GROUP_SCALE.deviation,
      lone: LONE.score,
      epsilon: 1e-6,
    });
    return { advantages: await bench.read(runSpread(bench, at, { by_sequence, mask })) };
  }
  const { advantages, returns } = runGae(bench, at, {
    rewards: bench.buffer(rewards),
    values: bench.buffer(floats(inputs.values)),
    // The recursion knows no mask at all: values of padding enter too.
    mask: bench.buffer(new Float32Array(size(at)).fill(1)),
    gamma: scalar(inputs.gamma),
    lambda: scalar(inputs.lam),
  });
  return {
    returns: await bench.read(returns),
    advantages: await bench.read(runWhiten(bench, advantages, mask)),
  };
}

export const verlMaskedStats: GoldenAdapter = async ({ inputs }, bench) => {
  const at = shape(inputs.values);
  const [data, flags] = [floats(inputs.values), floats(inputs.mask)];
  const moments = async (from = 0, to = data.length) =>
    bench.read(runMoments(bench, bench.buffer(data.slice(from, to)), bench.buffer(flags.slice(from, to))));
  const rowMeans: number[] = [];
  for (let row = 0; row < at.sequences; row++)
    rowMeans.push((await moments(row * at.length, (row + 1) * at.length))[1]);
  const [n, mean, variance] = await moments();
  const whitened = runWhiten(bench, bench.buffer(data), bench.buffer(flags), inputs.shift_mean !== false);
  return {
    sum: [n * mean],
    mean: [mean],
    row_mean: rowMeans,
    var: [variance],
    var_biased: [(variance * (n - 1)) / n],
    whitened: await bench.read(whitened),
  };
};

/**
 * vtrace, time-major. A discount of 0 ends an episode: each becomes a sequence. The other discounts of the
 * file are one gamma.
 */
export const vTraceGolden: GoldenAdapter = async ({ inputs }, bench) => {
  const [steps, copies] = shapeOf(inputs.rewards) as [number, number];
  const [discounts, rewards, values, bootstrap] = [
    inputs.discounts,
    inputs.rewards,
    inputs.values,
    inputs.bootstrap_value,
  ].map(floats);
  const fromLogits = inputs.log_rhos === undefined;
  const logProbs = async (logits: GoldenValue | undefined) => {
    const rows = steps * copies;
    const [buffer, output] = [bench.buffer(floats(logits)), bench.zeros(rows)];
    const actions = bench.buffer(floats(inputs.actions));
    const rest = { masks: bench.zeros(rows, 'u32'), log_probs: output, entropies: bench.zeros(rows) };
    bench.run(
      categoricalEvaluate,
      { logits: buffer, actions, ...rest },
      { rows, actions: buffer.length / rows, masked: 0 },
    );
    return bench.read(output);
  };
  const target = fromLogits ? await logProbs(inputs.target_policy_logits) : floats(inputs.log_rhos);
  const behaviour = fromLogits ? await logProbs(inputs.behavior_policy_logits) : new Float32Array(target.length);
  /** Entries of each episode, in order, and what follows the last. */
  const episodes: { entries: number[]; final: number }[] = [];
  for (let copy = 0; copy < copies; copy++) {
    let entries: number[] = [];
    for (let t = 0; t < steps; t++) {
      const i = t * copies + copy;
      entries.push(i);
      if (discounts[i] !== 0 && t + 1 < steps) continue;
      episodes.push({ entries, final: discounts[i] === 0 ? 0 : bootstrap[copy] });
      entries = [];
    }
  }
  const at = { sequences: episodes.length, length: Math.max(...episodes.map(({ entries }) => entries.length)) };
  const gather = (of: (i: number) => number) => {
    const data = new Float32Array(size(at));
    episodes.forEach(({ entries }, s) => {
      entries.forEach((i, t) => {
        data[s * at.length + t] = of(i);
      });
    });
    return bench.buffer(data);
  };
  const buffers = { advantages: bench.zeros(size(at)), returns: bench.zeros(size(at)) };
  bench.run(
    vTrace,
    {
      rewards: gather((i) => rewards[i]),
      values: gather((i) => values[i]),
      mask: gather(() => 1),
      behaviour: gather((i) => behaviour[i]),
      proximal: gather((i) => target[i]),
      final_values: bench.buffer(Float32Array.from(episodes, ({ final }) => final)),
      ...buffers,
    },
    {
      ...at,
      gamma: Math.max(...discounts),
      rho_max: numberOr(inputs.clip_rho_threshold, UNBOUNDED),
      c_max: 1,
      policy_rho_max: numberOr(inputs.clip_pg_rho_threshold, UNBOUNDED),
    },
  );
  const scatter = async (buffer: BenchBuffer) => {
    const found = await bench.read(buffer);
    const data = new Float32Array(rewards.length);
    episodes.forEach(({ entries }, s) => {
      entries.forEach((i, t) => {
        data[i] = found[s * at.length + t];
      });
    });
    return data;
  };
  return {
    vs: await scatter(buffers.returns),
    pg_advantages: await scatter(buffers.advantages),
    log_rhos: target.map((logProb, i) => logProb - behaviour[i]),
    target_action_log_probs: target,
    behavior_action_log_probs: behaviour,
  };
};

/** nonfinite_reference: one number has no variance, and whitens to 0. */
export const maskedWhitenOfOne: GoldenAdapter = async ({ inputs }, bench) => {
  const values = bench.buffer(floats(inputs.values));
  return { whitened: await bench.read(runWhiten(bench, values, bench.buffer(floats(inputs.mask)))) };
};
