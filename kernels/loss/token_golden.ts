/** Golden vectors of the losses over tokens, through the kernels that training runs. */
import { mtGrpoAdvantages, searchR1Advantages } from '../advantage/token_golden';
import { type Bench, type BenchBuffer, floats, type GoldenAdapter, numberOr, type Outputs } from '../golden/adapter';
import { type GoldenRecord, type GoldenValue, numbers, scalar, shapeOf } from '../golden/read';
import { tokenLogProb, tokenLogProbBackward } from '../sampling/token_log_prob';
import { covarianceSelection } from './covariance_selection';
import { importanceWeights } from './importance_weights';
import { adaptKlCoefficient, KL_ESTIMATORS, type KlEstimatorName } from './kl_estimator';
import { klReward } from './kl_reward';
import { labelWeights, PREFERENCE_KIND, preferenceLoss } from './preference_loss';
import type { SurrogateName } from './surrogates';
import { tokenKl } from './token_kl';
import { tokenLikelihood } from './token_likelihood';
import {
  TOKEN_STATISTIC,
  TOKEN_STATISTICS,
  TOKEN_STATISTICS_SIZE,
  type TokenStatistic,
  tokenStatistics,
} from './token_statistics';
import { tokenSurrogate } from './token_surrogate';
import { tokenValueLoss } from './token_value_loss';
import { AGGREGATIONS, type AggregationName, tokenCounts, tokenWeights } from './token_weights';

/** Wider than any ratio: a clip that never bites. */
const NO_CLIP = { clip_low: 1, clip_high: 1e30, dual_clip: 0 };

/** Some episodes [S, L] on a bench, with what the kernels need to share. */
class Batch {
  readonly sequences: number;
  readonly length: number;
  readonly mask: BenchBuffer;
  readonly statistics: BenchBuffer;
  readonly gradient: BenchBuffer;
  readonly weights: BenchBuffer;

  constructor(
    readonly bench: Bench,
    readonly flags: Float32Array,
    shape: readonly number[],
    aggregation: AggregationName,
    divisor = 1,
  ) {
    [this.sequences, this.length] = shape as [number, number];
    this.mask = bench.buffer(flags);
    this.statistics = bench.zeros(this.sequences * TOKEN_STATISTICS_SIZE);
    this.gradient = bench.zeros(this.size);
    this.weights = bench.zeros(this.size);
    const counts = bench.zeros(this.sequences);
    bench.run(tokenCounts, { mask: this.mask, counts }, this.shape);
    bench.run(
      tokenWeights,
      { mask: this.mask, counts, weights: this.weights },
      { ...this.shape, ...AGGREGATIONS[aggregation], divisor },
    );
  }

  get shape() {
    return { sequences: this.sequences, length: this.length };
  }

  get size() {
    return this.sequences * this.length;
  }

  surrogate(
    name: SurrogateName,
    data: { logProbs: BenchBuffer; oldLogProbs: BenchBuffer; advantages: BenchBuffer; weights?: BenchBuffer },
    settings: Readonly<Record<string, number>>,
  ): void {
    this.bench.run(
      tokenSurrogate(name),
      {
        mask: this.mask,
        weights: data.weights ?? this.weights,
        log_probs: data.logProbs,
        old_log_probs: data.oldLogProbs,
        advantages: data.advantages,
        log_prob_gradient: this.gradient,
        statistics: this.statistics,
      },
      { ...this.shape, sequence_ratio: 0, ...settings },
    );
  }

  kl(
    logProbs: BenchBuffer,
    reference: BenchBuffer,
    estimator: KlEstimatorName,
    coefficient: number,
    weights = this.weights,
  ): void {
    this.bench.run(
      tokenKl,
      {
        mask: this.mask,
        weights,
        log_probs: logProbs,
        reference_log_probs: reference,
        log_prob_gradient: this.gradient,
        statistics: this.statistics,
      },
      { ...this.shape, coefficient, report: 1, ...KL_ESTIMATORS[estimator] },
    );
  }

