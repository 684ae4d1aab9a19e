/** PPO’s clipped surrogate, with CleanRL’s hyper-parameters and defaults. */
import { grouped } from '../../parameters';
import type { LossStage } from '../stage';
import { ENTROPY_COEFFICIENT, lossKernels, NORMALIZE_ADVANTAGE, runLoss, VALUE_COEFFICIENT } from './shared';

const parameters = {
  clip: {
    kind: 'number',
    label: 'Clip ε',
    help: 'How far the new policy’s probability of an action may move from the old before its gradient stops.',
    default: 0.2,
    min: 0,
    max: 10,
    step: 0.05,
    live: true,
  },
  normalize_advantage: NORMALIZE_ADVANTAGE,
  entropy_coefficient: ENTROPY_COEFFICIENT,
  ...grouped('Critic', {
    value_coefficient: VALUE_COEFFICIENT,
    clip_values: {
      kind: 'flag',
      label: 'Clip the value loss',
      help: 'Keep the new value within ± ε of the old one in the value loss.',
      default: true,
      live: true,
    },
  }),
  ...grouped('Steps', {
    epochs: {
      kind: 'number',
      label: 'Epochs',
      help: 'Passes over each rollout; more squeeze out more, until the policy leaves the data behind.',
      default: 4,
      min: 1,
      max: 100,
      integer: true,
      live: true,
    },
    minibatches: {
      kind: 'number',
      label: 'Minibatches',
      help: 'Parts of the rollout, each with its own step of the optimiser.',
      default: 4,
      min: 1,
      max: 1024,
      integer: true,
    },
    target_kl: {
      kind: 'number',
      label: 'Target KL',
      help: 'Stop the epochs of an update once the policy has moved this far; 0 never stops.',
      default: 0,
      min: 0,
      max: 10,
      step: 0.005,
      live: true,
    },
  }),
} as const;

const kernel = lossKernels('ppo');

export const ppoClip: LossStage<typeof parameters> = {
  id: 'ppo-clip',
  title: 'PPO clip',
  summary: 'Raises the probability of better-than-expected actions, but not further than ε in one update.',
  formula: 'L = E[max(−A ρ, −A clip(ρ, 1 ± ε))] + c_v · ½ (V − R)² − c_e · H,  ρ = π / π_old',
  source: 'Schulman et al. 2017, arXiv:1707.06347; CleanRL ppo.py',
  parameters,
  kernel,
  plan: ({ epochs, minibatches, target_kl, normalize_advantage }) => ({
    epochs,
    minibatches,
    targetKl: target_kl,
    normalizeAdvantage: normalize_advantage,
  }),
  valueCoefficient: ({ value_coefficient }) => value_coefficient,
  apply(context, policy, minibatch, { clip, clip_values, value_coefficient, entropy_coefficient }) {
    runLoss(kernel(policy.distribution), context, policy, minibatch, {
      clip,
      value_clip: clip,
      clip_values: Number(clip_values),
      value_coefficient,
      entropy_coefficient,
    });
  },
};
