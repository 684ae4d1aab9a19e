/** PPO’s clipped surrogate over tokens, with the changes that GRPO, DAPO and AReaL made to it. */
import { COMMON, surrogateStage } from './shared';

const parameters = {
  clip_low: {
    kind: 'number',
    label: 'Clip ε low',
    help: 'How far the probability of a token may fall, as a share of the old, before its gradient stops.',
    default: 0.2,
    min: 0,
    max: 1,
    step: 0.05,
    live: true,
  },
  clip_high: {
    kind: 'number',
    label: 'Clip ε high',
    help: 'How far it may rise. Wider than low leaves room for rare tokens and keeps entropy up (DAPO: 0.28).',
    default: 0.2,
    min: 0,
    max: 100,
    step: 0.05,
    live: true,
  },
  dual_clip: {
    kind: 'number',
    label: 'Dual clip c',
    help: 'Stops the gradient of a bad token whose ratio has grown beyond c, above 1 + ε high; 0 does not.',
    default: 0,
    min: 0,
    max: 100,
    step: 0.5,
    live: true,
  },
  ...COMMON,
} as const;

export const tokenPpo = surrogateStage({
  id: 'token-ppo',
  title: 'PPO clip over tokens',
  summary: 'Raises the probability of tokens of better episodes, but none further than ε in one update.',
  formula: 'L = Σ w · max(−A r, −A clip(r, 1 − ε_low, 1 + ε_high)), at most −A c where A < 0;  r = π / π_old',
  source:
    'Schulman et al. 2017, arXiv:1707.06347; dual clip: Ye et al. 2020, arXiv:1912.09729; clip-higher: DAPO, arXiv:2503.14476; decoupled: AReaL, arXiv:2505.24298; verl compute_policy_loss_vanilla',
  parameters,
  surrogate: 'clip',
  uniforms: ({ clip_low, clip_high, dual_clip }) => ({ clip_low, clip_high, dual_clip }),
});
