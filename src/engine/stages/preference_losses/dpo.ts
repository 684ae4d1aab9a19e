/** DPO, plain or for labels that are sometimes wrong. */
import type { PreferenceLossStage } from '../token_stage';
import { BETA, PREFERENCE_KERNELS, runPreference } from './shared';

const parameters = {
  ...BETA,
  label_smoothing: {
    kind: 'number',
    label: 'Label smoothing',
    help: 'Share of pairs that are believed to be the wrong way round.',
    default: 0,
    min: 0,
    max: 0.49,
    step: 0.05,
    live: true,
  },
  robust: {
    kind: 'flag',
    label: 'Robust',
    help: 'With label smoothing: an unbiased estimate of the loss on right labels (robust DPO), instead of the conservative mixture of both.',
    default: false,
    live: true,
  },
} as const;

export const dpo: PreferenceLossStage<typeof parameters> = {
  id: 'dpo',
  title: 'DPO',
  summary: 'The preferred episode becomes likelier than the other, by as much as the reference leaves room for.',
  formula: 'L = −(1 − ε) log σ(z) − ε log σ(−z),  z = β [log π(w)/π_ref(w) − log π(l)/π_ref(l)]',
  source: 'Rafailov et al. 2023, arXiv:2305.18290; robust: Chowdhury et al. 2024, arXiv:2403.00409; TRL DPOTrainer',
  parameters,
  kernels: PREFERENCE_KERNELS,
  apply: (context, p) => runPreference(context, 'logistic', p),
};
