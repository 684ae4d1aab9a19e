/**
 * Golden vectors of a complete PPO update of an actor-critic MLP (e2e_ppo_mlp): forward, loss, backward,
 * clipping and Adam, twice on the same minibatch, through the policy as training runs it.
 */
import {
  minibatchMoments,
  minibatchPartials,
  minibatchPartialsSize,
} from '../../../kernels/advantage/minibatch_moments';
import { samples as gatherSamples, SAMPLE_SIZE } from '../../../kernels/advantage/samples';
import { floats, type GoldenAdapter, type Outputs } from '../../../kernels/golden/adapter';
import { type GoldenRecord, scalar, shapeOf } from '../../../kernels/golden/read';
import { lossStatistics, STATISTICS_SIZE } from '../../../kernels/loss/loss_statistics';
import { type Distribution, gradientSize, policyLoss, statisticsSize } from '../../../kernels/loss/policy_loss';
import { adam } from '../../../kernels/optimizer/adam';
import { chunkNorms, clipNorm, NORM_PARTIALS_SIZE } from '../../../kernels/optimizer/clip';
import { CONTROL, CONTROL_SIZE } from '../../../kernels/optimizer/control';
import { categoricalEvaluate } from '../../../kernels/sampling/categorical_evaluate';
import { gaussianEvaluate } from '../../../kernels/sampling/gaussian_evaluate';
import type { DeviceBuffer, Executor } from '../device/executor';
import { BufferPool } from '../device/pool';
import { Mlp, type MlpForms, type MlpShape } from './mlp';

/** torch.optim.Adam's defaults. */
const BETAS = { beta1: 0.9, beta2: 0.999 };

/** Every tensor of `inputs.params` is found by its name in the policy's layout. */
export function ppoMlp(form: 'plain' | 'tuned'): GoldenAdapter {
  return async ({ inputs }, bench) => {
    // The adapter's executor is the engine's own: kernels know only the part of it that they need.
    const executor = bench.executor as Executor;
    const tile = { rows: 4, quads: executor.quads, workgroup: 16 };
    const forms: MlpForms =
      form === 'plain'
        ? { rows: 'plain', few: 'plain', weights: 'plain', parts: 1 }
        : { rows: tile, few: tile, weights: tile, parts: 3 };
    const pool = new BufferPool(executor);
    try {
      const update = new GoldenUpdate(inputs, forms, pool);
      const first = await update.run();
      const afterFirst = await update.read('parameters');
      const second = await update.run();
      return {
        ...first,
        params_after_1: afterFirst,
        loss_2: second.loss,
        params_after_2: await update.read('parameters'),
      };
    } finally {
      pool.destroy();
    }
  };
}

/** One minibatch, its policy, and everything an update of it needs. */
class GoldenUpdate {
  private readonly distribution: Distribution;
  private readonly rows: number;
  private readonly policy: Mlp;
  private readonly buffers: Record<'parameters' | 'gradient' | 'first_moment' | 'second_moment', DeviceBuffer>;
  private readonly control: DeviceBuffer;
  private readonly indices: DeviceBuffer;
  private readonly observations: DeviceBuffer;
  private readonly actions: DeviceBuffer;

  constructor(
    private readonly inputs: GoldenRecord,
    forms: MlpForms,
    private readonly pool: BufferPool,
  ) {
    this.distribution = inputs.policy === 'gaussian' ? 'gaussian' : 'categorical';
    this.rows = shapeOf(inputs.obs)[0];
    this.policy = new Mlp(shapeOfPolicy(inputs), forms, pool, this.rows);
    const { size } = this.policy.layout;
    this.buffers = {
      parameters: this.upload('parameters', this.parameters()),
      gradient: pool.f32('gradient', size),
      first_moment: pool.f32('first moment', size),
      second_moment: pool.f32('second moment', size),
    };
    this.control = pool.f32('control', CONTROL_SIZE);
    this.indices = this.upload(
      'indices',
      Uint32Array.from({ length: this.rows }, (_, i) => i),
    );
    this.observations = this.upload('observations', floats(inputs.obs));
    this.actions = this.upload('actions', floats(inputs.actions));
  }

  /** Forward, loss, backward, one step of Adam; what the reference records of it. */
  async run() {
    const { inputs, policy, pool, rows, buffers } = this;
    const { outputs: count } = policy.shape;
    const { executor } = pool;
    const minibatch = { observations: this.observations, first: 0, count: rows, indices: this.indices };
    const [outputs, values] = [pool.f32('outputs', rows * count), pool.f32('values', rows)];
    policy.forward(buffers.parameters, minibatch, outputs, values);

    const outputGradient = pool.f32('output gradient', gradientSize(this.distribution, rows, count));
    const statistics = pool.f32('statistics', STATISTICS_SIZE);
    this.loss(outputs, values, outputGradient, statistics);
    policy.backward(buffers.parameters, minibatch, outputGradient, buffers.gradient);
    const [log_probs, entropies] = this.evaluate(outputs);

    const partials = pool.f32('norm partials', NORM_PARTIALS_SIZE);
    const { size } = policy.layout;
    executor.run(chunkNorms, { gradient: buffers.gradient, partials }, { count: size });
    executor.run(clipNorm, { partials, control: this.control }, { max_norm: scalar(inputs.max_grad_norm), ...BETAS });
    const rates = { learning_rate: scalar(inputs.lr), epsilon: scalar(inputs.adam_eps), weight_decay: 0, decoupled: 0 };
    executor.run(adam, { ...buffers, control: this.control }, { count: size, ...BETAS, ...rates });

    const [policyLossMean, valueLoss, entropy, , approxKl, clipped] = await executor.download(statistics);
    const loss = policyLossMean - scalar(inputs.ent_coef) * entropy + scalar(inputs.vf_coef) * valueLoss;
    return {
      policy_output: await executor.download(outputs),
      values: await executor.download(values),
      newlogprob: await executor.download(log_probs),
      entropy: await executor.download(entropies),
      pg_loss: [policyLossMean],
      v_loss: [valueLoss],
      entropy_loss: [entropy],
      loss: [loss],
      approx_kl: [approxKl],
      clipfrac: [clipped],
      grads: await this.read('gradient'),
      total_norm: [(await executor.download(this.control))[CONTROL.norm]],
    };
  }

