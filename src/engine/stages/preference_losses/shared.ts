/** What the losses over pairs have in common: their settings and the kernel. */
import type { Kernel } from '../../../../kernels/kernel';
import { labelWeights, PREFERENCE_KIND, preferenceLoss } from '../../../../kernels/loss/preference_loss';
import type { Schema } from '../../parameters';
import type { PreferenceLossContext } from '../token_stage';

export const BETA = {
  beta: {
    kind: 'number',
    label: 'β',
    help: 'How firmly the reference policy is held on to; small lets the policy move far.',
    default: 0.1,
    min: 1e-4,
    max: 100,
    logarithmic: true,
    step: 2,
    live: true,
  },
} as const satisfies Schema;

export const PREFERENCE_KERNELS = [preferenceLoss as unknown as Kernel];

export function runPreference(
  { executor, pairs, length, mask, logProbs, referenceLogProbs, logProbGradient, statistics }: PreferenceLossContext,
  kind: keyof typeof PREFERENCE_KIND,
  settings: {
    readonly beta: number;
    readonly label_smoothing?: number;
    readonly robust?: boolean;
    readonly mean?: boolean;
  },
): void {
  const { beta, label_smoothing = 0, robust = false, mean = false } = settings;
  executor.run(
    preferenceLoss,
    {
      mask,
      log_probs: logProbs,
      reference_log_probs: referenceLogProbs,
      log_prob_gradient: logProbGradient,
      statistics,
    },
    { pairs, length, kind: PREFERENCE_KIND[kind], mean: Number(mean), beta, ...labelWeights(label_smoothing, robust) },
  );
}
