/**
 * The same PPO minibatch in plain TypeScript and double precision: what every peer, and this project, must agree with
 * before it is timed. Written for reading, one sample at a time; never timed itself.
 */
import {
  ACTIONS,
  HIDDEN_SIZE,
  type Layer,
  type Networks,
  networksOf,
  OBSERVATION_SIZE,
  type Outcome,
  type Problem,
  SETTINGS,
  tensorsOf,
} from './peer';
import { generator, normals } from './random';

/** A minibatch whose ratios lie on both sides of the clipping range, so that every branch of the loss is taken. */
export function makeProblem(batch: number, seed = 1): Problem {
  const uniform = generator(seed);
  const normal = normals(uniform);
  const layer = (inputs: number, outputs: number): Layer => ({
    inputs,
    outputs,
    weights: Float32Array.from({ length: inputs * outputs }, () => normal() / Math.sqrt(inputs)),
    bias: Float32Array.from({ length: outputs }, () => 0.1 * normal()),
  });
  const network = (outputs: number) => [
    layer(OBSERVATION_SIZE, HIDDEN_SIZE),
    layer(HIDDEN_SIZE, HIDDEN_SIZE),
    layer(HIDDEN_SIZE, outputs),
  ];
  const networks = { actor: network(ACTIONS), critic: network(1) };
  const observations = Float32Array.from({ length: batch * OBSERVATION_SIZE }, normal);
  const actions = Int32Array.from({ length: batch }, () => Number(uniform() < 0.5));
  const logProbabilities = Float32Array.from(actions, (action, sample) => {
    const { output } = forward(networks.actor, observations, sample);
    return logSoftmax(output)[action]! + 0.2 * normal();
  });
  const returns = Float32Array.from({ length: batch }, normal);
  const raw = Array.from({ length: batch }, normal);
  const mean = raw.reduce((a, b) => a + b, 0) / batch;
  const deviation = Math.sqrt(raw.reduce((a, b) => a + (b - mean) ** 2, 0) / (batch - 1));
  const advantages = Float32Array.from(raw, (value) => (value - mean) / deviation);
  return { batch, observations, actions, logProbabilities, advantages, returns, networks };
}

/** Activations of every layer for one sample; `inputs[l]` is what layer `l` saw. */
function forward(layers: readonly Layer[], observations: Float32Array, sample: number) {
  let values = [...observations.subarray(sample * OBSERVATION_SIZE, (sample + 1) * OBSERVATION_SIZE)];
  const inputs: number[][] = [];
  layers.forEach((layer, index) => {
    inputs.push(values);
    const sums = Array.from(layer.bias, (bias, j) =>
      values.reduce((sum, value, i) => sum + value * layer.weights[i * layer.outputs + j]!, bias),
    );
    values = index < layers.length - 1 ? sums.map(Math.tanh) : sums;
  });
  return { inputs, output: values };
}

function logSoftmax(logits: readonly number[]): number[] {
  const largest = Math.max(...logits);
  const logSum = largest + Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - largest), 0));
  return logits.map((logit) => logit - logSum);
}

/** Adds one sample's gradient to `gradients` (weights, bias by layer), given the gradient of the network's output. */
function backward(
  layers: readonly Layer[],
  inputs: readonly number[][],
  outputGradient: number[],
  gradients: number[][],
) {
  let delta = outputGradient;
  for (let l = layers.length - 1; l >= 0; l--) {
    const { outputs, weights } = layers[l]!;
    const input = inputs[l]!;
    const [dWeights, dBias] = [gradients[2 * l]!, gradients[2 * l + 1]!];
    delta.forEach((d, j) => {
      dBias[j]! += d;
      input.forEach((value, i) => {
        dWeights[i * outputs + j]! += value * d;
      });
    });
    delta = input.map((value, i) => {
      const sum = delta.reduce((total, d, j) => total + d * weights[i * outputs + j]!, 0);
      return sum * (1 - value * value); // derivative of tanh; not used below the first layer
    });
  }
}

