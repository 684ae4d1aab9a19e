/**
 * Published algorithms as named points in the space of stages: each names its choices and the
 * parameters in which it differs from their defaults.
 */
import type { AnyParameters } from './parameters';
import type { Choice, Slot } from './scenario';

export interface Preset {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly source: string;
  /** The kind of world that it trains in. */
  readonly world: 'control' | 'text';
  readonly slots: Readonly<Partial<Record<Slot, Choice>>>;
}

/** Small policies over tokens learn at a hundred times the rate of the papers' large ones. */
const ADAM: Choice = { id: 'adam', parameters: { learning_rate: 1e-3, anneal: false, max_grad_norm: 1 } };
const TOGETHER: Choice = { id: 'turns', parameters: {} };
const UNFILTERED: Choice = { id: 'none', parameters: {} };

/** A preset of a text world: what it leaves out is sampled together, unfiltered, and stepped by Adam. */
function textPreset(
  id: string,
  title: string,
  summary: string,
  source: string,
  slots: Readonly<Partial<Record<Slot, Choice>>>,
): Readonly<Record<string, Preset>> {
  const usual = { rollout: TOGETHER, filter: UNFILTERED, optimizer: ADAM };
  return { [id]: { id, title, summary, source, world: 'text', slots: { ...usual, ...slots } } };
}

const choice = (id: string, parameters: AnyParameters = {}): Choice => ({ id, parameters });

/** Groups, clipping and averages of GRPO as verl and TRL have them; β of DeepSeekMath. */
const GRPO_LOSS = { aggregation: 'seq-mean-token-mean', kl_coefficient: 0.04 } as const;
const DAPO_LOSS = { clip_high: 0.28, dual_clip: 10, aggregation: 'token-mean' } as const;
const CRITIC_LOSS = { epochs: 4, minibatches: 4, value_coefficient: 0.5, value_clip: 0.2, dual_clip: 3 } as const;

