/** Golden vectors of tokens: softmax, cross-entropy and entropy, through the kernels that training runs. */
import { type Bench, type BenchBuffer, floats, type GoldenAdapter, numberOr } from '../golden/adapter';
import { type GoldenValue, numbers, shapeOf } from '../golden/read';
import { tokenLogProb, tokenLogProbBackward } from './token_log_prob';

/** PyTorch's label of rows that do not count. */
const IGNORED = -100;

/** Rows of logits [N, V] as one sequence of N + 1 tokens, the first of which nothing predicts; every token is legal. */
class Rows {
  readonly count: number;
  readonly classes: number;
  private readonly logits: BenchBuffer;
  private readonly grammar: BenchBuffer;

  constructor(
    private readonly bench: Bench,
    logits: GoldenValue,
    private readonly smoothing = 0,
  ) {
    this.classes = shapeOf(logits).at(-1) as number;
    const data = floats(logits);
    this.count = data.length / this.classes;
    // The row of the last token predicts nothing.
    this.logits = bench.buffer(Float32Array.of(...data, ...new Float32Array(this.classes)));
    this.grammar = bench.buffer(new Uint32Array(this.classes).fill(1));
  }

  /** Log-probabilities of the labels, and entropies, by row. */
  async evaluate(labels: readonly number[]): Promise<{ logProbs: number[]; entropies: number[] }> {
    const [log_probs, entropies] = [this.bench.zeros(this.count + 1), this.bench.zeros(this.count + 1)];
    this.bench.run(tokenLogProb, { ...this.inputs(labels), log_probs, entropies }, this.uniforms());
    const read = async (buffer: BenchBuffer) => [...(await this.bench.read(buffer))].slice(1);
    return { logProbs: await read(log_probs), entropies: await read(entropies) };
  }

  /** Gradient by the logits of Σ logProbWeights · log-probability + entropyWeights · entropy. */
  async backward(labels: readonly number[], logProbWeights: readonly number[], entropyWeights: readonly number[]) {
    const logits_gradient = this.bench.zeros((this.count + 1) * this.classes);
    const gradients = {
      log_prob_gradient: this.bench.buffer(Float32Array.of(0, ...logProbWeights)),
      entropy_gradient: this.bench.buffer(Float32Array.of(0, ...entropyWeights)),
    };
    this.bench.run(tokenLogProbBackward, { ...this.inputs(labels), ...gradients, logits_gradient }, this.uniforms());
    return (await this.bench.read(logits_gradient)).slice(0, this.count * this.classes);
  }

  /** Log-probability of every class in turn, [rows, classes]. */
  async logSoftmax(): Promise<number[]> {
    const columns: number[][] = [];
    for (let c = 0; c < this.classes; c++) columns.push((await this.evaluate(repeat(c, this.count))).logProbs);
    return columns[0].flatMap((_, row) => columns.map((column) => column[row]));
  }

  private inputs(labels: readonly number[]) {
    return {
      logits: this.logits,
      tokens: this.bench.buffer(Uint32Array.of(0, ...labels.map((label) => Math.max(label, 0)))),
      grammar_states: this.bench.zeros(this.count + 1, 'u32'),
      mask: this.bench.buffer(Float32Array.of(0, ...labels.map((label) => Number(label !== IGNORED)))),
      grammar: this.grammar,
    };
  }

  private uniforms() {
    return {
      sequences: 1,
      length: this.count + 1,
      vocabulary: this.classes,
      sequence_stride: 0,
      position_stride: 1,
      temperature: 1,
      grammar: 1,
      smoothing: this.smoothing,
    };
  }
}

/** torch_softmax_ce: the loss is -Σ log-probability of the labels, or its mean. */
export const torchSoftmaxCe: GoldenAdapter = async ({ inputs }, bench) => {
  const rows = new Rows(bench, inputs.logits, numberOr(inputs.label_smoothing, 0));
  const labels = numbers(inputs.labels);
  const counted = labels.filter((label) => label !== IGNORED).length;
  const weight = inputs.reduction === 'mean' ? -1 / counted : -1;
  const { logProbs } = await rows.evaluate(labels);
  const losses = logProbs.map((logProb) => weight * logProb);
  const log_softmax = await new Rows(bench, inputs.logits).logSoftmax();
  return {
    log_softmax,
    softmax: log_softmax.map(Math.exp),
    loss: inputs.reduction === 'none' ? losses : [total(losses)],
    grad_logits: await rows.backward(labels, repeat(weight, rows.count), repeat(0, rows.count)),
  };
};

/** verl_entropy_value, logprobs_from_logits. */
export const verlLabelLogProbs: GoldenAdapter = async ({ inputs }, bench) => {
  const rows = new Rows(bench, inputs.logits);
  const labels = numbers(inputs.labels);
  const { logProbs } = await rows.evaluate(labels);
  return {
    logprobs: logProbs,
    grad_logits: await rows.backward(labels, repeat(1, rows.count), repeat(0, rows.count)),
  };
};

/** verl_entropy_value, compute_entropy_loss: entropy of every token; the loss weighs it by token. */
export const verlEntropyLoss: GoldenAdapter = async ({ inputs }, bench) => {
  const rows = new Rows(bench, inputs.logits);
  const any = repeat(0, rows.count);
  const { entropies } = await rows.evaluate(any);
  const weights = tokenWeights(inputs.loss_agg_mode as string, inputs.response_mask);
  return {
    entropy: entropies,
    loss: [total(entropies.map((entropy, i) => entropy * weights[i]))],
    grad_logits: await rows.backward(any, any, weights),
  };
};

/** How much each token [bs, T] counts in verl's agg_loss. */
function tokenWeights(mode: string, mask: GoldenValue): number[] {
  const flags = numbers(mask);
  const [sequences, length] = shapeOf(mask);
  const taught = (s: number) => total(flags.slice(s * length, (s + 1) * length));
  const nonEmpty = Array.from({ length: sequences }, (_, s) => s).filter((s) => taught(s) > 0).length;
  return flags.map((flag, i) => {
    if (flag === 0) return 0;
    if (mode === 'token-mean') return 1 / total(flags);
    const own = taught(Math.floor(i / length));
    return 1 / nonEmpty / (mode === 'seq-mean-token-mean' ? own : 1);
  });
}

function total(numbers_: readonly number[]): number {
  return numbers_.reduce((sum, x) => sum + x, 0);
}

function repeat(value: number, count: number): number[] {
  return new Array<number>(count).fill(value);
}
