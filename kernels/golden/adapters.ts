/**
 * Which kernels answer for which file of golden vectors, by the file's `name`. Files of functions that
 * have no kernel are not in the table. A new family adds its line here and its adapters (`golden.ts`)
 * beside its kernels.
 */
import { cleanrlGae, explainedVarianceOfPair, sb3Gae } from '../advantage/golden';
import {
  arealGae,
  bilevelGae,
  dualDiscountGae,
  gigpo,
  lengthAdaptiveGae,
  maskedWhitenOfOne,
  trlGrpoAdvantages,
  verlGae,
  verlGrpo,
  verlMaskedStats,
  verlOutcomeAdvantages,
  vTraceGolden,
} from '../advantage/token_golden';
import { ENVIRONMENT_GOLDEN } from '../environment/golden';
import { torchAttention } from '../layer/attention_golden';
import { torchEmbedding } from '../layer/embedding_golden';
import { torchActivations } from '../layer/golden';
import { torchGru } from '../layer/gru_golden';
import type { LinearForm } from '../layer/linear';
import { torchLinear } from '../layer/linear_golden';
import { torchNorms } from '../layer/norm_golden';
import { cleanrlPpoLoss, sb3PpoLoss } from '../loss/golden';
import {
  mtGrpo,
  searchR1MaskedLoss,
  trlDpo,
  trlGrpoLoss,
  verlAggLoss,
  verlKlPenalty,
  verlPolicyLoss,
  verlPolicyLossVariants,
  verlValueLoss,
} from '../loss/token_golden';
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
  trl_grpo_loss: trlGrpoLoss,
  'verl agg_loss': verlAggLoss,
  'verl masked_whiten': maskedWhitenOfOne,
};

const VERL_ENTROPY_VALUE: Readonly<Record<string, GoldenAdapter>> = {
  compute_entropy_loss: verlEntropyLoss,
  compute_value_loss: verlValueLoss,
  logprobs_from_logits: verlLabelLogProbs,
};

/** Linear layers in both of their forms. */
const torchLinearEmbedding = (form: LinearForm) => byFunction({ linear: torchLinear(form), embedding: torchEmbedding });

/** Files whose cases name their function: one adapter each. */
function byFunction(adapters: Readonly<Record<string, GoldenAdapter>>): GoldenAdapter {
  return async (testCase, bench, file) => adapters[testCase.function ?? '']?.(testCase, bench, file);
}

export const GOLDEN_CHECKS: ReadonlyMap<string, GoldenCheck> = new Map([
  ...ENVIRONMENT_GOLDEN,
  ['areal_gae', everyCase(arealGae)],
  ['bilevel_gae', everyCase(bilevelGae)],
  ['cleanrl_gae', everyCase(cleanrlGae)],
  ['cleanrl_ppo_loss', everyCase(cleanrlPpoLoss)],
  ['dual_discount_gae', everyCase(dualDiscountGae)],
  ['explained_variance', everyCase(explainedVarianceOfPair)],
  ['gaussian_policy', everyCase(gaussianPolicy)],
  ['gigpo', everyCase(gigpo)],
  ['length_adaptive_decoupled_gae', everyCase(lengthAdaptiveGae)],
  ['nonfinite_reference', everyCase(byFunction(NONFINITE))],
  ['sb3_gae', everyCase(sb3Gae)],
  ['sb3_ppo_loss', everyCase(sb3PpoLoss)],
  ['search_r1_masked_loss', everyCase(searchR1MaskedLoss)],
  ['torch_activations', everyCase(torchActivations)],
  ['torch_attention', everyCase(torchAttention('plain'), torchAttention({ rows: 2, quads: false, workgroup: 4 }))],
  ['torch_distributions', everyCase(torchDistributions)],
  ['torch_grad_clip', everyCase(torchGradClip)],
  ['torch_gru', everyCase(torchGru)],
  ['trl_grpo_advantages', everyCase(trlGrpoAdvantages)],
  ['trl_dpo', everyCase(trlDpo)],
  ['trl_grpo_loss', everyCase(trlGrpoLoss)],
  ['turn_level_mt_grpo', everyCase(mtGrpo)],
  ['verl_agg_loss', everyCase(verlAggLoss)],
  ['verl_gae', everyCase(verlGae)],
  ['verl_grpo', everyCase(verlGrpo)],
  ['verl_kl_penalty', everyCase(verlKlPenalty)],
  ['verl_masked_stats', everyCase(verlMaskedStats)],
  ['verl_outcome_advantages', everyCase(verlOutcomeAdvantages)],
  ['verl_policy_loss', everyCase(verlPolicyLoss)],
  ['verl_policy_loss_variants', everyCase(verlPolicyLossVariants)],
  ['vtrace', everyCase(vTraceGolden)],
  [
    'torch_linear_embedding',
    everyCase(torchLinearEmbedding('plain'), torchLinearEmbedding({ rows: 4, quads: false, workgroup: 16 })),
  ],
  ['torch_norms', everyCase(torchNorms('plain'), torchNorms({ rows: 4, quads: false, workgroup: 4 }))],
  ['torch_optim', everyCase(torchOptim)],
  ['torch_softmax_ce', everyCase(torchSoftmaxCe)],
  ['verl_entropy_value', everyCase(byFunction(VERL_ENTROPY_VALUE))],
]);
