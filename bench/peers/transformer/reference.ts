/**
 * The same update in plain TypeScript and double precision, forward and backward written out: what every library, and
 * this project, must agree with before it is timed. Matrices are row-major.
 */
import {
  BLOCKS,
  HEAD_WIDTH,
  HEADS,
  HIDDEN,
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

type Numbers = Float64Array;
type Weights = Record<string, Numbers>;

const ROWS = SEQUENCES * LENGTH;
const SCALE = 1 / Math.sqrt(HEAD_WIDTH);

/** input [rows, m] · weight [m, n] (+ bias). */
function linear(input: Numbers, weight: Numbers, outputs: number, bias?: Numbers): Numbers {
  const inputs = weight.length / outputs;
  const rows = input.length / inputs;
  const output = new Float64Array(rows * outputs);
  for (let r = 0; r < rows; r++) {
    const row = output.subarray(r * outputs, (r + 1) * outputs);
    if (bias) row.set(bias);
    for (let i = 0; i < inputs; i++) {
      const x = input[r * inputs + i];
      for (let j = 0; j < outputs; j++) row[j] += x * weight[i * outputs + j];
    }
  }
  return output;
}

/** Gradient of a linear layer's input; its weight's and bias's are added to. */
function linearBackward(
  gradient: Numbers,
  input: Numbers,
  weight: Numbers,
  outputs: number,
  weightGradient: Numbers,
  biasGradient?: Numbers,
): Numbers {
  const inputs = weight.length / outputs;
  const result = new Float64Array(input.length);
  for (let r = 0; r < input.length / inputs; r++) {
    const row = gradient.subarray(r * outputs, (r + 1) * outputs);
    if (biasGradient) for (let j = 0; j < outputs; j++) biasGradient[j] += row[j];
    for (let i = 0; i < inputs; i++) {
      const x = input[r * inputs + i];
      let sum = 0;
      for (let j = 0; j < outputs; j++) {
        sum += row[j] * weight[i * outputs + j];
        weightGradient[i * outputs + j] += x * row[j];
      }
      result[r * inputs + i] = sum;
    }
  }
  return result;
}

/** LayerNorm of rows; `standard` is before weight and bias, `factor` one over the deviation. */
function layerNorm(input: Numbers, weight: Numbers, bias: Numbers) {
  const [standard, output, factor] = [new Float64Array(input.length), new Float64Array(input.length), [] as number[]];
  for (let at = 0; at < input.length; at += WIDTH) {
    const row = input.subarray(at, at + WIDTH);
    const mean = row.reduce((a, b) => a + b) / WIDTH;
    const variance = row.reduce((sum, x) => sum + (x - mean) ** 2, 0) / WIDTH;
    const inverse = 1 / Math.sqrt(variance + NORM_EPSILON);
    factor.push(inverse);
    for (let k = 0; k < WIDTH; k++) {
      standard[at + k] = (row[k] - mean) * inverse;
      output[at + k] = standard[at + k] * weight[k] + bias[k];
    }
  }
  return { standard, output, factor };
}

function layerNormBackward(
  gradient: Numbers,
  { standard, factor }: ReturnType<typeof layerNorm>,
  weight: Numbers,
  weightGradient: Numbers,
  biasGradient: Numbers,
): Numbers {
  const result = new Float64Array(gradient.length);
  for (let at = 0; at < gradient.length; at += WIDTH) {
    let [mean, projection] = [0, 0];
    for (let k = 0; k < WIDTH; k++) {
      const g = gradient[at + k];
      weightGradient[k] += g * standard[at + k];
      biasGradient[k] += g;
      mean += (g * weight[k]) / WIDTH;
      projection += (g * weight[k] * standard[at + k]) / WIDTH;
    }
    for (let k = 0; k < WIDTH; k++)
      result[at + k] = factor[at / WIDTH] * (gradient[at + k] * weight[k] - mean - standard[at + k] * projection);
  }
  return result;
}

const GELU = Math.sqrt(2 / Math.PI);

function gelu(x: number): number {
  return 0.5 * x * (1 + Math.tanh(GELU * (x + 0.044715 * x ** 3)));
}

function geluSlope(x: number): number {
  const tanh = Math.tanh(GELU * (x + 0.044715 * x ** 3));
  return 0.5 * (1 + tanh) + 0.5 * x * (1 - tanh * tanh) * GELU * (1 + 3 * 0.044715 * x * x);
}

/** Calls `each` for every head of every query: where its numbers begin, and where those of key 0 do. */
function forHeads(each: (query: number, key: number, output: number, seen: number) => void): void {
  for (let r = 0; r < ROWS; r++)
    for (let h = 0; h < HEADS; h++) {
      const [first, t] = [r - (r % LENGTH), r % LENGTH];
      const at = h * HEAD_WIDTH;
      each(r * 3 * WIDTH + at, first * 3 * WIDTH + WIDTH + at, r * WIDTH + at, t + 1);
    }
}

/** Causal softmax over the keys before, by head. */
function attentionWeights(joint: Numbers, query: number, key: number, seen: number): number[] {
  const scores = Array.from({ length: seen }, (_, j) => {
    let score = 0;
    for (let c = 0; c < HEAD_WIDTH; c++) score += joint[query + c] * joint[key + j * 3 * WIDTH + c];
    return SCALE * score;
  });
  const largest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - largest));
  const total = powers.reduce((a, b) => a + b);
  return powers.map((power) => power / total);
}

