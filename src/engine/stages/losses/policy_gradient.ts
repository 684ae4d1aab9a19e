/** The plain policy gradient of REINFORCE and A2C. */
import type { LossStage } from '../stage';
import { ENTROPY_COEFFICIENT, lossKernels, NORMALIZE_ADVANTAGE, runLoss, VALUE_COEFFICIENT } from './shared';

const parameters = {
  minibatches: {
    kind: 'number',
    label: 'Minibatches',
    help: 'Parts of the rollout; the gradient is exact only for the first, so 1 is the textbook’s choice.',
    default: 1,
    min: 1,
    max: 1024,
    integer: true,
  },
  normalize_advantage: NORMALIZE_ADVANTAGE,
  value_coefficient: VALUE_COEFFICIENT,
  entropy_coefficient: ENTROPY_COEFFICIENT,
} as const;

const kernel = lossKernels('policy_gradient');

export const policyGradient: LossStage<typeof parameters> = {
  id: 'policy-gradient',
  title: 'Policy gradient',
  summary: 'Raises the log-probability of each action in proportion to its advantage; one pass over the data.',
  formula: 'L = E[−A log π] + c_v · ½ (V − R)² − c_e · H',
  source: 'Williams 1992; Mnih et al. 2016, arXiv:1602.01783',
  parameters,
  kernel,
  plan: ({ minibatches, normalize_advantage }) => ({
    epochs: 1,
    minibatches,
    targetKl: 0,
    normalizeAdvantage: normalize_advantage,
  }),
  valueCoefficient: ({ value_coefficient }) => value_coefficient,
  apply(context, policy, minibatch, { value_coefficient, entropy_coefficient }) {
    runLoss(kernel(policy.distribution), context, policy, minibatch, {
      clip: 0,
      value_clip: 0,
      clip_values: 0,
      value_coefficient,
      entropy_coefficient,
    });
  },
};