  /** The minibatch's losses, and the means of the other statistics over the tokens of their term. */
  means(): Promise<Record<TokenStatistic, number>> {
    return meansOf(this.bench, this.statistics, this.sequences);
  }
}

/** By which column each other is divided. */
const COUNTS: Readonly<Partial<Record<TokenStatistic, TokenStatistic>>> = {
  old_approx_kl: 'tokens',
  approx_kl: 'tokens',
  ratio: 'tokens',
  clipped_low: 'tokens',
  clipped_high: 'tokens',
  dual_clipped: 'tokens',
  value_clipped: 'value_tokens',
  reference_kl: 'reference_tokens',
  preference_accuracy: 'pairs',
};

async function meansOf(
  bench: Bench,
  statistics: BenchBuffer,
  sequences: number,
): Promise<Record<TokenStatistic, number>> {
  const statistics_out = bench.zeros(TOKEN_STATISTICS_SIZE);
  bench.run(tokenStatistics, { statistics, statistics_out }, { sequences, row: 0 });
  const row = await bench.read(statistics_out);
  const count = (name: TokenStatistic) => {
    const column = COUNTS[name];
    return column === undefined ? 1 : Math.max(1, row[TOKEN_STATISTIC[column]]);
  };
  return Object.fromEntries(TOKEN_STATISTICS.map((name) => [name, row[TOKEN_STATISTIC[name]] / count(name)])) as Record<
    TokenStatistic,
    number
  >;
}

/** verl_policy_loss and verl_policy_loss_variants: their common inputs. */
function verlBatch(inputs: GoldenRecord, bench: Bench, aggregation: AggregationName) {
  const batch = new Batch(bench, floats(inputs.response_mask), shapeOf(inputs.response_mask), aggregation);
  const [logProbs, oldLogProbs, advantages] = [inputs.log_prob, inputs.old_log_prob, inputs.advantages].map((x) =>
    bench.buffer(floats(x)),
  );
  return { batch, data: { logProbs, oldLogProbs, advantages } };
}

const verlAggregation = (inputs: GoldenRecord) => (inputs.loss_agg_mode ?? 'token-mean') as AggregationName;

/** Importance weights of the reference's own making, as a policy that behaved so much otherwise. */
function importance(batch: Batch, factors: GoldenValue | undefined): BenchBuffer {
  if (factors === undefined || factors === null) return batch.weights;
  const { bench, weights, size } = batch;
  const weights_out = bench.zeros(size);
  const proximal_log_probs = bench.buffer(Float32Array.from(numbers(factors), Math.log));
  bench.run(
    importanceWeights,
    { weights, proximal_log_probs, behaviour_log_probs: bench.zeros(size), weights_out },
    { tokens: size, cap: 1e30, drop: 0 },
  );
  return weights_out;
}

/** verl_policy_loss.json */
export const verlPolicyLoss: GoldenAdapter = async ({ inputs }, bench) => {
  const { batch, data } = verlBatch(inputs, bench, verlAggregation(inputs));
  const weights = importance(batch, inputs.rollout_is_weights);
  batch.surrogate(
    'clip',
    { ...data, weights },
    {
      clip_low: scalar(inputs.clip_ratio_low),
      clip_high: scalar(inputs.clip_ratio_high),
      dual_clip: numberOr(inputs.clip_ratio_c, 3),
    },
  );
  return clippedOutputs(batch);
};

async function clippedOutputs(batch: Batch): Promise<Outputs> {
  const means = await batch.means();
  return {
    loss: [means.loss],
    grad_log_prob: await batch.bench.read(batch.gradient),
    pg_clipfrac: [means.clipped_low + means.clipped_high],
    pg_clipfrac_lower: [means.dual_clipped],
    ppo_kl: [means.old_approx_kl],
  };
}

