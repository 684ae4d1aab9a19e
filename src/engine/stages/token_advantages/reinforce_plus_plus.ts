/** REINFORCE++: returns (or scores over the group's mean), whitened over the whole batch. */
import type { TokenAdvantageStage } from '../token_stage';
import {
  GAMMA,
  GROUP_KERNELS,
  RETURNS_KERNELS,
  runGroups,
  runReturns,
  runScores,
  runSpread,
  SCORE_KERNELS,
  WHITEN_KERNELS,
  whitenAdvantages,
} from './shared';

const ID = 'reinforce-plus-plus';

const parameters = {
  groupMean: {
    kind: 'flag',
    label: 'Group mean',
    help: 'Subtract the mean score of the task before whitening; every token then gets its episode’s score, undiscounted.',
    default: false,
  },
  gamma: { ...GAMMA, help: 'Discount of later rewards for each token; not used with the group mean.' },
  observations: {
    kind: 'choice',
    label: 'Observations',
    help: 'What an observation between two turns does to the return; not used with the group mean.',
    default: 'carry',
    options: [
      { value: 'carry', label: 'are passed over', help: 'The final reward reaches every turn.' },
      { value: 'reset', label: 'cut', help: 'Only the last turn sees the final reward, as in an older verl.' },
    ],
    live: true,
  },
} as const;

export const reinforcePlusPlus: TokenAdvantageStage<typeof parameters> = {
  id: ID,
  title: 'REINFORCE++',
  summary: 'Returns without a critic, shifted and scaled over all tokens of the update.',
  formula: 'A = (G − mean(G)) / std(G) over the batch,  Gₜ = Σₗ γˡ rₜ₊ₗ',
  source: 'Hu et al. 2025, arXiv:2501.03262; as in verl',
  parameters,
  kernels: [...RETURNS_KERNELS, ...SCORE_KERNELS, ...GROUP_KERNELS, ...WHITEN_KERNELS],
  needs: ({ groupMean }) => (groupMean ? ['groups'] : []),
  apply(context, { groupMean, gamma, observations }) {
    if (groupMean) {
      runReturns(context, { gamma: 1 });
      const { scores } = runScores(context, ID);
      // A group of one keeps its score: whitening over the batch compares it with the others.
      runSpread(context, context.rollout.advantages, { bySequence: runGroups(context, ID, scores, { lone: 'score' }) });
    } else {
      runReturns(context, { gamma, reset: observations === 'reset' });
    }
    whitenAdvantages(context, ID);
  },
};