/** `joint` [rows, 3 · width]: queries, keys, values. */
function attention(joint: Numbers): Numbers {
  const output = new Float64Array(ROWS * WIDTH);
  forHeads((query, key, at, seen) => {
    for (const [j, weight] of attentionWeights(joint, query, key, seen).entries())
      for (let c = 0; c < HEAD_WIDTH; c++) output[at + c] += weight * joint[key + WIDTH + j * 3 * WIDTH + c];
  });
  return output;
}

function attentionBackward(gradient: Numbers, joint: Numbers): Numbers {
  const result = new Float64Array(joint.length);
  forHeads((query, key, at, seen) => {
    const weights = attentionWeights(joint, query, key, seen);
    const slopes = weights.map((weight, j) => {
      const value = key + WIDTH + j * 3 * WIDTH;
      let slope = 0;
      for (let c = 0; c < HEAD_WIDTH; c++) {
        slope += gradient[at + c] * joint[value + c];
        result[value + c] += weight * gradient[at + c];
      }
      return slope;
    });
    const mean = slopes.reduce((sum, slope, j) => sum + slope * weights[j], 0);
    for (const [j, weight] of weights.entries()) {
      const score = SCALE * weight * (slopes[j] - mean);
      for (let c = 0; c < HEAD_WIDTH; c++) {
        result[query + c] += score * joint[key + j * 3 * WIDTH + c];
        result[key + j * 3 * WIDTH + c] += score * joint[query + c];
      }
    }
  });
  return result;
}

const sum = (a: Numbers, b: Numbers): Numbers => a.map((value, i) => value + b[i]);

/** x + projection(attention(norm x)), then x + contract(gelu(expand(norm x))). */
function forwardBlock(w: Weights, name: string, input: Numbers) {
  const of = (part: string) => w[`${name}.${part}`];
  const norm1 = layerNorm(input, of('ln1.weight'), of('ln1.bias'));
  const joint = linear(norm1.output, of('attn.in_proj_weight'), 3 * WIDTH, of('attn.in_proj_bias'));
  const mixed = attention(joint);
  const middle = sum(input, linear(mixed, of('attn.out_proj.weight'), WIDTH, of('attn.out_proj.bias')));
  const norm2 = layerNorm(middle, of('ln2.weight'), of('ln2.bias'));
  const before = linear(norm2.output, of('mlp.fc1.weight'), HIDDEN, of('mlp.fc1.bias'));
  const hidden = before.map(gelu);
  const output = sum(middle, linear(hidden, of('mlp.fc2.weight'), WIDTH, of('mlp.fc2.bias')));
  return { name, norm1, joint, mixed, norm2, before, hidden, output };
}

function backwardBlock(w: Weights, g: Weights, made: ReturnType<typeof forwardBlock>, gradient: Numbers): Numbers {
  const { norm1, joint, mixed, norm2, before, hidden } = made;
  const layer = (part: string, upper: Numbers, input: Numbers, outputs: number) => {
    const [weight, bias] = [`${made.name}.${part}weight`, `${made.name}.${part}bias`];
    return linearBackward(upper, input, w[weight], outputs, g[weight], g[bias]);
  };
  const norm = (part: string, upper: Numbers, kept: typeof norm1) => {
    const [weight, bias] = [`${made.name}.${part}weight`, `${made.name}.${part}bias`];
    return layerNormBackward(upper, kept, w[weight], g[weight], g[bias]);
  };
  const hiddenGradient = layer('mlp.fc2.', gradient, hidden, WIDTH).map((value, i) => value * geluSlope(before[i]));
  const middle = sum(gradient, norm('ln2.', layer('mlp.fc1.', hiddenGradient, norm2.output, HIDDEN), norm2));
  const mixedGradient = layer('attn.out_proj.', middle, mixed, WIDTH);
  const jointGradient = attentionBackward(mixedGradient, joint);
  return sum(middle, norm('ln1.', layer('attn.in_proj_', jointGradient, norm1.output, 3 * WIDTH), norm1));
}