/** verl_policy_loss_variants.json, by the name of the reference's function. */
const VARIANTS: Readonly<Record<string, GoldenAdapter>> = {
  async compute_policy_loss_gspo({ inputs }, bench) {
    const { batch, data } = verlBatch(inputs, bench, 'seq-mean-token-mean');
    batch.surrogate('clip', data, { ...clipRange(inputs), dual_clip: 0, sequence_ratio: 1 });
    return clippedOutputs(batch);
  },
  async compute_policy_loss_geo_mean({ inputs }, bench) {
    const { batch, data } = verlBatch(inputs, bench, 'all-seq-mean-token-mean');
    batch.surrogate('gmpo', data, clipRange(inputs));
    const means = await batch.means();
    return {
      ...(await clippedOutputs(batch)),
      pg_clipfrac: [means.clipped_high],
      pg_clipfrac_lower: [means.clipped_low],
    };
  },
  async compute_policy_loss_cispo({ inputs }, bench) {
    const { batch, data } = verlBatch(inputs, bench, verlAggregation(inputs));
    const { clip_low, clip_high } = clipRange(inputs);
    batch.surrogate('cispo', data, { ratio_low: 1 - clip_low, ratio_high: 1 + clip_high });
    return clippedOutputs(batch);
  },
  async compute_policy_loss_sapo({ inputs }, bench) {
    const { batch, data } = verlBatch(inputs, bench, 'seq-mean-token-mean');
    batch.surrogate('sapo', data, { tau_positive: scalar(inputs.tau_pos), tau_negative: scalar(inputs.tau_neg) });
    return clippedOutputs(batch);
  },
  async compute_policy_loss_gpg({ inputs }, bench) {
    const { batch, data } = verlBatch(inputs, bench, verlAggregation(inputs));
    const { logProbs } = data;
    batch.surrogate(
      'none',
      { ...data, oldLogProbs: inputs.old_log_prob === undefined ? logProbs : data.oldLogProbs },
      {},
    );
    return clippedOutputs(batch);
  },
  async compute_policy_loss_kl_cov({ inputs }, bench) {
    const { batch, data } = verlBatch(inputs, bench, verlAggregation(inputs));
    const { logProbs, oldLogProbs, advantages } = data;
    batch.surrogate('clip', data, NO_CLIP);
    const selected = bench.zeros(batch.size);
    bench.run(
      covarianceSelection,
      { mask: batch.mask, weights: batch.weights, log_probs: logProbs, advantages, weights_out: selected },
      { tokens: batch.size, share: scalar(inputs.kl_cov_ratio) },
    );
    batch.kl(logProbs, oldLogProbs, 'abs', scalar(inputs.ppo_kl_coef), selected);
    // The reference reports the mean of |log r|, which is what reference_kl is with this estimator.
    const means = await batch.means();
    return { ...(await clippedOutputs(batch)), ppo_kl: [means.reference_kl] };
  },
  compute_policy_loss_dppo_tv: dppo(0),
  compute_policy_loss_dppo_kl: dppo(1),
};

function dppo(divergence: number): GoldenAdapter {
  return async ({ inputs }, bench) => {
    const { batch, data } = verlBatch(inputs, bench, verlAggregation(inputs));
    batch.surrogate('dppo', data, {
      limit_low: numberOr(inputs.clip_ratio_low, numberOr(inputs.clip_ratio, 0.2)),
      limit_high: numberOr(inputs.clip_ratio_high, numberOr(inputs.clip_ratio, 0.2)),
      ratio_cap: scalar(inputs.clip_ratio_c),
      divergence,
    });
    return clippedOutputs(batch);
  };
}

function clipRange(inputs: GoldenRecord) {
  return { clip_low: scalar(inputs.clip_ratio_low), clip_high: scalar(inputs.clip_ratio_high) };
}

export const verlPolicyLossVariants: GoldenAdapter = async (testCase, bench, file) =>
  VARIANTS[testCase.function ?? '']?.(testCase, bench, file);

/** verl_agg_loss.json, and its cases in nonfinite_reference.json: the losses are minus the log-probabilities of a likelihood. */
export const verlAggLoss: GoldenAdapter = async ({ inputs, variant }, bench) => {
  const [, length] = shapeOf(inputs.loss_mat);
  const { name, divisor } = verlAggregationOf(inputs, variant, length);
  const batch = new Batch(bench, floats(inputs.loss_mask), shapeOf(inputs.loss_mask), name, divisor);
  const { mask, weights, gradient, statistics } = batch;
  const log_probs = bench.buffer(floats(inputs.loss_mat).map((loss) => -loss));
  bench.run(tokenLikelihood, { mask, weights, log_probs, log_prob_gradient: gradient, statistics }, batch.shape);
  return { loss: [(await batch.means()).loss], grad: (await bench.read(gradient)).map((slope) => -slope) };
};

