/**
 * Published algorithms as named points in the space of stages: each names its choices and the
 * parameters in which it differs from their defaults.
 */
import type { Choice, Slot } from './scenario';

export interface Preset {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly source: string;
  readonly slots: Readonly<Partial<Record<Slot, Choice>>>;
}

export const PRESETS: Readonly<Record<string, Preset>> = {
  reinforce: {
    id: 'reinforce',
    title: 'REINFORCE',
    summary: 'The whole return of an episode weighs each of its actions; no critic.',
    source: 'Williams 1992, Machine Learning 8',
    slots: {
      advantage: { id: 'monte-carlo', parameters: { baseline: false, tail: 'leave-out' } },
      loss: { id: 'policy-gradient', parameters: { value_coefficient: 0, entropy_coefficient: 0 } },
      optimizer: { id: 'adam', parameters: { learning_rate: 2.5e-3, anneal: false } },
    },
  },
  'reinforce-baseline': {
    id: 'reinforce-baseline',
    title: 'REINFORCE with baseline',
    summary: 'As REINFORCE, minus what the critic expected: the same gradient on average, with less noise.',
    source: 'Williams 1992; Sutton and Barto 2018, §13.4',
    slots: {
      advantage: { id: 'monte-carlo', parameters: { baseline: true, tail: 'leave-out' } },
      loss: { id: 'policy-gradient', parameters: { entropy_coefficient: 0 } },
      optimizer: { id: 'adam', parameters: { learning_rate: 2.5e-3, anneal: false } },
    },
  },
  a2c: {
    id: 'a2c',
    title: 'A2C',
    summary: 'Short rollouts of many copies, n-step returns from the critic, one gradient step each.',
    source: 'Mnih et al. 2016, arXiv:1602.01783; Stable-Baselines3 A2C',
    slots: {
      rollout: { id: 'synchronous', parameters: { copies: 16, steps: 5 } },
      advantage: { id: 'gae', parameters: { lambda: 1 } },
      // Stable-Baselines3 has 0.5 before the squared error without its ½; ours has the ½.
      loss: {
        id: 'policy-gradient',
        parameters: { normalize_advantage: false, value_coefficient: 1, entropy_coefficient: 0 },
      },
      optimizer: { id: 'rmsprop', parameters: { learning_rate: 7e-4, anneal: false } },
    },
  },
  ppo: {
    id: 'ppo',
    title: 'PPO',
    summary: 'Several epochs on each rollout, kept near the old policy by clipping.',
    source: 'Schulman et al. 2017, arXiv:1707.06347; CleanRL ppo.py (classic control)',
    slots: {
      rollout: { id: 'synchronous', parameters: { copies: 4, steps: 128 } },
      advantage: { id: 'gae', parameters: {} },
      loss: { id: 'ppo-clip', parameters: {} },
      optimizer: { id: 'adam', parameters: {} },
    },
  },
  'ppo-continuous': {
    id: 'ppo-continuous',
    title: 'PPO, continuous',
    summary:
      'PPO as CleanRL sets it for continuous actions: one copy, long rollouts, normalised observations and rewards.',
    source: 'CleanRL ppo_continuous_action.py',
    slots: {
      rollout: { id: 'synchronous', parameters: { copies: 1, steps: 2048, normalize_observations: true } },
      reward: { id: 'weighted', parameters: { normalize: true } },
      advantage: { id: 'gae', parameters: {} },
      loss: { id: 'ppo-clip', parameters: { epochs: 10, minibatches: 32, entropy_coefficient: 0 } },
      optimizer: { id: 'adam', parameters: { learning_rate: 3e-4 } },
    },
  },
};