  /** Parameters or gradients by the names of the tensors. */
  async read(which: 'parameters' | 'gradient'): Promise<Outputs> {
    const flat = await this.pool.executor.download(this.buffers[which]);
    const sizeOf = (shape: readonly number[]) => shape.reduce((product, n) => product * n, 1);
    const { tensors } = this.policy.layout;
    return Object.fromEntries(
      tensors.map(({ name, shape, offset }) => [name, flat.slice(offset, offset + sizeOf(shape))]),
    );
  }

  private parameters(): Float32Array {
    const { layout } = this.policy;
    const given = this.inputs.params as GoldenRecord;
    const flat = new Float32Array(layout.size);
    for (const { name, offset } of layout.tensors) flat.set(floats(given[name]), offset);
    return flat;
  }

  private upload(name: string, data: Float32Array | Uint32Array): DeviceBuffer {
    const buffer = this.pool.get(name, data instanceof Float32Array ? 'f32' : 'u32', data.length);
    this.pool.executor.upload(buffer, data);
    return buffer;
  }

  /** The minibatch is the whole batch, in rollout order. */
  private loss(outputs: DeviceBuffer, values: DeviceBuffer, gradient: DeviceBuffer, means: DeviceBuffer): void {
    const { inputs, pool, rows, indices, actions } = this;
    const { executor } = pool;
    const shape = { batch: rows, minibatch: rows, epochs: 1 };
    const advantages = this.upload('advantages', floats(inputs.advantages));
    const weights = this.upload('weights', new Float32Array(rows).fill(1));
    const [partials, moments] = [pool.f32('moment partials', minibatchPartialsSize(1)), pool.f32('moments', 2)];
    executor.run(minibatchPartials, { advantages, weights, indices, partials }, shape);
    executor.run(minibatchMoments, { partials, moments }, { count: 1, enabled: Number(inputs.norm_adv) });
    const rollout = {
      advantages,
      weights,
      returns: this.upload('returns', floats(inputs.returns)),
      values: this.upload('old values', floats(inputs.old_values)),
      log_probs: this.upload('old log-probabilities', floats(inputs.old_logprob)),
    };
    const samples = pool.f32('samples', rows * SAMPLE_SIZE);
    executor.run(gatherSamples, { ...rollout, indices, moments, samples }, shape);

    const [sixth, uniform] =
      this.distribution === 'gaussian'
        ? [{ parameters: this.buffers.parameters }, { log_std_offset: this.policy.logStdOffset }]
        : [{ masks: pool.u32('masks', rows) }, { masked: 0 }];
    const statistics = pool.f32('loss sums', statisticsSize(rows));
    executor.run(
      policyLoss({ distribution: this.distribution, objective: 'ppo' }),
      { outputs, values, indices, samples, actions, gradient, statistics, ...sixth },
      {
        rows,
        first: 0,
        actions: this.policy.shape.outputs,
        clip: scalar(inputs.clip_coef),
        value_clip: scalar(inputs.clip_coef),
        clip_values: Number(inputs.clip_vloss),
        value_coefficient: scalar(inputs.vf_coef),
        entropy_coefficient: scalar(inputs.ent_coef),
        ...uniform,
      },
    );
    const sums = statisticsSize(rows) / STATISTICS_SIZE;
    executor.run(lossStatistics, { statistics, statistics_out: means }, { partials: sums, rows, row: 0 });
  }

  /** Log-probabilities of the actions taken, and entropies. */
  private evaluate(outputs: DeviceBuffer): [DeviceBuffer, DeviceBuffer] {
    const { pool, rows, actions, policy } = this;
    const [log_probs, entropies] = [pool.f32('log-probabilities', rows), pool.f32('entropies', rows)];
    const count = policy.shape.outputs;
    if (this.distribution === 'gaussian') {
      const buffers = { means: outputs, parameters: this.buffers.parameters, actions, log_probs, entropies };
      pool.executor.run(gaussianEvaluate, buffers, { rows, size: count, log_std_offset: policy.logStdOffset });
    } else {
      const buffers = { logits: outputs, masks: pool.u32('masks', rows), actions, log_probs, entropies };
      pool.executor.run(categoricalEvaluate, buffers, { rows, actions: count, masked: 0 });
    }
    return [log_probs, entropies];
  }
}

/** Read off the weights: as many hidden layers, as wide, as the case has. */
function shapeOfPolicy({ arch, params, policy }: GoldenRecord): MlpShape {
  const given = params as GoldenRecord;
  const weights = (tower: string) =>
    Object.keys(given)
      .filter((name) => name.startsWith(`${tower}.`) && name.endsWith('.weight'))
      .map((name) => shapeOf(given[name]));
  const shared = arch === 'shared';
  const layers = shared ? [...weights('trunk'), ...weights('actor')] : weights('actor');
  return {
    observationSize: layers[0][1],
    hidden: layers.slice(0, -1).map(([width]) => width),
    activation: 'tanh',
    trunk: shared ? 'shared' : 'separate',
    outputs: layers[layers.length - 1][0],
    critic: true,
    ...(policy === 'gaussian' ? { initialLogStd: 0 } : {}),
  };
}
