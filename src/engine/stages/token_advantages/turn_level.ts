/** Credit by turn: the outcome for every turn, and each earlier turn's own reward (MT-GRPO, for any number of turns). */
import type { TokenAdvantageStage } from '../token_stage';
import {
  EPSILON,
  GROUP_KERNELS,
  RETURNS_KERNELS,
  runGroups,
  runReturns,
  runScores,
  runSpread,
  runTurnGroups,
  runTurnSums,
  SCORE_KERNELS,
  TURN_GROUP_KERNELS,
  TURN_KERNELS,
} from './shared';

const ID = 'turn-level';

const parameters = {
  mode: {
    kind: 'choice',
    label: 'Credit',
    help: 'Which rewards reach which tokens.',
    default: 'turn',
    options: [
      { value: 'outcome', label: 'outcome only', help: 'The reward of the last turn, for all tokens (GRPO-OR).' },
      { value: 'merged', label: 'merged', help: 'The sum of all turns’ rewards, for all tokens (GRPO-MR).' },
      {
        value: 'turn',
        label: 'by turn',
        help: 'The outcome for all tokens, and to those of each turn before the last also its own reward (MT-GRPO).',
      },
    ],
    live: true,
  },
  coefficient: {
    kind: 'number',
    label: 'c',
    help: 'Weight of a turn’s own advantage beside that of the outcome; used by turn only.',
    default: 1,
    min: 0,
    max: 10,
    step: 0.1,
    live: true,
  },
} as const;

export const turnLevel: TokenAdvantageStage<typeof parameters> = {
  id: ID,
  title: 'Turn-level',
  summary: 'Group-normalised outcome for every turn, plus the group-normalised reward of each earlier turn.',
  formula:
    'A(turn k) = Â(outcome) + c · Â(reward of k), the second only before the last turn;  Â = (r − mean) / (std + 10⁻⁴)',
  source: 'Zeng et al. 2025 (MT-GRPO), arXiv:2505.11821',
  parameters,
  kernels: [...RETURNS_KERNELS, ...SCORE_KERNELS, ...GROUP_KERNELS, ...TURN_KERNELS, ...TURN_GROUP_KERNELS],
  needs: () => ['groups'],
  apply(context, { mode, coefficient }) {
    runReturns(context, { gamma: 1 });
    const { advantages } = context.rollout;
    const normalized = { scale: 'deviation', epsilon: EPSILON.mtGrpo } as const;
    if (mode === 'merged') {
      const { scores } = runScores(context, ID);
      runSpread(context, advantages, { bySequence: runGroups(context, ID, scores, normalized) });
      return;
    }
    const { rewards, mask, counts, outcomes } = runTurnSums(context, ID);
    const bySequence = runGroups(context, ID, outcomes, normalized);
    const own = { scores: rewards, mask, counts, beforeLast: true, scale: true, epsilon: EPSILON.mtGrpo };
    const ofTurns = mode === 'turn' ? { byTurn: runTurnGroups(context, ID, own), turnWeight: coefficient } : {};
    runSpread(context, advantages, { bySequence, ...ofTurns });
  },
};
