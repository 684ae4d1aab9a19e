/** GiGPO: whole episodes against their group, and turns against those that began at the same observation. */
import { returnsToGo, TOKEN_BASELINE } from '../../../../kernels/advantage/returns_to_go';
import type { TokenAdvantageStage } from '../token_stage';
import {
  GAMMA,
  GROUP_KERNELS,
  RETURNS_KERNELS,
  runGroups,
  runReturns,
  runScores,
  runSpread,
  runTurnGroups,
  runTurnPick,
  runTurnSums,
  SCORE_KERNELS,
  scratch,
  shapeOf,
  TURN_GROUP_KERNELS,
  TURN_KERNELS,
} from './shared';

const ID = 'gigpo';

const parameters = {
  omega: {
    kind: 'number',
    label: 'ω',
    help: 'Weight of the turns’ advantage beside that of the episode; 0 leaves plain group-relative advantages.',
    default: 1,
    min: 0,
    max: 10,
    step: 0.1,
    live: true,
  },
  gamma: { ...GAMMA, help: 'Discount from turn to turn of the returns that turns are compared by.', default: 0.95 },
  mode: {
    kind: 'choice',
    label: 'Scale',
    help: 'Whether differences are divided by the deviation of the group, on both levels.',
    default: 'mean-std',
    options: [
      { value: 'mean', label: 'none', help: 'The plain difference from the mean.' },
      { value: 'mean-std', label: 'deviation', help: 'Every group weighs the same.' },
    ],
    live: true,
  },
  weighting: {
    kind: 'choice',
    label: 'Episodes count',
    help: 'How often an episode enters the mean of its group.',
    default: 'episodes',
    options: [
      { value: 'episodes', label: 'once each', help: 'Later code of the authors.' },
      { value: 'steps', label: 'once a turn', help: 'Long episodes weigh more (verl-agent).' },
    ],
    live: true,
  },
} as const;

export const gigpo: TokenAdvantageStage<typeof parameters> = {
  id: ID,
  title: 'GiGPO',
  summary: 'Group-relative twice: the episode among those of its task, and each turn among those that saw the same.',
  formula: 'A = Â(R of the episode) + ω · Â(Σₗ γˡ rₖ₊ₗ among turns with the same observation)',
  source: 'Feng et al. 2025 (GiGPO), arXiv:2505.10978; as in verl-agent',
  parameters,
  kernels: [...RETURNS_KERNELS, ...SCORE_KERNELS, ...GROUP_KERNELS, ...TURN_KERNELS, ...TURN_GROUP_KERNELS],
  needs: () => ['groups'],
  apply(context, { omega, gamma, mode, weighting }) {
    runReturns(context, { gamma: 1 });
    const { executor, rollout } = context;
    const own = scratch(context, ID);
    const { rewards, mask, counts } = runTurnSums(context, ID);
    const scores = own.tokens('turn-returns');
    const noBaseline = { values: rewards, baselines: rollout.finalValues };
    executor.run(
      returnsToGo,
      // Turns stand for tokens here; without a critic nothing follows a truncated episode.
      {
        rewards,
        mask,
        turns: rollout.turns,
        final_values: own.sequences('zeros'),
        ...noBaseline,
        returns: scores,
        advantages: own.tokens('unused'),
      },
      { ...shapeOf(rollout), gamma, turn_gamma: gamma, baseline: TOKEN_BASELINE.none, reset: 0 },
    );
    const scale = mode === 'mean-std';
    const keys = runTurnPick(context, rollout.anchors, own.indices('turn-anchors'));
    const byTurn = runTurnGroups(context, ID, { scores, mask, counts, keys, scale });
    const episodes = runScores(context, ID, { rewards, mask });
    const bySequence = runGroups(context, ID, episodes.scores, {
      scale: scale ? 'deviation' : 'none',
      ...(weighting === 'steps' ? { weighting: 'counts', weights: episodes.lengths } : {}),
    });
    runSpread(context, rollout.advantages, { bySequence, byTurn, turnWeight: omega });
  },
};
