/**
 * TensorFlow.js (https://github.com/tensorflow/tfjs) as a peer, on its WebGPU and its Wasm backend (SIMD; its threads
 * need cross-origin isolation, which neither this page nor the playground has). Gradients by `tf.variableGrads`, clipping
 * and Adam written with its operations because `tf.train.adam` cannot clip by global norm.
 */
import * as tf from '@tensorflow/tfjs';
import '@tensorflow/tfjs-backend-webgpu';
import { setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import plain from '@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm.wasm?url';
import simd from '@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm?url';
import threadedSimd from '@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-threaded-simd.wasm?url';
import {
  ACTIONS,
  type Learner,
  networksOf,
  OBSERVATION_SIZE,
  type Peer,
  type Problem,
  SETTINGS,
  tensorsOf,
} from './peer';

setWasmPaths({
  'tfjs-backend-wasm.wasm': plain,
  'tfjs-backend-wasm-simd.wasm': simd,
  'tfjs-backend-wasm-threaded-simd.wasm': threadedSimd,
});

export function tfjsPeer(backend: 'webgpu' | 'wasm'): Peer {
  return { name: `tfjs ${backend}`, load: (problem) => load(backend, problem) };
}

function network(weights: readonly tf.Tensor[], observations: tf.Tensor2D): tf.Tensor2D {
  let values = observations;
  for (let l = 0; l < weights.length; l += 2) {
    values = tf.add(tf.matMul(values, weights[l] as tf.Tensor2D), weights[l + 1]!);
    if (l + 2 < weights.length) values = tf.tanh(values);
  }
  return values;
}

async function load(backend: 'webgpu' | 'wasm', problem: Problem): Promise<Learner> {
  if (!(await tf.setBackend(backend))) throw new Error(`tfjs has no ${backend} backend here`);
  const { batch, networks } = problem;
  const { clipCoefficient, valueCoefficient, entropyCoefficient, maxGradientNorm } = SETTINGS;
  const { learningRate, beta1, beta2, epsilon } = SETTINGS;
  const observations = tf.tensor2d(problem.observations, [batch, OBSERVATION_SIZE]);
  const actions = tf.tidy(() => tf.cast(tf.oneHot(tf.tensor1d(problem.actions, 'int32'), ACTIONS), 'float32'));
  const logProbabilities = tf.tensor1d(problem.logProbabilities);
  const minusAdvantages = tf.tidy(() => tf.neg(tf.tensor1d(problem.advantages)));
  const returns = tf.tensor1d(problem.returns);
  const shapes = [...networks.actor, ...networks.critic].flatMap((l) => [[l.inputs, l.outputs], [l.outputs]]);
  const parameters = tensorsOf(networks).map((t, i) => tf.variable(tf.tensor(t, shapes[i]!)));
  const first = shapes.map((shape) => tf.variable(tf.zeros(shape), false));
  const second = shapes.map((shape) => tf.variable(tf.zeros(shape), false));
  const half = parameters.length / 2;
  let steps = 0;
  let lastLoss: tf.Scalar | undefined;

  const loss = (): tf.Scalar => {
    const logs = tf.logSoftmax(network(parameters.slice(0, half), observations));
    const values = tf.reshape(network(parameters.slice(half), observations), [batch]);
    const entropy = tf.neg(tf.sum(tf.mul(tf.exp(logs), logs), -1));
    const ratio = tf.exp(tf.sub(tf.sum(tf.mul(logs, actions), -1), logProbabilities));
    const clipped = tf.clipByValue(ratio, 1 - clipCoefficient, 1 + clipCoefficient);
    const surrogate = tf.maximum(tf.mul(minusAdvantages, ratio), tf.mul(minusAdvantages, clipped));
    const valueLoss = tf.mul(tf.square(tf.sub(values, returns)), 0.5 * valueCoefficient);
    return tf.mean(tf.sub(tf.add(surrogate, valueLoss), tf.mul(entropy, entropyCoefficient)));
  };

  const step = () => {
    lastLoss?.dispose();
    steps++;
    lastLoss = tf.tidy(() => {
      const { value, grads } = tf.variableGrads(loss, parameters);
      const gradients = parameters.map((p) => grads[p.name]!);
      const norm = tf.sqrt(gradients.map((g) => tf.sum(tf.square(g))).reduce((a, b) => tf.add(a, b)));
      const scale = tf.minimum(1, tf.div(maxGradientNorm, tf.add(norm, 1e-6)));
      const rate = learningRate / (1 - beta1 ** steps);
      const correction = 1 / Math.sqrt(1 - beta2 ** steps);
      gradients.forEach((unscaled, i) => {
        const g = tf.mul(unscaled, scale);
        first[i]!.assign(tf.add(tf.mul(first[i]!, beta1), tf.mul(g, 1 - beta1)));
        second[i]!.assign(tf.add(tf.mul(second[i]!, beta2), tf.mul(tf.square(g), 1 - beta2)));
        const denominator = tf.add(tf.mul(tf.sqrt(second[i]!), correction), epsilon);
        parameters[i]!.assign(tf.sub(parameters[i]!, tf.div(tf.mul(first[i]!, rate), denominator)));
      });
      return value;
    });
  };

  return {
    async update(count) {
      await tf.setBackend(backend);
      for (let i = 0; i < count; i++) step();
      // Reading one element of the last tensor written waits for everything before it.
      const last = tf.tidy(() => tf.sum(parameters.at(-1)!));
      await last.data();
      last.dispose();
    },
    async outcome() {
      await tf.setBackend(backend);
      const [value] = await lastLoss!.data();
      const weights = await Promise.all(parameters.map((p) => p.data()));
      return { loss: value!, networks: networksOf(weights as Float32Array[], networks) };
    },
    dispose() {
      tf.dispose([
        observations,
        actions,
        logProbabilities,
        minusAdvantages,
        returns,
        ...parameters,
        ...first,
        ...second,
      ]);
      lastLoss?.dispose();
    },
  };
}
