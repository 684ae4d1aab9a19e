/**
 * jax-js as a peer: the whole update of the transformer is one `jit`, so that the library fuses what it can. Two
 * forms are entered, with its own attention and with attention written out in matrix products.
 */
import { blockUntilReady, init, jit, nn, numpy as np, tree, valueAndGrad } from '@jax-js/jax';
import type { Learner, Peer } from '../peer';
import {
  BLOCKS,
  HEAD_WIDTH,
  HEADS,
  LENGTH,
  NORM_EPSILON,
  SEQUENCES,
  SETTINGS,
  SHAPES,
  TAUGHT,
  type TransformerOutcome,
  type TransformerProblem,
  VOCABULARY,
  WIDTH,
} from './problem';

type Arrays = Record<string, np.Array>;
/** Queries, keys and values [S, L, H, D] → [S, L, H, D]; consumes its arguments. */
type Attention = (query: np.Array, key: np.Array, value: np.Array) => np.Array;

const NAMES = Object.keys(SHAPES);

const FORMS: Readonly<Record<string, Attention>> = {
  'its own attention': (query, key, value) => nn.dotProductAttention(query, key, value, { isCausal: true }),
  products(query, key, value) {
    const byHead = (array: np.Array) => np.transpose(array, [0, 2, 1, 3]);
    const scores = np.matmul(byHead(query), np.transpose(key, [0, 2, 3, 1])).mul(1 / Math.sqrt(HEAD_WIDTH));
    const later = Float32Array.from({ length: LENGTH * LENGTH }, (_, i) => (i % LENGTH > i / LENGTH ? -1e9 : 0));
    const weights = nn.softmax(scores.add(np.array(later, { shape: [LENGTH, LENGTH] })), -1);
    return byHead(np.matmul(weights, byHead(value)));
  },
};

function layerNorm(x: np.Array, weight: np.Array, bias: np.Array): np.Array {
  return nn.standardize(x, -1, { epsilon: NORM_EPSILON }).mul(weight).add(bias);
}

/** Consumes its arguments. */
function block(w: Arrays, name: string, input: np.Array, attend: Attention): np.Array {
  const of = (part: string) => w[`${name}.${part}`];
  const joint = np
    .matmul(layerNorm(input.ref, of('ln1.weight'), of('ln1.bias')), of('attn.in_proj_weight'))
    .add(of('attn.in_proj_bias'));
  const [query, key, value] = np
    .split(joint, 3, -1)
    .map((part) => part.reshape([SEQUENCES, LENGTH, HEADS, HEAD_WIDTH]));
  const mixed = attend(query, key, value).reshape([SEQUENCES * LENGTH, WIDTH]);
  const middle = input.add(np.matmul(mixed, of('attn.out_proj.weight')).add(of('attn.out_proj.bias')));
  const normed = layerNorm(middle.ref, of('ln2.weight'), of('ln2.bias'));
  const hidden = nn.gelu(np.matmul(normed, of('mlp.fc1.weight')).add(of('mlp.fc1.bias')), { approximate: true });
  return middle.add(np.matmul(hidden, of('mlp.fc2.weight')).add(of('mlp.fc2.bias')));
}

interface Data {
  /** One-hot [S · L, V]: the library has no gradient of a look-up that is quicker. */
  readonly tokens: np.Array;
  /** One-hot [S · L, V] of the tokens that follow, times their advantages over their count. */
  readonly targets: np.Array;
}

/** Consumes its arguments. */
function loss(w: Arrays, { tokens, targets }: Data, attend: Attention): np.Array {
  const embedded = np.matmul(tokens, w.wte).reshape([SEQUENCES, LENGTH, WIDTH]).add(w.wpe);
  let x = embedded.reshape([SEQUENCES * LENGTH, WIDTH]);
  for (const name of BLOCKS) x = block(w, name, x, attend);
  const logits = np.matmul(layerNorm(x, w['lnf.weight'], w['lnf.bias']), w['head.weight']);
  return nn.logSoftmax(logits, -1).mul(targets).sum().neg();
}

interface State {
  readonly parameters: Arrays;
  readonly first: Arrays;
  readonly second: Arrays;
  readonly decay1: np.Array;
  readonly decay2: np.Array;
}

const map = (make: (name: string) => np.Array): Arrays => Object.fromEntries(NAMES.map((name) => [name, make(name)]));

