/** Golden vectors of the PPO losses, through normalisation, loss and statistics as an update runs them. */
import { minibatchMoments, minibatchPartials, minibatchPartialsSize } from '../advantage/minibatch_moments';
import { samples as gatherSamples, SAMPLE_SIZE } from '../advantage/samples';
import { type Bench, floats, type GoldenAdapter, numberOr } from '../golden/adapter';
import { type GoldenRecord, scalar, shapeOf } from '../golden/read';
import { categoricalEvaluate } from '../sampling/categorical_evaluate';
import { LOSS_STATISTICS, type LossStatistic, lossStatistics, STATISTICS_SIZE } from './loss_statistics';
import { gradientSize, policyLoss, statisticsSize } from './policy_loss';

/** cleanrl_ppo_loss.json, and its case in nonfinite_reference.json (a minibatch of one is not normalised). */
export const cleanrlPpoLoss: GoldenAdapter = async ({ inputs }, bench) => {
  const { means, gradOutputs, gradValues, logProbs, entropies } = await minibatch(bench, inputs, {
    value_clip: scalar(inputs.clip_coef),
    clip_values: inputs.clip_vloss ? 1 : 0,
    value_coefficient: scalar(inputs.vf_coef),
  });
  const oldLogProbs = floats(inputs.old_logprob);
  const loss = means.policy_loss - scalar(inputs.ent_coef) * means.entropy + scalar(inputs.vf_coef) * means.value_loss;
  return {
    newlogprob: logProbs,
    entropy: entropies,
    ratio: logProbs.map((logProb, i) => Math.exp(logProb - oldLogProbs[i])),
    pg_loss: [means.policy_loss],
    v_loss: [means.value_loss],
    entropy_loss: [means.entropy],
    loss: [loss],
    old_approx_kl: [means.old_approx_kl],
    approx_kl: [means.approx_kl],
    clipfrac: [means.clipped],
    grad_logits: gradOutputs,
    grad_newvalue: gradValues,
  };
};

/** sb3_ppo_loss.json: the value loss has no factor 1/2, so its coefficient here is twice as high. */
export const sb3PpoLoss: GoldenAdapter = async ({ inputs }, bench) => {
  const { means, gradOutputs, gradValues } = await minibatch(bench, inputs, {
    value_clip: numberOr(inputs.clip_range_vf, 0),
    clip_values: inputs.clip_range_vf === null ? 0 : 2,
    value_coefficient: 2 * scalar(inputs.vf_coef),
  });
  const valueLoss = 2 * means.value_loss;
  return {
    pg_loss: [means.policy_loss],
    v_loss: [valueLoss],
    entropy_loss: [-means.entropy],
    loss: [means.policy_loss - scalar(inputs.ent_coef) * means.entropy + scalar(inputs.vf_coef) * valueLoss],
    approx_kl: [means.approx_kl],
    clipfrac: [means.clipped],
    grad_logits: gradOutputs,
    grad_newvalue: gradValues,
  };
};

/** Runs the inputs as a batch of one minibatch in rollout order. */
async function minibatch(
  bench: Bench,
  inputs: GoldenRecord,
  valueTerm: { value_clip: number; clip_values: number; value_coefficient: number },
) {
  const [rows, count] = shapeOf(inputs.logits) as [number, number];
  const outputs = bench.buffer(floats(inputs.logits));
  const actions = bench.buffer(floats(inputs.actions));
  const masks = bench.zeros(rows, 'u32');
  const indices = bench.buffer(Uint32Array.from({ length: rows }, (_, i) => i));

  const shape = { batch: rows, minibatch: rows, epochs: 1 };
  const advantages = bench.buffer(floats(inputs.advantages));
  const weights = bench.buffer(new Float32Array(rows).fill(1));
  const [partials, moments] = [bench.zeros(minibatchPartialsSize(1)), bench.zeros(2)];
  bench.run(minibatchPartials, { advantages, weights, indices, partials }, shape);
  bench.run(minibatchMoments, { partials, moments }, { count: 1, enabled: Number(inputs.norm_adv) });
  const samples = bench.zeros(rows * SAMPLE_SIZE);
  const [returns, values, log_probs] = [inputs.returns, inputs.old_values, inputs.old_logprob].map((x) =>
    bench.buffer(floats(x)),
  );
  bench.run(gatherSamples, { advantages, weights, returns, values, log_probs, indices, moments, samples }, shape);

  const gradient = bench.zeros(gradientSize('categorical', rows, count));
  const statistics = bench.zeros(statisticsSize(rows));
  bench.run(
    policyLoss({ distribution: 'categorical', objective: 'ppo' }),
    { outputs, values: bench.buffer(floats(inputs.newvalue)), indices, samples, actions, masks, gradient, statistics },
    {
      rows,
      first: 0,
      actions: count,
      clip: scalar(inputs.clip_coef),
      ...valueTerm,
      entropy_coefficient: scalar(inputs.ent_coef),
      masked: 0,
    },
  );
  const statistics_out = bench.zeros(STATISTICS_SIZE);
  bench.run(
    lossStatistics,
    { statistics, statistics_out },
    { partials: statisticsSize(rows) / STATISTICS_SIZE, rows, row: 0 },
  );
  const evaluated = { log_probs: bench.zeros(rows), entropies: bench.zeros(rows) };
  bench.run(
    categoricalEvaluate,
    { logits: outputs, masks, actions, ...evaluated },
    { rows, actions: count, masked: 0 },
  );

  const means = await bench.read(statistics_out);
  const gradients = await bench.read(gradient);
  return {
    means: Object.fromEntries(LOSS_STATISTICS.map((name, i) => [name, means[i]])) as Record<LossStatistic, number>,
    gradOutputs: gradients.slice(0, rows * count),
    gradValues: gradients.slice(rows * count),
    logProbs: (await bench.read(evaluated.log_probs)) as Float32Array,
    entropies: await bench.read(evaluated.entropies),
  };
}