const TEXT_PRESETS: Readonly<Record<string, Preset>> = {
  ...textPreset(
    'token-reinforce',
    'REINFORCE',
    'The return of an episode, less the mean of the batch, weighs each of its tokens.',
    'Williams 1992, Machine Learning 8',
    { advantage: choice('return-to-go'), loss: choice('token-policy-gradient') },
  ),
  ...textPreset(
    'token-a2c',
    'A2C',
    'The return less what a critic expected of each token; one gradient step an update.',
    'Mnih et al. 2016, arXiv:1602.01783',
    {
      advantage: choice('return-to-go', { baseline: 'critic' }),
      loss: choice('token-policy-gradient', { value_coefficient: 0.5, entropy_coefficient: 0.01 }),
    },
  ),
  ...textPreset(
    'token-ppo',
    'PPO',
    'A critic by token, GAE that jumps over observations, several clipped epochs.',
    'Schulman et al. 2017, arXiv:1707.06347; γ = λ = 1 as in verl’s recipes',
    { advantage: choice('token-gae', { lambda: 1 }), loss: choice('token-ppo', CRITIC_LOSS) },
  ),
  ...textPreset(
    'grpo',
    'GRPO',
    'No critic: an episode is compared with the others of its task, in units of their deviation.',
    'Shao et al. 2024 (DeepSeekMath), arXiv:2402.03300',
    { advantage: choice('group-relative'), loss: choice('token-ppo', GRPO_LOSS) },
  ),
  ...textPreset(
    'dr-grpo',
    'Dr. GRPO',
    'GRPO without the two divisions that favour easy and hard tasks, and short right or long wrong answers.',
    'Liu et al. 2025, arXiv:2503.20783',
    {
      advantage: choice('group-relative', { scale: 'none' }),
      loss: choice('token-ppo', { aggregation: 'seq-mean-token-sum-norm' }),
    },
  ),
  ...textPreset(
    'dapo',
    'DAPO',
    'GRPO with a wider upper clip, groups without signal replaced, every token weighing the same, and a soft length penalty.',
    'Yu et al. 2025, arXiv:2503.14476',
    {
      reward: choice('signals', { scale: 2, offset: -1, length_penalty: 'soft' }),
      filter: choice('filters', { dynamic_sampling: true, max_rounds: 10 }),
      advantage: choice('group-relative'),
      loss: choice('token-ppo', DAPO_LOSS),
    },
  ),
  ...textPreset(
    'rloo',
    'RLOO',
    'REINFORCE whose baseline is the mean of the other episodes of the task.',
    'Ahmadian et al. 2024, arXiv:2402.14740',
    { advantage: choice('leave-one-out'), loss: choice('token-policy-gradient') },
  ),
  ...textPreset(
    'reinforce-plus-plus',
    'REINFORCE++',
    'Returns whitened over the whole batch, with PPO’s clip and the KL penalty in the reward.',
    'Hu et al. 2025, arXiv:2501.03262',
    {
      advantage: choice('reinforce-plus-plus'),
      loss: choice('token-ppo', { kl_coefficient: 0.01, kl_estimator: 'k1', kl_place: 'reward' }),
    },
  ),
  ...textPreset(
    'gspo',
    'GSPO',
    'GRPO whose ratio and clip are those of the whole episode instead of each token.',
    'Zheng et al. 2025, arXiv:2507.18071',
    { advantage: choice('group-relative'), loss: choice('gspo') },
  ),
  ...textPreset(
    'dpo',
    'DPO',
    'Learns from pairs of episodes in a phase of its own (Prefer); for phases that reinforce it is GRPO.',
    'Rafailov et al. 2023, arXiv:2305.18290',
    { advantage: choice('group-relative'), loss: choice('token-ppo', GRPO_LOSS) },
  ),
  ...textPreset(
    'gigpo',
    'GiGPO',
    'Two comparisons: whole episodes of a task, and all turns in them that saw the same.',
    'Feng et al. 2025, arXiv:2505.10978',
    { advantage: choice('gigpo'), loss: choice('token-ppo', { ...GRPO_LOSS, kl_coefficient: 0.01 }) },
  ),
  ...textPreset(
    'turn-level-grpo',
    'Turn-level GRPO',
    'Each turn gets the outcome and, besides, what it earned itself.',
    'Zeng et al. 2025 (MT-GRPO), arXiv:2505.11821',
    { advantage: choice('turn-level'), loss: choice('token-ppo', { epochs: 2 }) },
  ),
  ...textPreset(
    'dual-discount-ppo',
    'Dual-discount PPO',
    'PPO that discounts between turns but not within one, so that thinking costs nothing.',
    'Context-lite / Verlog, OpenReview 6CE5PLsZdW',
    {
      advantage: choice('token-gae', { unit: 'dual', gamma: 1, lambda: 1, turnGamma: 0.99, turnLambda: 0.95 }),
      loss: choice('token-ppo', CRITIC_LOSS),
    },
  ),
  ...textPreset(
    'length-adaptive-ppo',
    'Length-adaptive and decoupled PPO',
    'λ grows with the episode for the policy, and is 1 for the critic’s targets.',
    'Yue et al. 2025 (VAPO), arXiv:2504.05118; UI-TARS-2, arXiv:2509.02544',
    {
      // The paper's α = 0.05 presumes hundreds of tokens; short episodes need about 1.
      advantage: choice('token-gae', { alpha: 1, decoupled: true, criticLambda: 1 }),
      loss: choice('token-ppo', { ...CRITIC_LOSS, clip_high: 0.28 }),
    },
  ),
  ...textPreset(
    'simple-tir',
    'SimpleTIR',
    'GRPO that leaves out episodes with a turn that neither calls nor answers.',
    'Xue et al. 2025, arXiv:2509.02479',
    {
      filter: choice('filters', { void_turn: true }),
      advantage: choice('group-relative'),
      loss: choice('token-ppo', { clip_high: 0.28 }),
    },
  ),
  ...textPreset(
    'grpo-roc',
    'GRPO-RoC',
    'Samples twice as many episodes and, of the right ones, learns from those with the fewest tool errors.',
    'Shang et al. 2025 (rStar2-Agent), arXiv:2508.20722',
    {
      rollout: choice('turns', { group_size: 32 }),
      filter: choice('filters', { resample: 'correct', resample_share: 0.5, dynamic_sampling: true, max_rounds: 1 }),
      advantage: choice('group-relative'),
      loss: choice('token-ppo', { clip_high: 0.28 }),
    },
  ),
  ...textPreset(
    'ttrl',
    'TTRL',
    'GRPO without labels: the answer that most episodes of a task gave stands for the right one.',
    'Zuo et al. 2025, arXiv:2504.16084',
    { reward: choice('majority'), advantage: choice('group-relative'), loss: choice('token-ppo', GRPO_LOSS) },
  ),
};

export const PRESETS: Readonly<Record<string, Preset>> = {
  reinforce: {
    id: 'reinforce',
    title: 'REINFORCE',
    summary: 'The whole return of an episode weighs each of its actions; no critic.',
    source: 'Williams 1992, Machine Learning 8',
    world: 'control',
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
    world: 'control',
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
    world: 'control',
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
    world: 'control',
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
    world: 'control',
    slots: {
      rollout: { id: 'synchronous', parameters: { copies: 1, steps: 2048, normalize_observations: true } },
      reward: { id: 'weighted', parameters: { normalize: true } },
      advantage: { id: 'gae', parameters: {} },
      loss: { id: 'ppo-clip', parameters: { epochs: 10, minibatches: 32, entropy_coefficient: 0 } },
      optimizer: { id: 'adam', parameters: { learning_rate: 3e-4 } },
    },
  },
  ...TEXT_PRESETS,
};