/** verl's options as one of ours and a divisor. */
function verlAggregationOf(
  inputs: GoldenRecord,
  variant: string | undefined,
  length: number,
): { name: AggregationName; divisor: number } {
  const mode = inputs.loss_agg_mode as AggregationName;
  const [tokens, sequences, copies] = [
    numberOr(inputs.batch_num_tokens, 0),
    numberOr(inputs.global_batch_size, 0),
    numberOr(inputs.dp_size, 1),
  ];
  const scale = mode === 'seq-mean-token-sum-norm' ? numberOr(inputs.loss_scale_factor, length) : 1;
  if (mode === 'token-mean' && tokens > 0) return { name: 'token-sum-norm', divisor: tokens / copies };
  if (mode === 'seq-mean-token-sum-norm' && variant?.startsWith('volcengine'))
    return { name: 'token-sum-norm', divisor: scale };
  if (mode !== 'token-mean' && sequences > 0)
    return {
      name: mode === 'seq-mean-token-mean' ? 'token-mean-sum-norm' : 'token-sum-norm',
      divisor: (sequences * scale) / copies,
    };
  return { name: mode, divisor: scale / copies };
}

const VERL_ESTIMATORS: Readonly<Record<string, KlEstimatorName>> = {
  kl: 'k1',
  k1: 'k1',
  abs: 'abs',
  mse: 'k2',
  k2: 'k2',
  low_var_kl: 'k3',
  k3: 'k3',
  'kl+': 'k1+',
  'k1+': 'k1+',
  'mse+': 'k2',
  'k2+': 'k2',
  'low_var_kl+': 'k3+',
  'k3+': 'k3+',
};

/** verl_kl_penalty.json */
export const verlKlPenalty: GoldenAdapter = async ({ inputs, function: name }, bench) => {
  if (name === 'kl_penalty') return klOfTokens(inputs, bench);
  if (name === 'compute_rewards') {
    const rewards = floats(inputs.token_level_scores);
    const log_probs = floats(inputs.old_log_prob);
    const reference = floats(inputs.ref_log_prob);
    const mask = new Float32Array(rewards.length).fill(1);
    return {
      token_level_rewards: await withKlReward(bench, { rewards, log_probs, reference, mask }, 'k1', inputs.kl_ratio),
    };
  }
  let coefficient = scalar(inputs.init_kl_coef);
  const [target, horizon] = [scalar(inputs.target_kl), scalar(inputs.horizon)];
  const values = (inputs.updates as GoldenValue[]).map((update) => {
    const [kl, steps] = numbers(update);
    coefficient = adaptKlCoefficient(coefficient, kl, { target, horizon, steps });
    return coefficient;
  });
  return { values };
};

/** Each token as a sequence of one, whose statistics and gradient are its own. */
async function klOfTokens(inputs: GoldenRecord, bench: Bench): Promise<Outputs> {
  const [logProbs, reference] = [bench.buffer(floats(inputs.logprob)), bench.buffer(floats(inputs.ref_logprob))];
  const count = numbers(inputs.logprob).length;
  const batch = new Batch(bench, new Float32Array(count).fill(1), [count, 1], 'token-sum-norm');
  batch.kl(logProbs, reference, VERL_ESTIMATORS[inputs.kl_penalty as string], 1);
  const rows = await bench.read(batch.statistics);
  const column = (name: TokenStatistic) =>
    Array.from({ length: count }, (_, s) => rows[s * TOKEN_STATISTICS_SIZE + TOKEN_STATISTIC[name]]);
  return { kl: column('reference_kl'), grad_logprob: await bench.read(batch.gradient) };
}