/** Loss, gradients, clipping by global norm, Adam; consumes its arguments. */
const update = (attend: Attention) => (state: State, data: Data) => {
  const { maxGradientNorm, learningRate, beta1, beta2, epsilon } = SETTINGS;
  const copies = tree.ref(state.parameters);
  const [value, gradients] = valueAndGrad((w: Arrays, d: Data) => loss(w, d, attend))(copies, data) as unknown as [
    np.Array,
    Arrays,
  ];
  const norm = np.sqrt(NAMES.map((name) => np.square(gradients[name].ref).sum()).reduce((a, b) => a.add(b)));
  const scale = np.minimum(1, np.reciprocal(norm.ref.add(1e-6)).mul(maxGradientNorm));
  const scaled = map((name) => gradients[name].mul(scale.ref));
  scale.dispose();
  const first = map((name) => state.first[name].mul(beta1).add(scaled[name].ref.mul(1 - beta1)));
  const second = map((name) => state.second[name].mul(beta2).add(np.square(scaled[name]).mul(1 - beta2)));
  const decay1 = state.decay1.mul(beta1);
  const decay2 = state.decay2.mul(beta2);
  const rate = np.reciprocal(np.subtract(1, decay1.ref)).mul(learningRate);
  const correction = np.reciprocal(np.sqrt(np.subtract(1, decay2.ref)));
  const parameters = map((name) => {
    const denominator = np.sqrt(second[name].ref).mul(correction.ref).add(epsilon);
    return state.parameters[name].sub(first[name].ref.mul(rate.ref).div(denominator));
  });
  rate.dispose();
  correction.dispose();
  return { state: { parameters, first, second, decay1, decay2 }, loss: value, norm };
};

/** jax-js on WebGPU, in every form. */
export const jaxTransformers: readonly Peer<TransformerProblem, TransformerOutcome>[] = Object.entries(FORMS).map(
  ([name, attend]) => ({ name: `jax-js webgpu, ${name}`, load: (problem) => load(attend, problem) }),
);

async function load(attend: Attention, problem: TransformerProblem): Promise<Learner<TransformerOutcome>> {
  const device = 'webgpu';
  if (!(await init(device)).includes(device)) throw new Error(`jax-js has no ${device} backend here`);
  const array = (values: Float32Array, shape: readonly number[]) =>
    np.array(values.slice(), { shape: [...shape], device });
  const zeros = () => map((name) => array(new Float32Array(problem.weights[name].length), SHAPES[name]));
  const rows = SEQUENCES * LENGTH;
  const tokens = new Float32Array(rows * VOCABULARY);
  const targets = new Float32Array(rows * VOCABULARY);
  for (const [i, token] of problem.tokens.entries()) {
    tokens[i * VOCABULARY + token] = 1;
    if (i % LENGTH > 0) targets[(i - 1) * VOCABULARY + token] = problem.advantages[i] / TAUGHT;
  }
  const data: Data = { tokens: array(tokens, [rows, VOCABULARY]), targets: array(targets, [rows, VOCABULARY]) };
  let state: State = {
    parameters: map((name) => array(problem.weights[name], SHAPES[name])),
    first: zeros(),
    second: zeros(),
    decay1: array(Float32Array.of(1), [1]),
    decay2: array(Float32Array.of(1), [1]),
  };
  const last: { loss?: np.Array; norm?: np.Array } = {};
  const step = jit(update(attend) as never) as unknown as ((
    state: State,
    data: Data,
  ) => ReturnType<ReturnType<typeof update>>) & { dispose(): void };
  return {
    async update(count) {
      for (let i = 0; i < count; i++) {
        last.loss?.dispose();
        last.norm?.dispose();
        ({ state, loss: last.loss, norm: last.norm } = step(state, tree.ref(data) as Data));
        await blockUntilReady(state.decay1);
      }
      await blockUntilReady(state.parameters);
    },
    async outcome() {
      const [value] = (await last.loss!.ref.data()) as Float32Array;
      const [norm] = (await last.norm!.ref.data()) as Float32Array;
      const weights = await Promise.all(
        NAMES.map(async (name) => [name, (await state.parameters[name].ref.data()) as Float32Array] as const),
      );
      return { loss: value, gradientNorm: norm, weights: Object.fromEntries(weights) };
    },
    dispose() {
      tree.dispose(state as never);
      tree.dispose(data as never);
      last.loss?.dispose();
      last.norm?.dispose();
      step.dispose();
    },
  };
}
