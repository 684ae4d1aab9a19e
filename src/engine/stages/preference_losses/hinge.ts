/** The hinge loss of SLiC. */
import type { PreferenceLossStage } from '../token_stage';
import { BETA, PREFERENCE_KERNELS, runPreference } from './shared';

const parameters = { ...BETA } as const;

export const hinge: PreferenceLossStage<typeof parameters> = {
  id: 'hinge',
  title: 'Hinge',
  summary: 'Pushes at full strength until the margin is met, then not at all.',
  formula: 'L = max(0, 1 − β [log π(w)/π_ref(w) − log π(l)/π_ref(l)])',
  source: 'Zhao et al. 2023 (SLiC-HF), arXiv:2305.10425; Liu et al. 2023 (RSO), arXiv:2309.06657; TRL DPOTrainer',
  parameters,
  kernels: PREFERENCE_KERNELS,
  apply: (context, p) => runPreference(context, 'hinge', p),
};