async function withKlReward(
  bench: Bench,
  data: Readonly<Record<'rewards' | 'log_probs' | 'reference' | 'mask', Float32Array>>,
  estimator: KlEstimatorName,
  coefficient: GoldenValue,
): Promise<Float32Array> {
  const rewards = bench.buffer(data.rewards);
  bench.run(
    klReward,
    {
      mask: bench.buffer(data.mask),
      log_probs: bench.buffer(data.log_probs),
      reference_log_probs: bench.buffer(data.reference),
      rewards,
    },
    {
      tokens: data.rewards.length,
      coefficient: scalar(coefficient),
      estimator: KL_ESTIMATORS[estimator].estimator,
    },
  );
  return (await bench.read(rewards)) as Float32Array;
}

/** verl_entropy_value.json, compute_value_loss. */
export const verlValueLoss: GoldenAdapter = async ({ inputs }, bench) => {
  const shape = shapeOf(inputs.response_mask);
  const batch = new Batch(bench, floats(inputs.response_mask), shape, verlAggregation(inputs));
  const value_gradient = bench.zeros(batch.size);
  const [values, old_values, returns] = [inputs.vpreds, inputs.values, inputs.returns].map((x) =>
    bench.buffer(floats(x)),
  );
  bench.run(
    tokenValueLoss,
    { ...pick(batch), values, old_values, returns, value_gradient },
    { ...batch.shape, coefficient: 1, value_clip: scalar(inputs.cliprange_value) },
  );
  const means = await batch.means();
  return {
    loss: [means.value_loss],
    vf_clipfrac: [means.value_clipped],
    grad_vpreds: await bench.read(value_gradient),
  };
};

const pick = ({ mask, weights, statistics }: Batch) => ({ mask, weights, statistics });

/** How TRL's loss types weigh the tokens. */
function trlAggregation(inputs: GoldenRecord): { name: AggregationName; divisor: number } {
  switch (inputs.loss_type) {
    case 'grpo':
    case 'sapo':
      return { name: 'all-seq-mean-token-mean', divisor: 1 };
    case 'bnpo':
      return { name: 'token-mean', divisor: 1 };
    case 'dr_grpo':
      return { name: 'all-seq-mean-token-sum-norm', divisor: scalar(inputs.max_completion_length) };
    case 'luspo':
      return { name: 'all-seq-mean-token-sum', divisor: 1 };
    default:
      return { name: 'token-sum-norm', divisor: scalar(inputs.num_items_in_batch) };
  }
}

/**
 * trl_grpo_loss.json, and its cases in nonfinite_reference.json. Not covered: luspo with a ratio a token or with a KL
 * term, where the reference averages over masked tokens too.
 */
export const trlGrpoLoss: GoldenAdapter = async ({ inputs }, bench) => {
  const type = inputs.loss_type as string;
  const ofSequence = inputs.importance_sampling_level === 'sequence';
  const beta = numberOr(inputs.beta, 0);
  if (type === 'luspo' && (!ofSequence || beta !== 0)) return undefined;
  const shape = shapeOf(inputs.completion_mask);
  const tools = inputs.tool_mask ? floats(inputs.tool_mask) : undefined;
  const mask = floats(inputs.completion_mask).map((flag, i) => flag * (tools?.[i] ?? 1));
  const { name, divisor } = trlAggregation(inputs);
  const batch = new Batch(bench, mask, shape, name, divisor);
  const logProbs = bench.buffer(floats(inputs.per_token_logps));
  const old = inputs.old_per_token_logps;
  const oldLogProbs = old ? bench.buffer(floats(old)) : logProbs;
  const data = { logProbs, oldLogProbs, advantages: bench.buffer(spread(inputs.advantages, shape)) };
  const [low, high] = [numberOr(inputs.epsilon_low, 0.2), numberOr(inputs.epsilon_high, 0.2)];
  const sequence_ratio = Number(ofSequence);
  if (type === 'cispo') batch.surrogate('cispo', data, { ratio_low: 0, ratio_high: high, sequence_ratio });
  else if (type === 'sapo')
    batch.surrogate('sapo', data, {
      tau_positive: numberOr(inputs.sapo_temperature_pos, 1),
      tau_negative: numberOr(inputs.sapo_temperature_neg, 1.05),
      sequence_ratio,
    });
  else if (type === 'vespo')
    batch.surrogate('vespo', data, {
      k_positive: numberOr(inputs.vespo_k_pos, 2),
      lambda_positive: numberOr(inputs.vespo_lambda_pos, 3),
      k_negative: numberOr(inputs.vespo_k_neg, 3),
      lambda_negative: numberOr(inputs.vespo_lambda_neg, 2),
    });
  // TRL's delta caps the unclipped ratio; above the clip range that is the dual clip.
  else
    batch.surrogate('clip', data, {
      clip_low: low,
      clip_high: high,
      dual_clip: numberOr(inputs.delta, 0),
      sequence_ratio,
    });
  if (beta !== 0) batch.kl(logProbs, bench.buffer(floats(inputs.ref_per_token_logps)), 'k3', beta);

  const means = await batch.means();
  const [clippedLow, clippedHigh] = ofSequence
    ? await sequenceMeans(batch, ['clipped_low', 'clipped_high'])
    : [means.clipped_low, means.clipped_high];
  return {
    loss: [means.loss],
    grad_per_token_logps: await bench.read(batch.gradient),
    kl: [means.reference_kl],
    clip_ratio_low_mean: [clippedLow],
    clip_ratio_high_mean: [clippedHigh],
    clip_ratio_region_mean: [clippedLow + clippedHigh],
  };
};

