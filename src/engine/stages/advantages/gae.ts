/** Generalised advantage estimation. */
import { gae as kernel } from '../../../../kernels/advantage/gae';
import type { Kernel } from '../../../../kernels/kernel';
import type { AdvantageStage } from '../stage';

const parameters = {
  gamma: {
    kind: 'number',
    label: 'γ',
    help: 'Discount of later rewards: 1 counts them in full, 0.9 forgets after about ten steps.',
    default: 0.99,
    min: 0,
    max: 1,
    step: 0.01,
    live: true,
  },
  lambda: {
    kind: 'number',
    label: 'λ',
    help: '0 trusts the critic after one step (low variance), 1 trusts only rewards (no bias).',
    default: 0.95,
    min: 0,
    max: 1,
    step: 0.01,
    live: true,
  },
} as const;

export const gae: AdvantageStage<typeof parameters> = {
  id: 'gae',
  title: 'GAE',
  summary: 'Advantage as a λ-weighted sum of temporal-difference errors of the critic.',
  formula: 'Aₜ = Σₗ (γλ)ˡ δₜ₊ₗ,  δₜ = rₜ + γ V(sₜ₊₁) − V(sₜ)',
  source: 'Schulman et al. 2016, arXiv:1506.02438; truncation as in Stable-Baselines3',
  parameters,
  kernels: [kernel as unknown as Kernel],
  needsCritic: () => true,
  apply({ executor, rollout }, { gamma, lambda }) {
    const { rewards, values, finalValues, terminated, truncated, advantages, returns, steps, copies } = rollout;
    executor.run(
      kernel,
      { rewards, values, final_values: finalValues, terminated, truncated, advantages, returns },
      { steps, copies, gamma, lambda },
    );
  },
};
