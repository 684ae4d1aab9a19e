/** Golden vectors of the distributions. */
import { type Bench, floats, type GoldenAdapter } from '../golden/adapter';
import { type GoldenValue, numbers, shapeOf } from '../golden/read';
import { categoricalBackward, categoricalEvaluate } from './categorical_evaluate';
import { categoricalKl } from './categorical_kl';
import { gaussianBackward, gaussianEvaluate } from './gaussian_evaluate';

/** torch_distributions.json: categorical log-probability, entropy, probabilities, KL and their gradients. */
export const torchDistributions: GoldenAdapter = async ({ inputs, expected }, bench) => {
  const [rows, count] = shapeOf(inputs.logits) as [number, number];
  const uniforms = { rows, actions: count, masked: Number(inputs.action_mask !== undefined) };
  const logits = bench.buffer(floats(inputs.logits));
  const masks = bench.buffer(packMasks(inputs.action_mask, rows, count));
  const policy = { logits, masks, actions: bench.buffer(floats(inputs.actions)) };
  const [log_probs, entropies, none] = [bench.zeros(rows), bench.zeros(rows), bench.zeros(rows)];
  bench.run(categoricalEvaluate, { ...policy, log_probs, entropies }, uniforms);

  const [byLogProb, byEntropy] = [bench.zeros(rows * count), bench.zeros(rows * count)];
  const dlogp = bench.buffer(floats(inputs.dlogp));
  const dent = bench.buffer(floats(inputs.dent));
  bench.run(
    categoricalBackward,
    { ...policy, log_prob_gradient: dlogp, entropy_gradient: none, logits_gradient: byLogProb },
    uniforms,
  );
  bench.run(
    categoricalBackward,
    { ...policy, log_prob_gradient: none, entropy_gradient: dent, logits_gradient: byEntropy },
    uniforms,
  );

  const outputs = {
    log_prob: await bench.read(log_probs),
    entropy: await bench.read(entropies),
    probs: await probabilities(bench, { logits, masks }, uniforms),
    grad_logits_logp: await bench.read(byLogProb),
    grad_logits_entropy: await bench.read(byEntropy),
  };
  if (expected.kl === undefined) return outputs;
  const [kl, byKl] = [bench.zeros(rows), bench.zeros(rows * count)];
  const reference_logits = bench.buffer(floats(inputs.logits_q));
  bench.run(categoricalKl, { logits, reference_logits, masks, kl, logits_gradient: byKl }, uniforms);
  return { ...outputs, kl: await bench.read(kl), grad_logits_kl: await bench.read(byKl) };
};

/** The case of nonfinite_reference.json on entropy: invalid actions at -∞; gradient of Σ entropy. */
export const torchEntropy: GoldenAdapter = async ({ inputs }, bench) => {
  const [rows, count] = shapeOf(inputs.logits) as [number, number];
  const uniforms = { rows, actions: count, masked: 1 };
  const masks = bench.buffer(packMasks(inputs.mask, rows, count));
  const policy = { logits: bench.buffer(floats(inputs.logits)), masks, actions: bench.zeros(rows) };
  const [log_probs, entropies, logits_gradient] = [bench.zeros(rows), bench.zeros(rows), bench.zeros(rows * count)];
  bench.run(categoricalEvaluate, { ...policy, log_probs, entropies }, uniforms);
  const entropy_gradient = bench.buffer(new Float32Array(rows).fill(1));
  bench.run(
    categoricalBackward,
    { ...policy, log_prob_gradient: bench.zeros(rows), entropy_gradient, logits_gradient },
    uniforms,
  );
  return { entropy: await bench.read(entropies), grad_logits: await bench.read(logits_gradient) };
};

/** gaussian_policy.json, function `normal`: state-independent log_std; gradients are of sums over the batch. */
export const gaussianPolicy: GoldenAdapter = async ({ function: variant, inputs }, bench) => {
  if (variant !== 'normal') return undefined;
  const [rows, size] = shapeOf(inputs.mean) as [number, number];
  const uniforms = { rows, size, log_std_offset: 0 };
  const policy = {
    means: bench.buffer(floats(inputs.mean)),
    parameters: bench.buffer(floats(inputs.log_std)),
    actions: bench.buffer(floats(inputs.action)),
  };
  const [log_probs, entropies] = [bench.zeros(rows), bench.zeros(rows)];
  bench.run(gaussianEvaluate, { ...policy, log_probs, entropies }, uniforms);

  const [none, ones] = [bench.zeros(rows), bench.buffer(new Float32Array(rows).fill(1))];
  const gradients = async (log_prob_gradient: typeof none, entropy_gradient: typeof none) => {
    const [means_gradient, log_std_gradient] = [bench.zeros(rows * size), bench.zeros(rows * size)];
    bench.run(
      gaussianBackward,
      { ...policy, log_prob_gradient, entropy_gradient, means_gradient, log_std_gradient },
      uniforms,
    );
    return { mean: await bench.read(means_gradient), logStd: columnSums(await bench.read(log_std_gradient), size) };
  };
  const ofLogProb = await gradients(ones, none);
  return {
    log_prob: await bench.read(log_probs),
    entropy: await bench.read(entropies),
    grad_lp_mean: ofLogProb.mean,
    grad_lp_log_std: ofLogProb.logStd,
    grad_ent_log_std: (await gradients(none, ones)).logStd,
  };
};

/** Rows of 0/1 flags (none: all 1) to one word a row, bit a for action a. */
export function packMasks(mask: GoldenValue | undefined, rows: number, actions: number): Uint32Array {
  const words = new Uint32Array(rows);
  if (mask === undefined) return words.fill(0xffffffff);
  for (const [i, flag] of numbers(mask).entries()) words[Math.floor(i / actions)] |= flag << (i % actions);
  return words;
}

/** exp(log-probability) of every action in turn, [rows, actions]. */
async function probabilities(
  bench: Bench,
  policy: { logits: ReturnType<Bench['zeros']>; masks: ReturnType<Bench['zeros']> },
  uniforms: { rows: number; actions: number; masked: number },
): Promise<Float32Array> {
  const { rows, actions: count } = uniforms;
  const all = new Float32Array(rows * count);
  for (let a = 0; a < count; a++) {
    const actions = bench.buffer(new Float32Array(rows).fill(a));
    const log_probs = bench.zeros(rows);
    bench.run(categoricalEvaluate, { ...policy, actions, log_probs, entropies: bench.zeros(rows) }, uniforms);
    for (const [i, logProb] of (await bench.read(log_probs)).entries()) all[i * count + a] = Math.exp(logProb);
  }
  return all;
}

function columnSums(data: ArrayLike<number>, columns: number): Float64Array {
  const sums = new Float64Array(columns);
  for (let i = 0; i < data.length; i++) sums[i % columns] += data[i];
  return sums;
}