/** A number a sequence as one a token. */
function spread(values: GoldenValue | undefined, [sequences, length]: readonly number[]): Float32Array {
  const flat = numbers(values);
  if (flat.length === sequences * length) return Float32Array.from(flat);
  return Float32Array.from({ length: sequences * length }, (_, i) => flat[Math.floor(i / length)]);
}

/** Means over the sequences of means over their tokens. */
async function sequenceMeans(batch: Batch, names: readonly TokenStatistic[]): Promise<number[]> {
  const rows = await batch.bench.read(batch.statistics);
  return names.map((name) => {
    let sum = 0;
    for (let s = 0; s < batch.sequences; s++) {
      const row = s * TOKEN_STATISTICS_SIZE;
      sum += rows[row + TOKEN_STATISTIC[name]] / Math.max(rows[row + TOKEN_STATISTIC.tokens], 1);
    }
    return sum / batch.sequences;
  });
}

/** search_r1_masked_loss.json: rewards and advantages over all real tokens, the loss over those of the agent. */
export const searchR1MaskedLoss: GoldenAdapter = async ({ inputs, function: name }, bench) => {
  // The masks of rollouts are made by the engine.
  if (name !== 'masked_update') return undefined;
  const mask = floats(inputs.info_mask);
  const [scores, old] = [floats(inputs.token_level_scores), floats(inputs.old_log_prob)];
  const rewards =
    inputs.kl_beta === undefined || inputs.kl_beta === null
      ? scores
      : await withKlReward(
          bench,
          { rewards: scores, log_probs: old, reference: floats(inputs.ref_log_prob), mask },
          VERL_ESTIMATORS[inputs.kl_penalty as string],
          inputs.kl_beta,
        );
  const estimated = await searchR1Advantages(inputs, rewards, bench);
  const batch = new Batch(bench, mask, shapeOf(inputs.info_mask), 'token-mean');
  const clip = scalar(inputs.cliprange);
  batch.surrogate(
    'clip',
    {
      logProbs: bench.buffer(floats(inputs.log_prob)),
      oldLogProbs: bench.buffer(old),
      advantages: bench.buffer(estimated.advantages),
    },
    { clip_low: clip, clip_high: clip, dual_clip: 0 },
  );
  const { loss, ...rest } = await clippedOutputs(batch);
  return {
    ...rest,
    pg_loss: loss,
    token_level_rewards: rewards,
    advantages: estimated.advantages,
    ...(estimated.returns === undefined ? {} : { returns: estimated.returns }),
  };
};

