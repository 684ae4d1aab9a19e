/** Discounted returns, with or without a learned baseline. */
import { returns as kernel, TAIL } from '../../../../kernels/advantage/returns';
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
  baseline: {
    kind: 'flag',
    label: 'Baseline',
    help: 'Subtract the critic’s value from the return: the same expectation with less variance.',
    default: true,
  },
  tail: {
    kind: 'choice',
    label: 'Unfinished episodes',
    help: 'What becomes of steps whose episode goes on after the rollout.',
    default: 'leave-out',
    options: [
      { value: 'leave-out', label: 'leave out', help: 'Only whole episodes teach; unbiased.' },
      { value: 'end', label: 'cut', help: 'As if the episode had ended here.' },
      { value: 'bootstrap', label: 'bootstrap', help: 'Add the critic’s value of the last observation.' },
    ],
  },
} as const;

const TAILS: Readonly<Record<string, number>> = {
  end: TAIL.end,
  'leave-out': TAIL.leaveOut,
  bootstrap: TAIL.bootstrap,
};

export const monteCarlo: AdvantageStage<typeof parameters> = {
  id: 'monte-carlo',
  title: 'Monte-Carlo return',
  summary: 'Advantage as the discounted return that was really received, minus the baseline if there is one.',
  formula: 'Aₜ = Σₗ γˡ rₜ₊ₗ − b(sₜ)',
  source: 'Williams 1992 (REINFORCE); Sutton and Barto 2018, §13.3–13.4',
  parameters,
  kernels: [kernel as unknown as Kernel],
  needsCritic: ({ baseline, tail }) => baseline || tail === 'bootstrap',
  apply({ executor, rollout }, { gamma, baseline, tail }) {
    const { rewards, values, finalValues, terminated, truncated, advantages, returns, weights, steps, copies } =
      rollout;
    executor.run(
      kernel,
      { rewards, values, final_values: finalValues, terminated, truncated, advantages, returns, weights },
      { steps, copies, gamma, tail: TAILS[tail], use_baseline: Number(baseline) },
    );
  },
};
