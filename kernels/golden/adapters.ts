/**
 * Which kernels answer for which file of golden vectors, by the file's `name`. Files of functions that
 * have no kernel are not in the table. A new family adds its line here and its adapters (`golden.ts`)
 * beside its kernels.
 */
import { cleanrlGae, explainedVarianceOfPair, sb3Gae } from '../advantage/golden';
import { ENVIRONMENT_GOLDEN } from '../environment/golden';
import { torchActivations } from '../layer/golden';
import { torchLinear } from '../layer/linear_golden';
import { cleanrlPpoLoss, sb3PpoLoss } from '../loss/golden';
import { nonfiniteGradient, torchGradClip, torchOptim } from '../optimizer/golden';
import { gaussianPolicy, torchDistributions, torchEntropy } from '../sampling/golden';
import { torchSoftmaxCe, verlEntropyLoss, verlLabelLogProbs } from '../sampling/token_golden';
import { everyCase, type GoldenAdapter, type GoldenCheck } from './adapter';

/** nonfinite_reference holds cases of many families; each names its function. */
const NONFINITE: Readonly<Record<string, GoldenAdapter>> = {
  'Categorical.entropy': torchEntropy,
  cleanrl_ppo_loss: cleanrlPpoLoss,
  clip_grad_norm_: nonfiniteGradient,
  explained_variance: explainedVarianceOfPair,
};

const VERL_ENTROPY_VALUE: Readonly<Record<string, GoldenAdapter>> = {
  compute_entropy_loss: verlEntropyLoss,
  logprobs_from_logits: verlLabelLogProbs,
};

/** Files whose cases name their function: one adapter each. */
function byFunction(adapters: Readonly<Record<string, GoldenAdapter>>): GoldenAdapter {
  return async (testCase, bench, file) => adapters[testCase.function ?? '']?.(testCase, bench, file);
}

export const GOLDEN_CHECKS: ReadonlyMap<string, GoldenCheck> = new Map([
  ...ENVIRONMENT_GOLDEN,
  ['cleanrl_gae', everyCase(cleanrlGae)],
  ['cleanrl_ppo_loss', everyCase(cleanrlPpoLoss)],
  ['explained_variance', everyCase(explainedVarianceOfPair)],
  ['gaussian_policy', everyCase(gaussianPolicy)],
  ['nonfinite_reference', everyCase(byFunction(NONFINITE))],
  ['sb3_gae', everyCase(sb3Gae)],
  ['sb3_ppo_loss', everyCase(sb3PpoLoss)],
  ['torch_activations', everyCase(torchActivations)],
  ['torch_distributions', everyCase(torchDistributions)],
  ['torch_grad_clip', everyCase(torchGradClip)],
  ['torch_linear_embedding', everyCase(torchLinear('plain'), torchLinear({ rows: 4, quads: false, workgroup: 16 }))],
  ['torch_optim', everyCase(torchOptim)],
  ['torch_softmax_ce', everyCase(torchSoftmaxCe)],
  ['verl_entropy_value', everyCase(byFunction(VERL_ENTROPY_VALUE))],
]);
