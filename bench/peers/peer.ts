/**
 * One PPO minibatch, as a problem that every library in the benchmark solves: the data, the weights it starts from, and
 * what a library must offer to be checked and timed. The mathematics are CleanRL's `ppo.py` (clipped surrogate, value
 * loss not clipped, entropy bonus, gradient clipping by global norm, Adam with PyTorch's bias correction), the networks
 * are its CartPole networks: actor and critic apart, 4-64-64 with tanh, 2 logits and 1 value.
 * Source: https://github.com/vwxyzjn/cleanrl/blob/master/cleanrl/ppo.py
 */

/** One fully connected layer: `weights` is row-major `[inputs, outputs]`, `bias` is `[outputs]`. */
export interface Layer {
  readonly inputs: number;
  readonly outputs: number;
  readonly weights: Float32Array;
  readonly bias: Float32Array;
}

/** The two networks, each a list of layers with tanh between them. */
export interface Networks {
  readonly actor: readonly Layer[];
  readonly critic: readonly Layer[];
}

/** CleanRL's defaults for CartPole-v1, except that advantages come normalised and the value loss is not clipped. */
export const SETTINGS = {
  clipCoefficient: 0.2,
  valueCoefficient: 0.5,
  entropyCoefficient: 0.01,
  maxGradientNorm: 0.5,
  learningRate: 2.5e-4,
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-5,
} as const;

export const OBSERVATION_SIZE = 4;
export const ACTIONS = 2;
export const HIDDEN_SIZE = 64;

/** A minibatch of `batch` samples and the weights before the update. */
export interface Problem {
  readonly batch: number;
  /** `[batch, 4]` */
  readonly observations: Float32Array;
  /** `[batch]`, 0 or 1 */
  readonly actions: Int32Array;
  /** `[batch]`, log-probability of the action under the policy that sampled it */
  readonly logProbabilities: Float32Array;
  /** `[batch]`, mean 0 and deviation 1 */
  readonly advantages: Float32Array;
  /** `[batch]` */
  readonly returns: Float32Array;
  readonly networks: Networks;
}

/** What an update leaves behind that can be compared: the loss before it, and the weights after it. */
export interface Outcome {
  readonly loss: number;
  readonly networks: Networks;
}

/** A library with a problem loaded, its data on the library's device, ready to be updated again and again. */
export interface Learner<O = Outcome> {
  /** Issues `count` updates on the same minibatch, and resolves when the device has finished them. */
  update(count: number): Promise<void>;
  /** Loss of the last update (before its step), and the weights after it. */
  outcome(): Promise<O>;
  dispose(): void;
}

/** A library that can solve the problem. `name` stands in the report. */
export interface Peer<P = Problem, O = Outcome> {
  readonly name: string;
  load(problem: P): Promise<Learner<O>>;
}

/** All arrays of the two networks in one fixed order: actor then critic, layer by layer, weights then bias. */
export const tensorsOf = (networks: Networks): Float32Array[] =>
  [...networks.actor, ...networks.critic].flatMap((layer) => [layer.weights, layer.bias]);

/** The inverse of `tensorsOf`, with the shapes of `like`. */
export function networksOf(tensors: readonly ArrayLike<number>[], like: Networks): Networks {
  let next = 0;
  const take = () => Float32Array.from(tensors[next++]!);
  const layers = (list: readonly Layer[]) => list.map((layer) => ({ ...layer, weights: take(), bias: take() }));
  return { actor: layers(like.actor), critic: layers(like.critic) };
}

/**
 * Operations of an update for one sample, two a multiply-add, products alone: forward, gradients of the
 * weights, and gradients of every layer's input but the first's.
 */
export const FLOP_PER_SAMPLE = [ACTIONS, 1].reduce((sum, outputs) => {
  const first = OBSERVATION_SIZE * HIDDEN_SIZE;
  const rest = HIDDEN_SIZE * HIDDEN_SIZE + HIDDEN_SIZE * outputs;
  return sum + 2 * (2 * first + 3 * rest);
}, 0);

/** [rows, columns] → [columns, rows]. */
export function transpose(matrix: Float32Array, rows: number, columns: number): Float32Array {
  return Float32Array.from({ length: rows * columns }, (_, i) => matrix[(i % rows) * columns + Math.floor(i / rows)]);
}