/** Loss, and its gradient by the logits [rows, V]. */
function lossOf({ tokens, advantages }: TransformerProblem, logits: Numbers): { loss: number; gradient: Numbers } {
  let loss = 0;
  const gradient = new Float64Array(logits.length);
  for (let r = 0; r < ROWS; r++) {
    if (r % LENGTH === LENGTH - 1) continue;
    const row = logits.subarray(r * VOCABULARY, (r + 1) * VOCABULARY);
    const largest = Math.max(...row);
    const logTotal = largest + Math.log(row.reduce((total, logit) => total + Math.exp(logit - largest), 0));
    const [token, weight] = [tokens[r + 1], advantages[r + 1] / TAUGHT];
    loss -= weight * (row[token] - logTotal);
    for (let v = 0; v < VOCABULARY; v++)
      gradient[r * VOCABULARY + v] = weight * (Math.exp(row[v] - logTotal) - Number(v === token));
  }
  return { loss, gradient };
}

function lossAndGradients(problem: TransformerProblem, w: Weights): { loss: number; gradients: Weights } {
  const { tokens } = problem;
  const g = zeros();
  let x: Numbers = new Float64Array(ROWS * WIDTH).map((_, i) => {
    const [r, k] = [Math.floor(i / WIDTH), i % WIDTH];
    return w.wte[tokens[r] * WIDTH + k] + w.wpe[(r % LENGTH) * WIDTH + k];
  });
  const blocks = BLOCKS.map((name) => {
    const made = forwardBlock(w, name, x);
    x = made.output;
    return made;
  });
  const norm = layerNorm(x, w['lnf.weight'], w['lnf.bias']);
  const { loss, gradient } = lossOf(problem, linear(norm.output, w['head.weight'], VOCABULARY));
  const upper = linearBackward(gradient, norm.output, w['head.weight'], VOCABULARY, g['head.weight']);
  let delta = layerNormBackward(upper, norm, w['lnf.weight'], g['lnf.weight'], g['lnf.bias']);
  for (const made of blocks.reverse()) delta = backwardBlock(w, g, made, delta);
  for (const [i, value] of delta.entries()) {
    const [r, k] = [Math.floor(i / WIDTH), i % WIDTH];
    g.wte[tokens[r] * WIDTH + k] += value;
    g.wpe[(r % LENGTH) * WIDTH + k] += value;
  }
  return { loss, gradients: g };
}

function zeros(): Weights {
  return Object.fromEntries(
    Object.entries(SHAPES).map(([name, shape]) => [
      name,
      new Float64Array(shape.reduce((product, n) => product * n, 1)),
    ]),
  );
}

/** `count` updates on the same batch: clip by global norm (torch.nn.utils.clip_grad_norm_), then Adam (torch.optim.Adam). */
export function updateTransformerReference(problem: TransformerProblem, count: number): TransformerOutcome {
  const { maxGradientNorm, learningRate, beta1, beta2, epsilon } = SETTINGS;
  const names = Object.keys(SHAPES);
  const weights: Weights = Object.fromEntries(names.map((name) => [name, Float64Array.from(problem.weights[name])]));
  const [first, second] = [zeros(), zeros()];
  let [loss, gradientNorm] = [Number.NaN, Number.NaN];
  for (let step = 1; step <= count; step++) {
    const made = lossAndGradients(problem, weights);
    loss = made.loss;
    gradientNorm = Math.sqrt(
      names.reduce((total, name) => made.gradients[name].reduce((all, g) => all + g * g, total), 0),
    );
    const scale = Math.min(1, maxGradientNorm / (gradientNorm + 1e-6));
    const [correction1, correction2] = [1 - beta1 ** step, 1 - beta2 ** step];
    for (const name of names)
      for (const [i, unscaled] of made.gradients[name].entries()) {
        const gradient = unscaled * scale;
        first[name][i] = beta1 * first[name][i] + (1 - beta1) * gradient;
        second[name][i] = beta2 * second[name][i] + (1 - beta2) * gradient * gradient;
        weights[name][i] -=
          (learningRate * (first[name][i] / correction1)) / (Math.sqrt(second[name][i] / correction2) + epsilon);
      }
  }
  return {
    loss,
    gradientNorm,
    weights: Object.fromEntries(names.map((name) => [name, Float32Array.from(weights[name])])),
  };
}
