/** CISPO: the policy gradient weighted with clipped ratios. */
import { COMMON, surrogateStage } from './shared';

const parameters = {
  ratio_low: {
    kind: 'number',
    label: 'Lowest weight',
    help: 'Ratios below weigh so much; 0 leaves them as they are.',
    default: 0,
    min: 0,
    max: 1,
    step: 0.05,
    live: true,
  },
  ratio_high: {
    kind: 'number',
    label: 'Highest weight',
    help: 'Ratios above weigh so much: the tokens keep their gradient, but do not count for more.',
    default: 1.28,
    min: 1,
    max: 100,
    step: 0.05,
    live: true,
  },
  ...COMMON,
} as const;

export const cispo = surrogateStage({
  id: 'cispo',
  title: 'CISPO',
  summary: 'Clips the weight of a token instead of its update, so that no token ever loses its gradient.',
  formula: 'L = Σ w · −sg(clip(π / π_old, lowest, highest)) A log π',
  source: 'Chen et al. 2025 (MiniMax-M1), arXiv:2506.13585; verl compute_policy_loss_cispo',
  parameters,
  surrogate: 'cispo',
  uniforms: ({ ratio_low, ratio_high }) => ({ ratio_low, ratio_high }),
});