/** turn_level_mt_grpo.json: its advantages, and the loss over the agent's tokens. */
export const mtGrpo: GoldenAdapter = async (testCase, bench, file) => {
  const { inputs } = testCase;
  const estimated = await mtGrpoAdvantages(testCase, bench, file);
  if (estimated === undefined) return undefined;
  const batch = new Batch(bench, floats(inputs.completion_mask), shapeOf(inputs.completion_mask), 'token-mean');
  const logProbs = bench.buffer(floats(inputs.per_token_logps));
  const clip = scalar(inputs.epsilon);
  batch.surrogate(
    'clip',
    {
      logProbs,
      oldLogProbs: bench.buffer(floats(inputs.old_per_token_logps)),
      advantages: bench.buffer(Float32Array.from(estimated.advantages as ArrayLike<number>)),
    },
    { clip_low: clip, clip_high: clip, dual_clip: 0 },
  );
  const beta = numberOr(inputs.beta, 0);
  if (beta !== 0) batch.kl(logProbs, bench.buffer(floats(inputs.ref_per_token_logps)), 'k3', beta);
  return { ...estimated, loss: [(await batch.means()).loss], grad: await bench.read(batch.gradient) };
};

/** The uniforms of one of the reference's loss types. */
function preferenceUniforms(inputs: GoldenRecord) {
  const type = inputs.loss_type as string;
  const kind = type === 'hinge' ? 'hinge' : type === 'ipo' ? 'ipo' : 'logistic';
  return {
    kind: PREFERENCE_KIND[kind],
    beta: scalar(inputs.beta),
    ...labelWeights(numberOr(inputs.label_smoothing, 0), type === 'robust'),
  };
}

/** trl_dpo.json. TRL's current sigmoid form knows no label smoothing; the older ones are conservative. */
export const trlDpo: GoldenAdapter = async (testCase, bench) => {
  const { inputs, variant } = testCase;
  const ignored = inputs.loss_type === 'sigmoid' && variant === 'trl@f2cd577' ? { label_smoothing: 0 } : {};
  const mean = Number(inputs.loss_type === 'ipo' && (variant?.startsWith('trl@f2cd577') ?? false));
  const uniforms = { ...preferenceUniforms({ ...inputs, ...ignored }), mean };
  return inputs.logits === undefined ? ofSums(inputs, bench, uniforms) : ofLogits(inputs, bench, uniforms);
};

type PreferenceUniforms = ReturnType<typeof preferenceUniforms> & { readonly mean: number };

/** Runs pairs [2 P, L], chosen and rejected in turn. */
async function runPairs(
  bench: Bench,
  data: Readonly<Record<'mask' | 'log_probs' | 'reference_log_probs', BenchBuffer>>,
  uniforms: PreferenceUniforms,
  length: number,
) {
  const pairs = data.mask.length / length / 2;
  const log_prob_gradient = bench.zeros(data.mask.length);
  const statistics = bench.zeros(2 * pairs * TOKEN_STATISTICS_SIZE);
  bench.run(preferenceLoss, { ...data, log_prob_gradient, statistics }, { ...uniforms, pairs, length });
  const means = await meansOf(bench, statistics, 2 * pairs);
  const rows = await bench.read(statistics);
  return {
    log_prob_gradient,
    column: (name: TokenStatistic, scale = 1) =>
      Array.from({ length: pairs }, (_, i) => scale * rows[2 * i * TOKEN_STATISTICS_SIZE + TOKEN_STATISTIC[name]]),
    means,
  };
}

