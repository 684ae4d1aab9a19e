/** RLOO: an episode against the mean of the others of its task. */
import type { TokenAdvantageStage } from '../token_stage';
import { LONE_FIELD } from './group_relative';
import { GROUP_KERNELS, RETURNS_KERNELS, runGroups, runReturns, runScores, runSpread, SCORE_KERNELS } from './shared';

const ID = 'leave-one-out';
const parameters = { lone: LONE_FIELD } as const;

export const leaveOneOut: TokenAdvantageStage<typeof parameters> = {
  id: ID,
  title: 'Leave one out',
  summary: 'Every token gets its episode’s score minus the mean score of the other episodes of the task.',
  formula: 'Aᵢ = Rᵢ − mean(Rⱼ, j ≠ i)',
  source: 'Ahmadian et al. 2024 (RLOO), arXiv:2402.14740; as in verl',
  parameters,
  kernels: [...RETURNS_KERNELS, ...SCORE_KERNELS, ...GROUP_KERNELS],
  needs: () => ['groups'],
  apply(context, { lone }) {
    runReturns(context, { gamma: 1 });
    const { scores } = runScores(context, ID);
    const bySequence = runGroups(context, ID, scores, {
      baseline: 'leaveOneOut',
      lone: lone === 'score' ? 'score' : 'zero',
    });
    runSpread(context, context.rollout.advantages, { bySequence });
  },
};
