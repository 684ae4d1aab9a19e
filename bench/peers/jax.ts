/**
 * jax-js (https://github.com/ekzhang/jax-js) as a peer, on its WebGPU and its Wasm backend. The whole
 * update is one `jit`, so that the library fuses what it can. Its time depends on how the weights are
 * laid out, by batch and by backend, so two layouts are entered; twelve arrays apart were never the
 * quickest.
 */
import { blockUntilReady, type Device, init, jit, nn, numpy as np, tree, valueAndGrad } from '@jax-js/jax';
import {
  ACTIONS,
  type Learner,
  type Networks,
  networksOf,
  OBSERVATION_SIZE,
  type Peer,
  type Problem,
  SETTINGS,
  tensorsOf,
} from './peer';

type Arrays = np.Array[];
interface Data {
  readonly observations: np.Array;
  readonly actions: np.Array;
  readonly logProbabilities: np.Array;
  readonly advantages: np.Array;
  readonly returns: np.Array;
}

/** Flat data with the shape it has in an array. */
interface Packed {
  readonly values: Float32Array;
  readonly shape: number[];
}

/** How the two networks lie in arrays. */
interface Layout {
  readonly name: string;
  pack(networks: Networks): Packed[];
  unpack(arrays: readonly Float32Array[], like: Networks): Networks;
  /** Logits [batch, 2] and values [batch]; consumes its arguments. */
  forward(parameters: Arrays, observations: np.Array, shapes: readonly number[][]): [np.Array, np.Array];
}

const shapesOf = ({ actor, critic }: Networks): number[][] =>
  [...actor, ...critic].flatMap((l) => [[l.inputs, l.outputs], [l.outputs]]);

/** One vector of all weights, cut into its parts in the forward pass: one array to clip and to update. */
const flat: Layout = {
  name: 'flat',
  pack(networks) {
    const values = Float32Array.from(tensorsOf(networks).flatMap((tensor) => [...tensor]));
    return [{ values, shape: [values.length] }];
  },
  unpack([values], like) {
    let at = 0;
    const parts = tensorsOf(like).map(({ length }) => {
      at += length;
      return values.subarray(at - length, at);
    });
    return networksOf(parts, like);
  },
  forward([vector], observations, shapes) {
    let at = 0;
    const parts = shapes.map((shape) => {
      const size = shape.reduce((product, n) => product * n, 1);
      at += size;
      return vector.ref.slice([at - size, at]).reshape(shape);
    });
    vector.dispose();
    const half = parts.length / 2;
    return [network(parts.slice(0, half), observations.ref), network(parts.slice(half), observations).reshape([-1])];
  },
};

/** Actor and critic in one batched product a layer, [2, inputs, outputs]; the critic's head padded with a column of zeros. */
const stacked: Layout = {
  name: 'stacked',
  pack({ actor, critic }) {
    return actor.flatMap((layer, i) => {
      const { inputs, outputs } = layer;
      const padded = (values: Float32Array) => pad(values, critic[i].outputs, outputs);
      return [
        { values: join(layer.weights, padded(critic[i].weights)), shape: [2, inputs, outputs] },
        { values: join(layer.bias, padded(critic[i].bias)), shape: [2, 1, outputs] },
      ];
    });
  },
  unpack(arrays, like) {
    const actor = arrays.map((values) => values.subarray(0, values.length / 2));
    const critic = arrays.map((values, i) => {
      const wanted = like.critic[i >> 1].outputs;
      const stored = like.actor[i >> 1].outputs;
      return values.subarray(values.length / 2).filter((_, j) => j % stored < wanted);
    });
    return networksOf([...actor, ...critic], like);
  },
  forward(parameters, observations) {
    const once = observations.reshape([1, -1, OBSERVATION_SIZE]);
    const outputs = network(parameters, np.concatenate([once.ref, once], 0));
    return [outputs.ref.slice(0), outputs.slice(1, [], 0)];
  },
};

export const LAYOUTS: readonly Layout[] = [flat, stacked];

function join(a: Float32Array, b: Float32Array): Float32Array {
  return Float32Array.from([...a, ...b]);
}

/** Rows of `columns` numbers, made `wider` with zeros. */
function pad(values: Float32Array, columns: number, wider: number): Float32Array {
  const rows = values.length / columns;
  return Float32Array.from({ length: rows * wider }, (_, i) =>
    i % wider < columns ? values[Math.floor(i / wider) * columns + (i % wider)] : 0,
  );
}

/** Weights and biases in turn, tanh between layers. */
function network(weights: Arrays, observations: np.Array): np.Array {
  let values = observations;
  for (let l = 0; l < weights.length; l += 2) {
    values = np.matmul(values, weights[l]).add(weights[l + 1]);
    if (l + 2 < weights.length) values = np.tanh(values);
  }
  return values;
}

