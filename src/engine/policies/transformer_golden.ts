/**
 * Golden vectors of a complete update of a transformer (e2e_grpo_transformer, e2e_drgrpo_transformer): forward,
 * group advantages, token losses, backward, clipping and AdamW, through the policy as training runs it.
 */
import {
  GROUP_BASELINE,
  GROUP_SCALE,
  GROUP_STATISTICS,
  groupAdvantage,
  groupStatistics,
  LONE,
  WEIGHTING,
} from '../../../kernels/advantage/group_advantage';
import { floats, type GoldenAdapter, type Outputs } from '../../../kernels/golden/adapter';
import { type GoldenRecord, type GoldenValue, numbers, scalar, shapeOf } from '../../../kernels/golden/read';
import { KL_ESTIMATORS } from '../../../kernels/loss/kl_estimator';
import { tokenKl } from '../../../kernels/loss/token_kl';
import { TOKEN_STATISTIC, TOKEN_STATISTICS_SIZE, tokenStatistics } from '../../../kernels/loss/token_statistics';
import { tokenSurrogate } from '../../../kernels/loss/token_surrogate';
import { AGGREGATIONS, type AggregationName, tokenCounts, tokenWeights } from '../../../kernels/loss/token_weights';
import { adam } from '../../../kernels/optimizer/adam';
import { chunkNorms, clipNorm, NORM_PARTIALS_SIZE } from '../../../kernels/optimizer/clip';
import { CONTROL, CONTROL_SIZE } from '../../../kernels/optimizer/control';
import { tokenLogProb, tokenLogProbBackward } from '../../../kernels/sampling/token_log_prob';
import type { DeviceBuffer, Executor } from '../device/executor';
import { BufferPool } from '../device/pool';
import { defaultsOf } from '../parameters';
import { Layout } from './layout';
import type { MlpForms } from './mlp';
import type { SequenceModel, TokenBatch } from './sequence';
import { TRANSFORMER } from './transformer';

/** verl's group advantage adds this to the deviation. */
const EPSILON = 1e-6;

export function grpoTransformer(form: 'plain' | 'tuned'): GoldenAdapter {
  return async ({ inputs }, bench) => {
    // The adapter's executor is the engine's own: kernels know only the part of it that they need.
    const executor = bench.executor as Executor;
    const tile = { rows: 4, quads: executor.quads, workgroup: 4 };
    const forms: MlpForms =
      form === 'plain'
        ? { rows: 'plain', few: 'plain', weights: 'plain', parts: 1 }
        : { rows: { ...tile, rows: 8 }, few: tile, weights: tile, parts: 3 };
    const pool = new BufferPool(executor);
    try {
      return await new GoldenUpdate(inputs, forms, pool).run();
    } finally {
      pool.destroy();
    }
  };
}

/** The reference's names of tensors, by the policy's; those of its one block have no number. */
function nameOf(tensor: string): string {
  return tensor.replace('actor.', '').replace('h.0.', '');
}

class GoldenUpdate {
  private readonly layout = new Layout();
  private readonly model: SequenceModel;
  private readonly batch: TokenBatch;
  private readonly sequences: number;
  private readonly length: number;

  constructor(
    private readonly inputs: GoldenRecord,
    forms: MlpForms,
    private readonly pool: BufferPool,
  ) {
    const [sequences, length] = shapeOf(inputs.ids) as [number, number];
    this.sequences = sequences;
    this.length = length;
    const params = inputs.params as GoldenRecord;
    const [vocabulary, width] = shapeOf(params.wte) as [number, number];
    const settings = { layers: 1, width, heads: scalar(inputs.heads), mlp: shapeOf(params['mlp.fc1.weight'])[0] };
    this.model = TRANSFORMER.build(
      { ...defaultsOf(TRANSFORMER.parameters), ...settings, tied: false },
      {
        room: { vocabulary, context: length, sequences, length },
        heads: { logits: true, value: false },
        pool,
        layout: this.layout,
        prefix: 'actor',
        forms,
      },
    );
    this.batch = {
      tokens: this.upload('tokens', Uint32Array.from(numbers(inputs.ids))),
      lengths: this.upload('lengths', new Uint32Array(sequences).fill(length)),
      sequences,
      length,
    };
  }

