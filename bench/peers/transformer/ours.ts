/**
 * This project as a peer: the gradient step of src/engine/text/run.ts (episodes gathered into a part, forward, the
 * loss stage, backward, clipping and Adam, loss statistics) with the forms of the kernels that the adapter's
 * measurement chose, submitted as training submits it. Nothing is read back.
 */
import { TOKEN_STATISTIC, TOKEN_STATISTICS_SIZE } from '../../../kernels/loss/token_statistics';
import { CONTROL, CONTROL_SIZE } from '../../../kernels/optimizer/control';
import type { DeviceBuffer, Executor } from '../../../src/engine/device/executor';
import { BufferPool } from '../../../src/engine/device/pool';
import { tuneLayer } from '../../../src/engine/device/tuning';
import { defaultsOf } from '../../../src/engine/parameters';
import type { Layout } from '../../../src/engine/policies/layout';
import { buildPolicy, type SequencePolicy } from '../../../src/engine/policies/sequence_policies';
import { TRANSFORMER } from '../../../src/engine/policies/transformer';
import { adam } from '../../../src/engine/stages/optimizers/adam';
import { tokenPolicyGradient } from '../../../src/engine/stages/token_losses/policy_gradient';
import { upload } from '../../../src/engine/text/batch';
import { LEARNER_KERNELS, Learner } from '../../../src/engine/text/learner';
import { openGpu } from '../../page/adapter';
import { type Learner as Contestant, type Peer, transpose } from '../peer';
import {
  HEADS,
  LAYERS,
  LENGTH,
  SEQUENCES,
  SETTINGS,
  SHAPES,
  type Tensors,
  type TransformerOutcome,
  type TransformerProblem,
  VOCABULARY,
  WIDTH,
} from './problem';

/** The transformer of the problem, as settings of the policy. */
export const TRANSFORMER_SETTINGS = {
  ...defaultsOf(TRANSFORMER.parameters),
  layers: LAYERS,
  width: WIDTH,
  heads: HEADS,
  mlp: 0,
  norm: 'layer',
  positions: 'learned',
  activation: 'gelu',
  tied: false,
} as const;

const OPTIMIZER = {
  learning_rate: SETTINGS.learningRate,
  anneal: false,
  beta1: SETTINGS.beta1,
  beta2: SETTINGS.beta2,
  epsilon: SETTINGS.epsilon,
  weight_decay: 0,
  max_grad_norm: SETTINGS.maxGradientNorm,
};

const ROOM = { vocabulary: VOCABULARY, context: LENGTH, sequences: SEQUENCES, length: LENGTH };

export const ourTransformer: Peer<TransformerProblem, TransformerOutcome> = {
  name: 'this project',
  load: async (problem) => loadTransformer(await openGpu(), problem),
};

export async function loadTransformer(
  executor: Executor,
  problem: TransformerProblem,
): Promise<Contestant<TransformerOutcome>> {
  const pool = new BufferPool(executor);
  const { forms } = await tuneLayer(executor, TRANSFORMER.widest(TRANSFORMER_SETTINGS, VOCABULARY), {});
  const policy = TRANSFORMER as unknown as SequencePolicy;
  const models = buildPolicy(policy, TRANSFORMER_SETTINGS, false, { room: ROOM, pool, forms });
  const { layout, actor } = models;
  const send = (name: string, data: Float32Array | Uint32Array): DeviceBuffer => {
    const buffer = pool.get(name, data instanceof Float32Array ? 'f32' : 'u32', data.length);
    executor.upload(buffer, data);
    return buffer;
  };
  // One state in which every token may follow: the rules are read as in training, but forbid nothing.
  const rules = { table: send('grammar', new Uint32Array(VOCABULARY).fill(1)), enforced: true, anything: 0 };
  const learner = new Learner(pool, models, ROOM, rules);
  await executor.prepare([...actor.kernels(), ...LEARNER_KERNELS, ...tokenPolicyGradient.kernels, ...adam.kernels]);

  const size = SEQUENCES * LENGTH;
  const batch = upload(pool, 'batch', packed(problem));
  const order = send(
    'order',
    Uint32Array.from({ length: SEQUENCES }, (_, i) => i),
  );
  const advantages = send('advantages', problem.advantages);
  const unread = pool.f32('not read', size);
  const parameters = send('parameters', flatten(layout, problem.weights));
  const gradient = pool.f32('gradient', layout.size);
  const control = pool.f32('control', CONTROL_SIZE);
  const statistics = pool.f32('statistics', TOKEN_STATISTICS_SIZE);
  const loss = defaultsOf(tokenPolicyGradient.parameters) as never;

  const step = () => {
    const part = learner.part(batch, order, 0, SEQUENCES);
    learner.forward(parameters, part, 1);
    const minibatch = {
      ...part,
      advantages: learner.gather('advantages', 'f32', advantages, LENGTH, order, 0, SEQUENCES),
      returns: unread,
      behaviourLogProbs: unread,
      proximalLogProbs: unread,
      referenceLogProbs: unread,
      oldValues: unread,
    };
    tokenPolicyGradient.apply({ executor, pool, minibatch }, loss);
    learner.backward(parameters, part, 1, gradient);
    adam.apply(executor, pool, { parameters, gradient, control, count: layout.size, remaining: 1 }, OPTIMIZER);
    learner.account(part, statistics, 0);
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
      const [sums, controls, weights] = await executor.downloadAll([
        { buffer: statistics },
        { buffer: control },
        { buffer: parameters },
      ]);
      return {
        loss: sums[TOKEN_STATISTIC.loss],
        gradientNorm: controls[CONTROL.norm],
        weights: unflatten(layout, weights as Float32Array),
      };
    },
    dispose() {
      pool.destroy();
      executor.destroy();
    },
  };
}

/** The sequences as whole episodes: every token but the first was written by the policy. */
function packed({ tokens }: TransformerProblem) {
  const size = SEQUENCES * LENGTH;
  return {
    sequences: SEQUENCES,
    length: LENGTH,
    tokens: Uint32Array.from(tokens),
    states: new Uint32Array(size),
    turns: new Uint32Array(size),
    anchors: new Uint32Array(size),
    mask: Float32Array.from({ length: size }, (_, i) => Number(i % LENGTH > 0)),
    rewards: new Float32Array(size),
    logProbs: new Float32Array(size),
    lengths: new Uint32Array(SEQUENCES).fill(LENGTH),
    groups: new Uint32Array(SEQUENCES),
    truncated: new Float32Array(SEQUENCES),
  };
}

/** The policy keeps the weights of its layers as [outputs, inputs], its tables as they are. */
const turned = (name: string) => SHAPES[name].length === 2 && name !== 'wte' && name !== 'wpe';

function placeOf(layout: Layout, name: string): number {
  const tensor = layout.tensors.find((candidate) => candidate.name === `actor.${name}`);
  if (!tensor) throw new Error(`the policy has no ${name}`);
  return tensor.offset;
}

function flatten(layout: Layout, weights: Tensors): Float32Array {
  const flat = new Float32Array(layout.size);
  for (const [name, [rows, columns]] of Object.entries(SHAPES))
    flat.set(turned(name) ? transpose(weights[name], rows, columns) : weights[name], placeOf(layout, name));
  return flat;
}

function unflatten(layout: Layout, flat: Float32Array): Tensors {
  const tensors = Object.entries(SHAPES).map(([name, [rows, columns = 1]]) => {
    const first = placeOf(layout, name);
    const own = flat.slice(first, first + rows * columns);
    return [name, turned(name) ? transpose(own, columns, rows) : own];
  });
  return Object.fromEntries(tensors);
}