/** CleanRL's PPO loss. `actions` is one-hot, which spares a gather. */
function loss(logits: np.Array, values: np.Array, data: Omit<Data, 'observations'>): np.Array {
  const { clipCoefficient, valueCoefficient, entropyCoefficient } = SETTINGS;
  const logs = nn.logSoftmax(logits, -1);
  const entropy = np.exp(logs.ref).mul(logs.ref).sum(-1).neg();
  const ratio = np.exp(logs.mul(data.actions).sum(-1).sub(data.logProbabilities));
  const minusAdvantages = data.advantages.neg();
  const unclipped = minusAdvantages.ref.mul(ratio.ref);
  const clipped = minusAdvantages.mul(np.clip(ratio, 1 - clipCoefficient, 1 + clipCoefficient));
  const error = values.sub(data.returns);
  return np
    .maximum(unclipped, clipped)
    .add(np.square(error).mul(0.5 * valueCoefficient))
    .sub(entropy.mul(entropyCoefficient))
    .mean();
}

type State = { parameters: Arrays; first: Arrays; second: Arrays; decay1: np.Array; decay2: np.Array };

/** Loss, gradients, clipping by global norm, Adam; consumes its arguments. */
const update =
  (layout: Layout, shapes: readonly number[][]) =>
  (state: State, data: Data): { state: State; loss: np.Array } => {
    const { maxGradientNorm, learningRate, beta1, beta2, epsilon } = SETTINGS;
    const objective = (parameters: Arrays, { observations, ...rest }: Data) =>
      loss(...layout.forward(parameters, observations, shapes), rest);
    const copies = state.parameters.map((parameter) => parameter.ref);
    const [value, gradients] = valueAndGrad(objective)(copies, data) as [np.Array, Arrays];
    const norm = np.sqrt(gradients.map((g) => np.square(g.ref).sum()).reduce((a, b) => a.add(b)));
    const scale = np.minimum(1, np.reciprocal(norm.add(1e-6)).mul(maxGradientNorm));
    const scaled = gradients.map((g) => g.mul(scale.ref));
    scale.dispose();
    const first = scaled.map((g, i) => state.first[i].mul(beta1).add(g.ref.mul(1 - beta1)));
    const second = scaled.map((g, i) => state.second[i].mul(beta2).add(np.square(g).mul(1 - beta2)));
    const decay1 = state.decay1.mul(beta1);
    const decay2 = state.decay2.mul(beta2);
    const rate = np.reciprocal(np.subtract(1, decay1.ref)).mul(learningRate);
    const correction = np.reciprocal(np.sqrt(np.subtract(1, decay2.ref)));
    const parameters = state.parameters.map((parameter, i) => {
      const denominator = np.sqrt(second[i].ref).mul(correction.ref).add(epsilon);
      return parameter.sub(first[i].ref.mul(rate.ref).div(denominator));
    });
    rate.dispose();
    correction.dispose();
    return { state: { parameters, first, second, decay1, decay2 }, loss: value };
  };

export function jaxPeer(device: Device, layout: Layout): Peer {
  return { name: `jax-js ${device}, ${layout.name}`, load: (problem) => load(device, layout, problem) };
}

async function load(device: Device, layout: Layout, problem: Problem): Promise<Learner> {
  if (!(await init(device)).includes(device)) throw new Error(`jax-js has no ${device} backend here`);
  const { batch, networks } = problem;
  const array = (values: Float32Array, shape: number[]) => np.array(values.slice(), { shape, device });
  const oneHot = Float32Array.from({ length: batch * ACTIONS }, (_, i) =>
    Number(problem.actions[Math.floor(i / ACTIONS)] === i % ACTIONS),
  );
  const data: Data = {
    observations: array(problem.observations, [batch, OBSERVATION_SIZE]),
    actions: array(oneHot, [batch, ACTIONS]),
    logProbabilities: array(problem.logProbabilities, [batch]),
    advantages: array(problem.advantages, [batch]),
    returns: array(problem.returns, [batch]),
  };
  const packed = layout.pack(networks);
  const zeros = () => packed.map(({ values, shape }) => array(new Float32Array(values.length), shape));
  let state: State = {
    parameters: packed.map(({ values, shape }) => array(values, shape)),
    first: zeros(),
    second: zeros(),
    decay1: array(Float32Array.of(1), [1]),
    decay2: array(Float32Array.of(1), [1]),
  };
  let lastLoss: np.Array | undefined;
  const step = jit(update(layout, shapesOf(networks)));
  return {
    async update(count) {
      for (let i = 0; i < count; i++) {
        lastLoss?.dispose();
        ({ state, loss: lastLoss } = step(state, tree.ref(data)));
        // Waiting for each update is the quickest way with this library's Wasm backend, and no slower with WebGPU.
        await blockUntilReady(state.decay1);
      }
      await blockUntilReady(state.parameters);
    },
    async outcome() {
      const [value] = await lastLoss!.ref.data();
      const arrays = (await Promise.all(state.parameters.map((parameter) => parameter.ref.data()))) as Float32Array[];
      return { loss: value as number, networks: layout.unpack(arrays, networks) };
    },
    dispose() {
      tree.dispose(state);
      tree.dispose(data);
      lastLoss?.dispose();
      step.dispose();
    },
  };
}
