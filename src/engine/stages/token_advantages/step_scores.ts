/** Each turn's own score against the same turn of the other episodes: no return, no discount. */
import type { TokenAdvantageStage } from '../token_stage';
import {
  RETURNS_KERNELS,
  runReturns,
  runSpread,
  runTurnGroups,
  runTurnSums,
  TURN_GROUP_KERNELS,
  TURN_KERNELS,
} from './shared';

const ID = 'step-scores';

const parameters = {
  scale: {
    kind: 'choice',
    label: 'Scale',
    help: 'Whether the difference is divided by the deviation of the same turn in the group.',
    default: 'none',
    options: [
      { value: 'none', label: 'none', help: 'The plain difference: turns whose scores differ more weigh more.' },
      { value: 'group', label: 'deviation', help: 'Every turn weighs the same.' },
    ],
    live: true,
  },
} as const;

export const stepScores: TokenAdvantageStage<typeof parameters> = {
  id: ID,
  title: 'Step scores',
  summary: 'Every turn is judged by its own reward alone, for environments whose rewards score single turns.',
  formula: 'A(turn k) = rₖ − mean(rₖ over the group)',
  source: 'Zhou et al. 2025 (SWEET-RL), arXiv:2503.15478: the critic that sees the solution scores each turn',
  parameters,
  kernels: [...RETURNS_KERNELS, ...TURN_KERNELS, ...TURN_GROUP_KERNELS],
  needs: () => ['groups'],
  apply(context, { scale }) {
    runReturns(context, { gamma: 1 });
    const { rewards: scores, mask, counts } = runTurnSums(context, ID);
    const byTurn = runTurnGroups(context, ID, { scores, mask, counts, scale: scale === 'group' });
    runSpread(context, context.rollout.advantages, { byTurn });
  },
};
