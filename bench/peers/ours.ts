/**
 * This project as a peer: the minibatch step of src/engine/run.ts (policy forward, PPO's loss, policy
 * backward, clipping and Adam, loss statistics) with the forms of the kernels that the adapter's
 * measurement chose, submitted as training submits it. Nothing is read back.
 */
import { SAMPLE_SIZE } from '../../kernels/advantage/samples';
import type { Kernel } from '../../kernels/kernel';
import { lossStatistics, STATISTICS_SIZE } from '../../kernels/loss/loss_statistics';
import { gradientSize, statisticsSize } from '../../kernels/loss/policy_loss';
import { CONTROL_SIZE } from '../../kernels/optimizer/control';
import { createCpuExecutor } from '../../src/engine/device/cpu';
import type { DeviceBuffer, Executor } from '../../src/engine/device/executor';
import { BufferPool } from '../../src/engine/device/pool';
import { tune } from '../../src/engine/device/tuning';
import { Mlp, type MlpShape } from '../../src/engine/policies/mlp';
import { ppoClip } from '../../src/engine/stages/losses/ppo_clip';
import { adam } from '../../src/engine/stages/optimizers/adam';
import type { Minibatch, Rollout } from '../../src/engine/stages/stage';
import { openGpu } from '../page/adapter';
import {
  ACTIONS,
  HIDDEN_SIZE,
  type Layer,
  type Learner,
  type Networks,
  networksOf,
  OBSERVATION_SIZE,
  type Peer,
  type Problem,
  SETTINGS,
  transpose,
} from './peer';

const SHAPE: MlpShape = {
  observationSize: OBSERVATION_SIZE,
  hidden: [HIDDEN_SIZE, HIDDEN_SIZE],
  activation: 'tanh',
  trunk: 'separate',
  outputs: ACTIONS,
  critic: true,
};

const LOSS = {
  clip: SETTINGS.clipCoefficient,
  epochs: 1,
  minibatches: 1,
  normalize_advantage: false,
  clip_values: false,
  value_coefficient: SETTINGS.valueCoefficient,
  entropy_coefficient: SETTINGS.entropyCoefficient,
  target_kl: 0,
};

const OPTIMIZER = {
  learning_rate: SETTINGS.learningRate,
  anneal: false,
  beta1: SETTINGS.beta1,
  beta2: SETTINGS.beta2,
  epsilon: SETTINGS.epsilon,
  weight_decay: 0,
  max_grad_norm: SETTINGS.maxGradientNorm,
};

export const ours: Peer = { name: 'this project', load: async (problem) => load(await openGpu(), problem) };

export const oursOnCpu: Peer = {
  name: 'this project on its CPU executor',
  load: (problem) => load(createCpuExecutor(), problem),
};

async function load(executor: Executor, problem: Problem): Promise<Learner> {
  const { forms } = await tune(executor, SHAPE, {});
  const pool = new BufferPool(executor);
  const mlp = new Mlp(SHAPE, forms, pool, problem.batch);
  await executor.prepare([
    ...mlp.kernels(),
    ppoClip.kernel('categorical'),
    ...adam.kernels,
    lossStatistics as unknown as Kernel,
  ]);

  const upload = (name: string, data: Float32Array | Uint32Array): DeviceBuffer => {
    const buffer = pool.get(name, data instanceof Float32Array ? 'f32' : 'u32', data.length);
    executor.upload(buffer, data);
    return buffer;
  };
  const { batch } = problem;
  const parameters = upload('parameters', flatten(mlp, problem.networks));
  const rollout = rolloutOf(pool, problem, upload);
  const indices = upload(
    'indices',
    Uint32Array.from({ length: batch }, (_, i) => i),
  );
  const rows = { observations: upload('observations', problem.observations), first: 0, count: batch, indices };
  const minibatch: Minibatch = {
    rows,
    indices,
    samples: upload('samples', samplesOf(problem)),
    outputs: pool.f32('outputs', batch * ACTIONS),
    values: pool.f32('minibatch values', batch),
    gradient: pool.f32('output gradient', gradientSize('categorical', batch, ACTIONS)),
    statistics: pool.f32('loss partials', statisticsSize(batch)),
  };
  const means = pool.f32('loss statistics', STATISTICS_SIZE);
  const gradient = pool.f32('gradient', mlp.layout.size);
  const state = {
    parameters,
    gradient,
    control: pool.f32('control', CONTROL_SIZE),
    count: mlp.layout.size,
    remaining: 1,
  };

  const step = () => {
    mlp.forward(parameters, rows, minibatch.outputs, minibatch.values);
    ppoClip.apply(
      { executor, pool, rollout },
      { mlp, parameters, distribution: 'categorical', masked: false },
      minibatch,
      LOSS,
    );
    mlp.backward(parameters, rows, minibatch.gradient, gradient);
    adam.apply(executor, pool, state, OPTIMIZER);
    const partials = statisticsSize(batch) / STATISTICS_SIZE;
    executor.run(
      lossStatistics,
      { statistics: minibatch.statistics, statistics_out: means },
      { partials, rows: batch, row: 0 },
    );
  };

  return {
    async update(count) {
      for (let i = 0; i < count; i++) {
        step();
        await executor.breathe();
      }
      await executor.finished();
    },
    async outcome() {
      const [policyLoss, valueLoss, entropy] = await executor.download(means);
      const loss = policyLoss + SETTINGS.valueCoefficient * valueLoss - SETTINGS.entropyCoefficient * entropy;
      return { loss, networks: unflatten(mlp, await executor.download(parameters), problem.networks) };
    },
    dispose() {
      pool.destroy();
      executor.destroy();
    },
  };
}