  async run(): Promise<Outputs> {
    const { pool, model, batch, inputs } = this;
    const { executor } = pool;
    const parameters = this.upload('parameters', this.parameters());
    const gradient = pool.f32('gradient', this.layout.size);
    model.forward(parameters, batch);
    const advantages = await this.advantages();
    const losses = await this.losses(advantages);
    model.backward(parameters, batch, gradient);
    const grads = await this.byName(gradient);

    const control = pool.f32('control', CONTROL_SIZE);
    const betas = { beta1: scalar(inputs.beta1), beta2: scalar(inputs.beta2) };
    const partials = pool.f32('norm partials', NORM_PARTIALS_SIZE);
    const count = this.layout.size;
    executor.run(chunkNorms, { gradient, partials }, { count });
    executor.run(clipNorm, { partials, control }, { max_norm: scalar(inputs.max_grad_norm), ...betas });
    executor.run(
      adam,
      {
        parameters,
        gradient,
        first_moment: pool.f32('first moment', count),
        second_moment: pool.f32('second moment', count),
        control,
      },
      {
        count,
        ...betas,
        learning_rate: scalar(inputs.lr),
        epsilon: scalar(inputs.adam_eps),
        weight_decay: scalar(inputs.weight_decay),
        decoupled: 1,
      },
    );
    return {
      h_embed: await this.stream(0),
      h_attn: await this.stream(1),
      h_mlp: await this.stream(2),
      logits: await executor.download(model.logits, 0, this.sequences * this.length * model.vocabulary),
      advantages,
      ...losses,
      grads,
      total_norm: [(await executor.download(control))[CONTROL.norm]],
      params_after: await this.byName(parameters),
    };
  }

  /** One number a sequence: all are one group. */
  private async advantages(): Promise<Float32Array> {
    const { pool, sequences, inputs } = this;
    const scores = this.upload('scores', floats(inputs.rewards));
    const [weights, groups] = [pool.f32('no weights', 1), pool.u32('groups', sequences)];
    const statistics = pool.f32('group statistics', sequences * GROUP_STATISTICS);
    const advantages = pool.f32('sequence advantages', sequences);
    pool.executor.run(
      groupStatistics,
      { scores, weights, groups, statistics },
      { sequences, whole: 0, weighting: WEIGHTING.none },
    );
    pool.executor.run(
      groupAdvantage,
      { scores, weights, own: statistics, scaling: statistics, advantages },
      {
        sequences,
        weighted: 0,
        baseline: GROUP_BASELINE.mean,
        scale: inputs.norm_by_std ? GROUP_SCALE.deviation : GROUP_SCALE.none,
        lone: LONE.score,
        epsilon: EPSILON,
        variance_floor: 0,
      },
    );
    return (await pool.executor.download(advantages)) as Float32Array;
  }