/** The reference takes sums of log-probabilities: the first token holds each, the others only count. */
async function ofSums(inputs: GoldenRecord, bench: Bench, uniforms: PreferenceUniforms): Promise<Outputs> {
  const chosen = numbers(inputs.chosen_logps);
  const lengths = [inputs.chosen_len, inputs.rejected_len].map((x) => (x ? numbers(x) : chosen.map(() => 1)));
  const length = Math.max(...lengths.flat());
  const interleaved = (first: readonly number[], second: readonly number[], at: (x: number, t: number) => number) =>
    Float32Array.from({ length: 2 * chosen.length * length }, (_, i) => {
      const sequence = Math.floor(i / length);
      return at((sequence % 2 === 0 ? first : second)[Math.floor(sequence / 2)], i % length);
    });
  const held = (first: GoldenValue, second: GoldenValue) =>
    bench.buffer(interleaved(numbers(first), numbers(second), (sum, t) => (t === 0 ? sum : 0)));
  const run = await runPairs(
    bench,
    {
      mask: bench.buffer(interleaved(lengths[0], lengths[1], (count, t) => Number(t < count))),
      log_probs: held(inputs.chosen_logps, inputs.rejected_logps),
      reference_log_probs: held(inputs.ref_chosen_logps, inputs.ref_rejected_logps),
    },
    uniforms,
    length,
  );
  const gradient = await bench.read(run.log_prob_gradient);
  return {
    losses: run.column('loss', chosen.length),
    loss: [run.means.loss],
    chosen_rewards: run.column('chosen_reward'),
    rejected_rewards: run.column('rejected_reward'),
    accuracy: [run.means.preference_accuracy],
    grad_chosen_logps: chosen.map((_, pair) => gradient[2 * pair * length]),
    grad_rejected_logps: chosen.map((_, pair) => gradient[(2 * pair + 1) * length]),
  };
}

/** Through the log-probabilities of the tokens and their gradient by the logits. */
async function ofLogits(inputs: GoldenRecord, bench: Bench, uniforms: PreferenceUniforms): Promise<Outputs> {
  const [sequences, length, vocabulary] = shapeOf(inputs.logits);
  const pairs = sequences / 2;
  // Chosen in the first half of the rows, rejected in the second: row by row in turn for the kernel.
  const order = Array.from({ length: sequences }, (_, s) => (s % 2) * pairs + Math.floor(s / 2));
  const turned = (data: Float32Array, width: number) =>
    Float32Array.from(order.flatMap((s) => [...data.subarray(s * width, (s + 1) * width)]));
  const mask = turned(floats(inputs.completion_mask), length);
  const onDevice = {
    logits: bench.buffer(turned(floats(inputs.logits), length * vocabulary)),
    tokens: bench.buffer(Uint32Array.from(turned(floats(inputs.input_ids), length))),
    grammar_states: bench.zeros(sequences * length, 'u32'),
    mask: bench.buffer(mask.map((flag, i) => (i % length === 0 ? 0 : flag))),
    grammar: bench.buffer(new Uint32Array(vocabulary).fill(1)),
  };
  const shape = {
    sequences,
    length,
    vocabulary,
    sequence_stride: length,
    position_stride: 1,
    temperature: 1,
    grammar: 1,
    smoothing: 0,
  };
  const [log_probs, entropies] = [bench.zeros(sequences * length), bench.zeros(sequences * length)];
  bench.run(tokenLogProb, { ...onDevice, log_probs, entropies }, shape);

  // The reference policy's sums, held by the first token that counts.
  const sums = [numbers(inputs.ref_chosen_logps), numbers(inputs.ref_rejected_logps)];
  const reference = new Float32Array(sequences * length);
  for (let s = 0; s < sequences; s++) {
    const first = mask.findIndex((flag, i) => flag !== 0 && i > s * length);
    reference[first] = sums[s % 2][Math.floor(s / 2)];
  }
  const run = await runPairs(
    bench,
    { mask: onDevice.mask, log_probs, reference_log_probs: bench.buffer(reference) },
    uniforms,
    length,
  );
  const logits_gradient = bench.zeros(sequences * length * vocabulary);
  bench.run(
    tokenLogProbBackward,
    {
      ...onDevice,
      log_prob_gradient: run.log_prob_gradient,
      entropy_gradient: bench.zeros(sequences * length),
      logits_gradient,
    },
    shape,
  );
  const gradient = (await bench.read(logits_gradient)) as Float32Array;
  const width = length * vocabulary;
  const back = Array.from({ length: sequences }, (_, s) => order.indexOf(s));
  return {
    chosen_logps: run.column('chosen_log_prob'),
    rejected_logps: run.column('rejected_log_prob'),
    loss: [run.means.loss],
    grad_logits: back.flatMap((s) => [...gradient.subarray(s * width, (s + 1) * width)]),
  };
}