/** Of a rollout the loss reads only actions and masks; the rest is there to be whole. */
function rolloutOf(
  pool: BufferPool,
  { batch, actions }: Problem,
  upload: (name: string, data: Float32Array) => DeviceBuffer,
): Rollout {
  const f32 = (name: string) => pool.f32(name, batch);
  return {
    steps: 1,
    copies: batch,
    signalCount: 1,
    signals: f32('signals'),
    rewards: f32('rewards'),
    values: f32('values'),
    finalValues: f32('final values'),
    terminated: f32('terminated'),
    truncated: f32('truncated'),
    actions: upload('actions', Float32Array.from(actions)),
    logProbs: f32('log-probabilities'),
    masks: pool.u32('masks', batch),
    advantages: f32('advantages'),
    weights: f32('weights'),
    returns: f32('returns'),
  };
}

/** kernels/advantage/samples.ts: log-probability, advantage, return, old value. Value clipping is off, so the last is not read. */
function samplesOf({ batch, logProbabilities, advantages, returns }: Problem): Float32Array {
  const samples = new Float32Array(batch * SAMPLE_SIZE);
  for (let i = 0; i < batch; i++) samples.set([logProbabilities[i], advantages[i], returns[i], 0], i * SAMPLE_SIZE);
  return samples;
}

/** Layer `index` of a tower lies in the policy as `actor.2·index.weight`, [outputs, inputs], as in CleanRL. */
function tensorAt(mlp: Mlp, name: string): number {
  const tensor = mlp.layout.tensors.find((candidate) => candidate.name === name);
  if (!tensor) throw new Error(`the policy has no ${name}`);
  return tensor.offset;
}

function flatten(mlp: Mlp, networks: Networks): Float32Array {
  const flat = new Float32Array(mlp.layout.size);
  for (const tower of ['actor', 'critic'] as const)
    for (const [index, { inputs, outputs, weights, bias }] of networks[tower].entries()) {
      flat.set(transpose(weights, inputs, outputs), tensorAt(mlp, `${tower}.${2 * index}.weight`));
      flat.set(bias, tensorAt(mlp, `${tower}.${2 * index}.bias`));
    }
  return flat;
}

function unflatten(mlp: Mlp, flat: ArrayLike<number>, like: Networks): Networks {
  const all = Float32Array.from(flat);
  const tensors = (tower: 'actor' | 'critic') =>
    like[tower].flatMap(({ inputs, outputs }: Layer, index) => {
      const weight = tensorAt(mlp, `${tower}.${2 * index}.weight`);
      const bias = tensorAt(mlp, `${tower}.${2 * index}.bias`);
      return [
        transpose(all.subarray(weight, weight + inputs * outputs), outputs, inputs),
        all.slice(bias, bias + outputs),
      ];
    });
  return networksOf([...tensors('actor'), ...tensors('critic')], like);
}
