/** Monte-Carlo returns over tokens: what was really received from each token on. */
import type { TokenAdvantageStage } from '../token_stage';
import { GAMMA, RETURNS_KERNELS, runReturns, WHITEN_KERNELS, whitenAdvantages } from './shared';

const parameters = {
  gamma: { ...GAMMA, help: 'Discount of later rewards, for each token or each turn: 1 counts them in full.' },
  unit: {
    kind: 'choice',
    label: 'Time runs',
    help: 'What γ is paid for. By token, a long answer discounts its own reward.',
    default: 'token',
    options: [
      { value: 'token', label: 'by token', help: 'Every token is a step.' },
      { value: 'turn', label: 'by turn', help: 'A whole turn is a step; its tokens share one discount.' },
    ],
    live: true,
  },
  baseline: {
    kind: 'choice',
    label: 'Baseline',
    help: 'What is subtracted from the return: the same expectation with less variance.',
    default: 'batch-mean',
    options: [
      { value: 'none', label: 'none', help: 'The plain return; a reward that is never negative only ever encourages.' },
      { value: 'batch-mean', label: 'mean of the batch', help: 'One number for all tokens of the update.' },
      { value: 'critic', label: 'critic', help: 'The learned value of the state before each token.' },
    ],
  },
} as const;

export const returnToGo: TokenAdvantageStage<typeof parameters> = {
  id: 'return-to-go',
  title: 'Return to go',
  summary: 'Advantage as the discounted reward that follows each token, minus a baseline if there is one.',
  formula: 'Aₜ = Σₗ γˡ rₜ₊ₗ − b',
  source: 'Williams 1992 (REINFORCE); Sutton and Barto 2018, §13.3–13.4',
  parameters,
  kernels: [...RETURNS_KERNELS, ...WHITEN_KERNELS],
  needs: ({ baseline }) => (baseline === 'critic' ? ['critic'] : []),
  apply(context, { gamma, unit, baseline }) {
    runReturns(context, {
      gamma: unit === 'turn' ? 1 : gamma,
      turnGamma: gamma,
      baseline: baseline === 'critic' ? 'token' : 'none',
    });
    if (baseline === 'batch-mean') whitenAdvantages(context, 'return-to-go', false);
  },
};
