/** The reward: a weighted sum of the environment's signals, scaled, clipped, and if wanted normalised. */
import type { Kernel } from '../../../../kernels/kernel';
import { initialRewardScale, rewardScale } from '../../../../kernels/normalize/reward_scale';
import { weighted as weightedKernel } from '../../../../kernels/reward/weighted';
import type { DeviceBuffer } from '../../device/executor';
import type { BufferPool } from '../../device/pool';
import type { Parameters } from '../../parameters';
import type { RewardStage, StageContext } from '../stage';

const parameters = {
  weights: {
    kind: 'list',
    label: 'Weights',
    help: 'One weight a signal, in the order in which the environment names them; missing ones are 0. Success is never part of the reward.',
    default: [1],
    min: -1000,
    max: 1000,
    minLength: 1,
    maxLength: 32,
    live: true,
  },
  scale: {
    kind: 'number',
    label: 'Scale',
    help: 'Multiplies the whole reward; large rewards make large value losses.',
    default: 1,
    min: -1e6,
    max: 1e6,
    live: true,
  },
  clip: {
    kind: 'number',
    label: 'Clip',
    help: 'Keeps the reward of a step within ± this before scaling; 0 does not clip.',
    default: 0,
    min: 0,
    max: 1e6,
    live: true,
  },
  normalize: {
    kind: 'flag',
    label: 'Normalise',
    help: 'Divide by the running deviation of the discounted return, as CleanRL does for continuous control.',
    default: false,
  },
  normalize_gamma: {
    kind: 'number',
    label: 'γ of the normaliser',
    help: 'Discount of the return whose deviation is measured.',
    default: 0.99,
    min: 0,
    max: 1,
  },
  normalize_clip: {
    kind: 'number',
    label: 'Clip of the normaliser',
    help: 'Normalised rewards are kept within ± this.',
    default: 10,
    min: 0.1,
    max: 1000,
  },
} as const;

/** Signal weights as the kernel wants them: one a signal. */
export function signalWeights(weights: readonly number[], count: number): Float32Array {
  return Float32Array.from({ length: count }, (_, i) => weights[i] ?? 0);
}

/** Running deviation of the discounted return, copy by copy. */
function statistics(pool: BufferPool, copies: number): DeviceBuffer {
  return pool.f32('reward statistics', initialRewardScale(copies).length);
}

function apply({ executor, pool, rollout }: StageContext, p: Parameters<typeof parameters>): void {
  const { steps, copies, signals, rewards, terminated, truncated, signalCount } = rollout;
  const rows = steps * copies;
  const weights = pool.f32('reward weights', signalCount);
  executor.upload(weights, signalWeights(p.weights, signalCount));
  const raw = p.normalize ? pool.f32('reward unscaled', rows) : rewards;
  executor.run(
    weightedKernel,
    { signals, weights, rewards: raw },
    { rows, signals: signalCount, scale: p.scale, clip: p.clip },
  );
  if (!p.normalize) return;
  const running = statistics(pool, copies);
  executor.run(
    rewardScale,
    { rewards: raw, terminated, truncated, running, scaled: rewards },
    { steps, copies, gamma: p.normalize_gamma, clip: p.normalize_clip },
  );
}

export const weighted: RewardStage<typeof parameters> = {
  id: 'weighted',
  title: 'Weighted signals',
  summary: 'The reward is a weighted sum of the signals that the environment reports.',
  formula: 'r = scale · clamp(Σₖ wₖ · signalₖ, ± clip)',
  source: 'Normalisation: Gymnasium NormalizeReward, as in CleanRL ppo_continuous_action.py',
  parameters,
  kernels: [weightedKernel, rewardScale] as unknown as Kernel[],
  begin({ executor, pool, rollout }, { normalize }) {
    if (normalize) executor.upload(statistics(pool, rollout.copies), initialRewardScale(rollout.copies));
  },
  memory: (pool, { copies }, { normalize }) => (normalize ? { 'reward statistics': statistics(pool, copies) } : {}),
  apply,
};
