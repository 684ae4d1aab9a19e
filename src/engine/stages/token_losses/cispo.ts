/** CISPO: the policy gradient weighted with clipped ratios. */
import { tokenSurrogate } from '../../../../kernels/loss/token_surrogate';
import type { TokenLossStage } from '../token_stage';
import { COMMON, planOf, runSurrogate, runTerms, TERM_KERNELS, weighAsChosen } from './shared';

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

const ID = 'cispo';
const kernel = tokenSurrogate('cispo');

export const cispo: TokenLossStage<typeof parameters> = {
  id: ID,
  title: 'CISPO',
  summary: 'Clips the weight of a token instead of its update, so that no token ever loses its gradient.',
  formula: 'L = Σ w · −sg(clip(π / π_old, lowest, highest)) A log π',
  source: 'Chen et al. 2025 (MiniMax-M1), arXiv:2506.13585; verl compute_policy_loss_cispo',
  parameters,
  kernels: [kernel, ...TERM_KERNELS],
  needs: () => [],
  plan: planOf,
  apply(context, p) {
    const weights = weighAsChosen(context, ID, p);
    const { ratio_low, ratio_high } = p;
    runSurrogate(context, ID, kernel, weights, { ratio_low, ratio_high }, p);
    runTerms(context, weights, p);
  },
};
