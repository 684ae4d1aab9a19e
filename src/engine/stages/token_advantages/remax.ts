/** ReMax: returns over the reward of a greedy episode of the same task. */
import type { TokenAdvantageStage } from '../token_stage';
import { GAMMA, RETURNS_KERNELS, runReturns } from './shared';

const parameters = { gamma: GAMMA } as const;

export const remax: TokenAdvantageStage<typeof parameters> = {
  id: 'remax',
  title: 'ReMax',
  summary:
    'Advantage as the return minus what the policy earns on the same task when it always takes its likeliest token.',
  formula: 'Aₜ = Σₗ γˡ rₜ₊ₗ − R(greedy)',
  source: 'Li et al. 2024, arXiv:2310.10505; as in verl',
  parameters,
  kernels: RETURNS_KERNELS,
  needs: () => ['greedy-baseline'],
  apply(context, { gamma }) {
    runReturns(context, { gamma, baseline: 'sequence' });
  },
};
