/** IPO: a margin to be met, not exceeded. */
import type { PreferenceLossStage } from '../token_stage';
import { BETA, PREFERENCE_KERNELS, runPreference } from './shared';

const parameters = {
  ...BETA,
  length_normalized: {
    kind: 'flag',
    label: 'Mean over tokens',
    help: 'Compares means over tokens instead of sums, so that length alone makes no difference (TRL; the paper takes sums).',
    default: true,
    live: true,
  },
} as const;

export const ipo: PreferenceLossStage<typeof parameters> = {
  id: 'ipo',
  title: 'IPO',
  summary:
    'Pushes the difference of the two towards a fixed margin, so that sure pairs do not drive the policy on and on.',
  formula: 'L = (x − 1 / (2 β))²,  x = log π(w)/π_ref(w) − log π(l)/π_ref(l)',
  source: 'Azar et al. 2023, arXiv:2310.12036; TRL DPOTrainer',
  parameters,
  kernels: PREFERENCE_KERNELS,
  apply: (context, { beta, length_normalized }) => runPreference(context, 'ipo', { beta, mean: length_normalized }),
};