/** Loss and gradients (in the order of `tensorsOf`) of the PPO loss at the problem's own weights. */
export function lossAndGradients(problem: Problem): { loss: number; gradients: number[][] } {
  const { batch, networks } = problem;
  const zeros = (layers: readonly Layer[]) =>
    layers.flatMap((l) => [new Array<number>(l.weights.length).fill(0), new Array<number>(l.bias.length).fill(0)]);
  const [actorGradients, criticGradients] = [zeros(networks.actor), zeros(networks.critic)];
  const { clipCoefficient, valueCoefficient, entropyCoefficient } = SETTINGS;
  let loss = 0;
  for (let s = 0; s < batch; s++) {
    const actor = forward(networks.actor, problem.observations, s);
    const critic = forward(networks.critic, problem.observations, s);
    const logs = logSoftmax(actor.output);
    const probabilities = logs.map(Math.exp);
    const action = problem.actions[s]!;
    const advantage = problem.advantages[s]!;
    const ratio = Math.exp(logs[action]! - problem.logProbabilities[s]!);
    const clipped = Math.min(Math.max(ratio, 1 - clipCoefficient), 1 + clipCoefficient);
    const entropy = -probabilities.reduce((sum, p, a) => sum + p * logs[a]!, 0);
    const error = critic.output[0]! - problem.returns[s]!;
    loss += Math.max(-advantage * ratio, -advantage * clipped) / batch;
    loss += (valueCoefficient * 0.5 * error * error - entropyCoefficient * entropy) / batch;

    // d loss / d logit: the surrogate through the action's log-probability, the entropy through all.
    const ratioGradient = -advantage * ratio >= -advantage * clipped ? -advantage * ratio : 0;
    const logitGradients = probabilities.map((p, a) => {
      const surrogate = ratioGradient * (Number(a === action) - p);
      const entropyGradient = -p * (logs[a]! + entropy);
      return (surrogate - entropyCoefficient * entropyGradient) / batch;
    });
    backward(networks.actor, actor.inputs, logitGradients, actorGradients);
    backward(networks.critic, critic.inputs, [(valueCoefficient * error) / batch], criticGradients);
  }
  return { loss, gradients: [...actorGradients, ...criticGradients] };
}

/**
 * `count` updates on the same minibatch: clip by global norm (as torch.nn.utils.clip_grad_norm_), then an Adam step
 * with PyTorch's bias correction, moments starting from zero.
 */
export function updateReference(problem: Problem, count: number): Outcome {
  const { maxGradientNorm, learningRate, beta1, beta2, epsilon } = SETTINGS;
  let weights: ArrayLike<number>[] = tensorsOf(problem.networks);
  const first = weights.map((tensor) => new Float64Array(tensor.length));
  const second = weights.map((tensor) => new Float64Array(tensor.length));
  let lastLoss = Number.NaN;
  for (let step = 1; step <= count; step++) {
    const { loss, gradients } = lossAndGradients({ ...problem, networks: networksOf(weights, problem.networks) });
    const norm = Math.sqrt(gradients.flat().reduce((sum, g) => sum + g * g, 0));
    const scale = Math.min(1, maxGradientNorm / (norm + 1e-6));
    const [correction1, correction2] = [1 - beta1 ** step, 1 - beta2 ** step];
    weights = weights.map((tensor, t) =>
      Float64Array.from(tensor, (value, i) => {
        const gradient = gradients[t]![i]! * scale;
        first[t]![i] = beta1 * first[t]![i]! + (1 - beta1) * gradient;
        second[t]![i] = beta2 * second[t]![i]! + (1 - beta2) * gradient * gradient;
        const denominator = Math.sqrt(second[t]![i]! / correction2) + epsilon;
        return value - (learningRate * (first[t]![i]! / correction1)) / denominator;
      }),
    );
    lastLoss = loss;
  }
  return { loss: lastLoss, networks: networksOf(weights, problem.networks) };
}

/** Largest difference between two sets of weights. */
export function largestDifference(a: Networks, b: Networks): number {
  const flat = (networks: Networks) =>
    [...networks.actor, ...networks.critic].flatMap((l) => [...l.weights, ...l.bias]);
  const other = flat(b);
  return flat(a).reduce((largest, value, i) => {
    const difference = Math.abs(value - other[i]!);
    return difference > largest || Number.isNaN(difference) ? difference : largest;
  }, 0);
}
