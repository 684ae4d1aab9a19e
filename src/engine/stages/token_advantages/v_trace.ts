/** V-trace: a critic's targets and advantages from episodes that an older policy sampled. */
import { vTrace as kernel } from '../../../../kernels/advantage/v_trace';
import type { Kernel } from '../../../../kernels/kernel';
import type { TokenAdvantageStage } from '../token_stage';
import { GAMMA, shapeOf } from './shared';

const parameters = {
  gamma: GAMMA,
  rhoBar: {
    kind: 'number',
    label: 'ρ̄',
    help: 'Cap of the weight of each token: lower trusts what an older policy wrote less, and biases towards it.',
    default: 1,
    min: 0,
    max: 10,
    step: 0.1,
    live: true,
  },
  cBar: {
    kind: 'number',
    label: 'c̄',
    help: 'Cap of how far later errors reach back: lower is slower and steadier.',
    default: 1,
    min: 0,
    max: 10,
    step: 0.1,
    live: true,
  },
} as const;

export const vTrace: TokenAdvantageStage<typeof parameters> = {
  id: 'v-trace',
  title: 'V-trace',
  summary: 'Corrects values and advantages for how much less likely the policy is now to write the same tokens.',
  formula: 'vₜ = V(sₜ) + Σₗ γˡ (Π c) ρ δ,  Aₜ = ρₜ (rₜ + γ vₜ₊₁ − V(sₜ)),  ρ = min(ρ̄, π/μ),  c = min(c̄, π/μ)',
  source: 'Espeholt et al. 2018 (IMPALA), arXiv:1802.01561',
  parameters,
  kernels: [kernel as unknown as Kernel],
  needs: () => ['critic'],
  apply({ executor, rollout }, { gamma, rhoBar, cBar }) {
    const { rewards, values, mask, behaviourLogProbs, proximalLogProbs, finalValues, advantages, returns } = rollout;
    executor.run(
      kernel,
      {
        rewards,
        values,
        mask,
        behaviour: behaviourLogProbs,
        proximal: proximalLogProbs,
        final_values: finalValues,
        advantages,
        returns,
      },
      { ...shapeOf(rollout), gamma, rho_max: rhoBar, c_max: cBar, policy_rho_max: rhoBar },
    );
  },
};
