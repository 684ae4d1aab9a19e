/**
 * TensorFlow.js as a peer, on its WebGPU backend. Gradients by `tf.variableGrads`; clipping and Adam written with its
 * operations because `tf.train.adam` cannot clip by global norm.
 */
import * as tf from '@tensorflow/tfjs';
import '@tensorflow/tfjs-backend-webgpu';
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

type Weights = Readonly<Record<string, tf.Variable>>;

const ROWS = SEQUENCES * LENGTH;
const NAMES = Object.keys(SHAPES);

export const tfjsTransformer: Peer<TransformerProblem, TransformerOutcome> = { name: 'tfjs webgpu', load };

function linear(x: tf.Tensor, weight: tf.Tensor, bias: tf.Tensor): tf.Tensor {
  return tf.add(tf.matMul(x as tf.Tensor2D, weight as tf.Tensor2D), bias);
}

function layerNorm(x: tf.Tensor, weight: tf.Tensor, bias: tf.Tensor): tf.Tensor {
  const { mean, variance } = tf.moments(x, -1, true);
  return tf.add(tf.mul(tf.mul(tf.sub(x, mean), tf.rsqrt(tf.add(variance, NORM_EPSILON))), weight), bias);
}

function gelu(x: tf.Tensor): tf.Tensor {
  const cubed = tf.mul(tf.mul(tf.square(x), x), 0.044715);
  const inner = tf.mul(tf.add(x, cubed), Math.sqrt(2 / Math.PI));
  return tf.mul(tf.mul(x, 0.5), tf.add(tf.tanh(inner), 1));
}

/** `joint` [rows, 3 · width] → [rows, width]. */
function attention(joint: tf.Tensor, later: tf.Tensor): tf.Tensor {
  const [query, key, value] = tf
    .split(joint, 3, -1)
    .map((part) => tf.transpose(tf.reshape(part, [SEQUENCES, LENGTH, HEADS, HEAD_WIDTH]), [0, 2, 1, 3]));
  const scores = tf.mul(tf.matMul(query, key, false, true), 1 / Math.sqrt(HEAD_WIDTH));
  const mixed = tf.matMul(tf.softmax(tf.add(scores, later)), value);
  return tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), [ROWS, WIDTH]);
}

function block(w: Weights, name: string, input: tf.Tensor, later: tf.Tensor): tf.Tensor {
  const of = (part: string) => w[`${name}.${part}`];
  const normed = layerNorm(input, of('ln1.weight'), of('ln1.bias'));
  const mixed = attention(linear(normed, of('attn.in_proj_weight'), of('attn.in_proj_bias')), later);
  const middle = tf.add(input, linear(mixed, of('attn.out_proj.weight'), of('attn.out_proj.bias')));
  const again = layerNorm(middle, of('ln2.weight'), of('ln2.bias'));
  const hidden = gelu(linear(again, of('mlp.fc1.weight'), of('mlp.fc1.bias')));
  return tf.add(middle, linear(hidden, of('mlp.fc2.weight'), of('mlp.fc2.bias')));
}

async function load(problem: TransformerProblem): Promise<Learner<TransformerOutcome>> {
  const backend = 'webgpu';
  if (!(await tf.setBackend(backend))) throw new Error(`tfjs has no ${backend} backend here`);
  const { maxGradientNorm, learningRate, beta1, beta2, epsilon } = SETTINGS;
  const kept = {
    tokens: tf.tensor1d(problem.tokens, 'int32'),
    later: tf.tensor2d(
      Float32Array.from({ length: LENGTH * LENGTH }, (_, i) => (i % LENGTH > Math.floor(i / LENGTH) ? -1e9 : 0)),
      [LENGTH, LENGTH],
    ),
    targets: tf.tensor2d(targetsOf(problem), [ROWS, VOCABULARY]),
  };
  const variables = (make: (name: string) => tf.Tensor, trainable: boolean): Weights =>
    Object.fromEntries(NAMES.map((name) => [name, tf.variable(make(name), trainable)]));
  const w = variables((name) => tf.tensor(problem.weights[name], [...SHAPES[name]]), true);
  const first = variables((name) => tf.zeros([...SHAPES[name]]), false);
  const second = variables((name) => tf.zeros([...SHAPES[name]]), false);
  let steps = 0;
  let last: { loss: tf.Tensor; norm: tf.Tensor } | undefined;

  const loss = (): tf.Scalar => {
    const embedded = tf.reshape(tf.gather(w.wte, kept.tokens), [SEQUENCES, LENGTH, WIDTH]);
    let x: tf.Tensor = tf.reshape(tf.add(embedded, w.wpe), [ROWS, WIDTH]);
    for (const name of BLOCKS) x = block(w, name, x, kept.later);
    const normed = layerNorm(x, w['lnf.weight'], w['lnf.bias']);
    const logits = tf.matMul(normed as tf.Tensor2D, w['head.weight'] as tf.Tensor2D);
    return tf.neg(tf.sum(tf.mul(tf.logSoftmax(logits), kept.targets)));
  };

  const step = () => {
    tf.dispose(last);
    steps++;
    last = tf.tidy(() => {
      const { value, grads } = tf.variableGrads(loss, Object.values(w));
      const gradients = NAMES.map((name) => grads[w[name].name]);
      const norm = tf.sqrt(gradients.map((g) => tf.sum(tf.square(g))).reduce((a, b) => tf.add(a, b)));
      const scale = tf.minimum(1, tf.div(maxGradientNorm, tf.add(norm, 1e-6)));
      const rate = learningRate / (1 - beta1 ** steps);
      const correction = 1 / Math.sqrt(1 - beta2 ** steps);
      for (const [i, name] of NAMES.entries()) {
        const g = tf.mul(gradients[i], scale);
        first[name].assign(tf.add(tf.mul(first[name], beta1), tf.mul(g, 1 - beta1)));
        second[name].assign(tf.add(tf.mul(second[name], beta2), tf.mul(tf.square(g), 1 - beta2)));
        const denominator = tf.add(tf.mul(tf.sqrt(second[name]), correction), epsilon);
        w[name].assign(tf.sub(w[name], tf.div(tf.mul(first[name], rate), denominator)));
      }
      return { loss: value, norm };
    });
  };

  return {
    async update(count) {
      await tf.setBackend(backend);
      for (let i = 0; i < count; i++) step();
      // Reading one element of the last tensor written waits for everything before it.
      const end = tf.tidy(() => tf.sum(w['head.weight']));
      await end.data();
      end.dispose();
    },
    async outcome() {
      await tf.setBackend(backend);
      const [[value], [norm]] = await Promise.all([last!.loss.data(), last!.norm.data()]);
      const weights = await Promise.all(NAMES.map(async (name) => [name, (await w[name].data()) as Float32Array]));
      return { loss: value, gradientNorm: norm, weights: Object.fromEntries(weights) };
    },
    dispose() {
      tf.dispose([...Object.values(kept), ...[w, first, second].flatMap((list) => Object.values(list))]);
      tf.dispose(last);
    },
  };
}

/** One-hot [rows, V] of the tokens that follow, times their advantages over their count. */
function targetsOf({ tokens, advantages }: TransformerProblem): Float32Array {
  const targets = new Float32Array(ROWS * VOCABULARY);
  for (const [i, token] of tokens.entries())
    if (i % LENGTH > 0) targets[(i - 1) * VOCABULARY + token] = advantages[i] / TAUGHT;
  return targets;
}
