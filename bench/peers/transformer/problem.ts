/**
 * One update of a transformer, as a problem that every library in the benchmark solves: a batch of token sequences,
 * the weights it starts from, and what is compared afterwards. The model is GPT-2's decoder in small (pre-norm
 * LayerNorm, learned positions, GELU by tanh, MLP four times as wide, head of its own without bias); the loss is the
 * policy gradient over tokens, averaged over all of them: L = −1/N Σ A log π(token | tokens before).
 * Source: Radford et al. 2019, https://github.com/openai/gpt-2/blob/master/src/model.py
 */
import { generator, normals } from '../random';

export const LAYERS = 2;
export const WIDTH = 64;
export const HEADS = 4;
export const HEAD_WIDTH = WIDTH / HEADS;
export const HIDDEN = 4 * WIDTH;
export const VOCABULARY = 64;
export const SEQUENCES = 64;
export const LENGTH = 64;
/** The first token of a sequence is given. */
export const TAUGHT = SEQUENCES * (LENGTH - 1);
export const NORM_EPSILON = 1e-5;

/** Adam as PyTorch's; Adam's ε is large enough that gradients that are rounding noise (the key biases') move nothing. */
export const SETTINGS = { maxGradientNorm: 1, learningRate: 1e-3, beta1: 0.9, beta2: 0.999, epsilon: 1e-5 } as const;

/** A weight matrix is [inputs, outputs], row-major; queries, keys and values are side by side. */
export type Shapes = Readonly<Record<string, readonly number[]>>;
export type Tensors = Readonly<Record<string, Float32Array>>;

const norm = (name: string): Shapes => ({ [`${name}.weight`]: [WIDTH], [`${name}.bias`]: [WIDTH] });
const block = (name: string): Shapes => ({
  ...norm(`${name}.ln1`),
  [`${name}.attn.in_proj_weight`]: [WIDTH, 3 * WIDTH],
  [`${name}.attn.in_proj_bias`]: [3 * WIDTH],
  [`${name}.attn.out_proj.weight`]: [WIDTH, WIDTH],
  [`${name}.attn.out_proj.bias`]: [WIDTH],
  ...norm(`${name}.ln2`),
  [`${name}.mlp.fc1.weight`]: [WIDTH, HIDDEN],
  [`${name}.mlp.fc1.bias`]: [HIDDEN],
  [`${name}.mlp.fc2.weight`]: [HIDDEN, WIDTH],
  [`${name}.mlp.fc2.bias`]: [WIDTH],
});

export const BLOCKS: readonly string[] = Array.from({ length: LAYERS }, (_, layer) => `h.${layer}`);

/** Every tensor of the model in one fixed order, by its name in src/engine/policies/transformer.ts. */
export const SHAPES: Shapes = {
  wte: [VOCABULARY, WIDTH],
  wpe: [LENGTH, WIDTH],
  ...Object.assign({}, ...BLOCKS.map(block)),
  ...norm('lnf'),
  'head.weight': [WIDTH, VOCABULARY],
};

export interface TransformerProblem {
  /** [sequences, length] */
  readonly tokens: Int32Array;
  /** [sequences, length]; 0 at the first token of a sequence, which nothing predicts. */
  readonly advantages: Float32Array;
  readonly weights: Tensors;
}

/** What an update leaves behind: loss and gradient norm (before clipping) of the last one, and the weights after it. */
export interface TransformerOutcome {
  readonly loss: number;
  readonly gradientNorm: number;
  readonly weights: Tensors;
}

/** Weights of the size that training gives them, so that no part of the gradient is negligible. */
export function makeTransformerProblem(seed = 1): TransformerProblem {
  const uniform = generator(seed);
  const normal = normals(uniform);
  const weights = Object.entries(SHAPES).map(([name, shape]) => {
    const size = shape.reduce((product, n) => product * n, 1);
    const middle = /ln.\.weight$/.test(name) ? 1 : 0;
    const deviation = shape.length === 1 ? 0.1 : name === 'wte' || name === 'wpe' ? 0.5 : 1 / Math.sqrt(shape[0]);
    return [name, Float32Array.from({ length: size }, () => middle + deviation * normal())];
  });
  const length = SEQUENCES * LENGTH;
  return {
    tokens: Int32Array.from({ length }, () => Math.floor(uniform() * VOCABULARY)),
    advantages: Float32Array.from({ length }, (_, i) => (i % LENGTH === 0 ? 0 : normal())),
    weights: Object.fromEntries(weights),
  };
}

/** Largest difference of loss, gradient norm and weights. */
export function transformerDifference(a: TransformerOutcome, b: TransformerOutcome): number {
  const weights = Object.keys(SHAPES).flatMap((name) =>
    [...a.weights[name]].map((value, i) => value - b.weights[name][i]),
  );
  return [a.loss - b.loss, a.gradientNorm - b.gradientNorm, ...weights].reduce(
    (largest, difference) =>
      Math.abs(difference) > largest || Number.isNaN(difference) ? Math.abs(difference) : largest,
    0,
  );
}

/**
 * Operations of an update, two a multiply-add, products alone: forward, and twice that for the gradients of both
 * factors of each product. Attention counts what is not masked.
 */
export const TRANSFORMER_FLOP = (() => {
  const attended = (LENGTH + 1) / 2;
  const layer = WIDTH * 3 * WIDTH + WIDTH * WIDTH + 2 * WIDTH * HIDDEN + 2 * attended * WIDTH;
  return 2 * 3 * SEQUENCES * LENGTH * (LAYERS * layer + WIDTH * VOCABULARY);
})();