  /** Leaves the gradient of the logits; what the reference records of the losses. */
  private async losses(advantages: Float32Array): Promise<Outputs> {
    const { pool, sequences, length, inputs, model, batch } = this;
    const { executor } = pool;
    const { vocabulary } = model;
    const count = sequences * length;
    const mask = this.upload('mask', this.tokens(inputs.loss_mask));
    const own = (name: string) => pool.f32(name, count);

    const rows = { sequences, length, vocabulary, sequence_stride: length, position_stride: 1 };
    const legal = this.upload('grammar', new Uint32Array(vocabulary).fill(1));
    const given = {
      logits: model.logits,
      tokens: batch.tokens,
      grammar_states: pool.u32('states', count),
      grammar: legal,
    };
    const evaluate = (of: DeviceBuffer, log_probs: DeviceBuffer, entropies: DeviceBuffer) =>
      executor.run(
        tokenLogProb,
        { ...given, mask: of, log_probs, entropies },
        { ...rows, temperature: 1, grammar: 1, smoothing: 0 },
      );
    const [log_probs, entropies] = [own('log-probabilities'), own('entropies')];
    evaluate(mask, log_probs, entropies);
    // The reference records those of tokens that teach nothing, too.
    const everything = this.upload('everything', new Float32Array(count).fill(1));
    const [allLogProbs, allEntropies] = [own('all log-probabilities'), own('all entropies')];
    evaluate(everything, allLogProbs, allEntropies);

    const [counts, weights] = [pool.f32('counts', sequences), own('weights')];
    const divisor = inputs.loss_scale_factor === undefined ? 1 : scalar(inputs.loss_scale_factor);
    executor.run(tokenCounts, { mask, counts }, { sequences, length });
    executor.run(
      tokenWeights,
      { mask, counts, weights },
      { sequences, length, ...AGGREGATIONS[inputs.loss_agg_mode as AggregationName], divisor },
    );
    const size = sequences * TOKEN_STATISTICS_SIZE;
    const [log_prob_gradient, statistics] = [own('log-probability gradient'), pool.f32('statistics', size)];
    executor.run(
      tokenSurrogate('clip'),
      {
        mask,
        weights,
        log_probs,
        old_log_probs: this.upload('old log-probabilities', this.tokens(inputs.old_logp)),
        advantages: this.upload(
          'advantages',
          Float32Array.from({ length: count }, (_, i) => advantages[Math.floor(i / length)]),
        ),
        log_prob_gradient,
        statistics,
      },
      {
        sequences,
        length,
        sequence_ratio: 0,
        clip_low: scalar(inputs.clip_ratio_low),
        clip_high: scalar(inputs.clip_ratio_high),
        dual_clip: scalar(inputs.clip_ratio_c),
      },
    );
    const reference_log_probs = this.upload('reference log-probabilities', this.tokens(inputs.ref_logp));
    const kl = (coefficient: number, gradient: DeviceBuffer, into: DeviceBuffer) =>
      executor.run(
        tokenKl,
        { mask, weights, log_probs, reference_log_probs, log_prob_gradient: gradient, statistics: into },
        { sequences, length, coefficient, ...KL_ESTIMATORS.k3, report: 1 },
      );
    kl(scalar(inputs.kl_coef), log_prob_gradient, statistics);
    // The penalty by itself, whatever its coefficient.
    const alone = pool.f32('penalty statistics', size);
    kl(1, own('penalty gradient'), alone);
    executor.run(
      tokenLogProbBackward,
      {
        ...given,
        mask,
        log_prob_gradient,
        entropy_gradient: own('entropy gradient'),
        logits_gradient: model.logitsGradient,
      },
      { ...rows, temperature: 1, grammar: 1, smoothing: 0 },
    );

    const sums = await this.sums(statistics);
    const penalty = await this.sums(alone);
    const [share, entropy] = [await executor.download(weights), await executor.download(entropies)];
    let entropyLoss = 0;
    for (let i = 0; i < count; i++) entropyLoss += share[i] * entropy[i];
    const mean = (statistic: keyof typeof TOKEN_STATISTIC) =>
      sums[TOKEN_STATISTIC[statistic]] / sums[TOKEN_STATISTIC.tokens];
    return {
      logp: this.targets(await executor.download(allLogProbs)),
      entropy: this.targets(await executor.download(allEntropies)),
      pg_loss: [sums[TOKEN_STATISTIC.policy_loss]],
      kl_loss: [penalty[TOKEN_STATISTIC.loss]],
      entropy_loss: [entropyLoss],
      loss: [sums[TOKEN_STATISTIC.loss]],
      pg_clipfrac: [mean('clipped_low') + mean('clipped_high')],
      ppo_kl: [mean('old_approx_kl')],
    };
  }

  private async sums(statistics: DeviceBuffer): Promise<ArrayLike<number>> {
    const { pool, sequences } = this;
    const statistics_out = pool.f32('sums', TOKEN_STATISTICS_SIZE);
    pool.executor.run(tokenStatistics, { statistics, statistics_out }, { sequences, row: 0 });
    return pool.executor.download(statistics_out);
  }

  /** The reference's entry t is of token t + 1. */
  private tokens(value: GoldenValue | undefined): Float32Array {
    const given = floats(value);
    const { sequences, length } = this;
    return Float32Array.from({ length: sequences * length }, (_, i) =>
      i % length === 0 ? 0 : given[Math.floor(i / length) * (length - 1) + (i % length) - 1],
    );
  }

  private targets(all: ArrayLike<number>): number[] {
    return Array.from(all).filter((_, i) => i % this.length > 0);
  }

  /** The residual stream after the embedding, and after each half of the block. */
  private stream(index: number) {
    const width = scalar(shapeOf((this.inputs.params as GoldenRecord).wte)[1]);
    const stream = this.pool.f32(`actor stream ${index}`, 1);
    return this.pool.executor.download(stream, 0, this.sequences * this.length * width);
  }

  private async byName(buffer: DeviceBuffer): Promise<Outputs> {
    const flat = await this.pool.executor.download(buffer);
    return Object.fromEntries(
      this.layout.tensors.map(({ name, shape, offset }) => [
        nameOf(name),
        flat.slice(offset, offset + shape.reduce((product, n) => product * n, 1)),
      ]),
    );
  }

  private parameters(): Float32Array {
    const given = this.inputs.params as GoldenRecord;
    const flat = new Float32Array(this.layout.size);
    for (const { name, offset } of this.layout.tensors) flat.set(floats(given[nameOf(name)]), offset);
    return flat;
  }

  private upload(name: string, data: Float32Array | Uint32Array): DeviceBuffer {
    const buffer = this.pool.get(name, data instanceof Float32Array ? 'f32' : 'u32', data.length);
    this.pool.executor.upload(buffer, data);
    return buffer;
  }
}
