/** Advantages of whole episodes over their group: GRPO and its relatives. */
import type { ChoiceField } from '../../parameters';
import type { TokenAdvantageStage } from '../token_stage';
import { GROUP_KERNELS, RETURNS_KERNELS, runGroups, runReturns, runScores, runSpread, SCORE_KERNELS } from './shared';

const ID = 'group-relative';

/** References disagree about a group of one: TRL gives 0, verl keeps the score. */
export const LONE_FIELD = {
  kind: 'choice',
  label: 'Group of one',
  help: 'What an episode gets that has no other to be compared with.',
  default: 'zero',
  options: [
    { value: 'zero', label: '0', help: 'It teaches nothing (TRL).' },
    { value: 'score', label: 'its score', help: 'As if the mean were 0 (verl).' },
  ],
  live: true,
} as const satisfies ChoiceField;

const parameters = {
  scale: {
    kind: 'choice',
    label: 'Scale',
    help: 'What the difference is divided by. Without it, tasks that are nearly always solved or failed weigh less.',
    default: 'group',
    options: [
      { value: 'none', label: 'none', help: 'The plain difference (Dr. GRPO).' },
      { value: 'group', label: 'deviation of the group', help: 'Every group weighs the same (GRPO).' },
      { value: 'batch', label: 'deviation of the batch', help: 'One scale for all groups of the update.' },
      {
        value: 'nonzero',
        label: 'share of scores that are not 0',
        help: 'Makes up for episodes that score nothing (GPG).',
      },
    ],
    live: true,
  },
  baseline: {
    kind: 'choice',
    label: 'Compared with',
    help: 'What a score is compared with in its group.',
    default: 'mean',
    options: [
      { value: 'mean', label: 'the mean', help: 'GRPO.' },
      { value: 'length-weighted', label: 'the mean by length', help: 'Longer episodes weigh more (OPO).' },
      {
        value: 'second-best',
        label: 'the second best',
        help: 'Only the best of each group learns: trains the best of k, not the average (pass@k).',
      },
    ],
    live: true,
  },
  lone: LONE_FIELD,
} as const;

export const groupRelative: TokenAdvantageStage<typeof parameters> = {
  id: ID,
  title: 'Group-relative',
  summary: 'Every token gets how much better its episode scored than the others of the same task: no critic needed.',
  formula: 'A = (R − mean(R₁…R_G)) / (std(R₁…R_G) + 10⁻⁶)',
  source:
    'Shao et al. 2024 (GRPO), arXiv:2402.03300; Dr. GRPO arXiv:2503.20783; OPO arXiv:2505.23585; GPG arXiv:2504.02546; as in verl',
  parameters,
  kernels: [...RETURNS_KERNELS, ...SCORE_KERNELS, ...GROUP_KERNELS],
  needs: () => ['groups'],
  apply(context, { scale, baseline, lone }) {
    runReturns(context, { gamma: 1 });
    const { scores, lengths } = runScores(context, ID);
    const bySequence = runGroups(context, ID, scores, {
      baseline: baseline === 'second-best' ? 'bestOther' : 'mean',
      ...(baseline === 'length-weighted' ? { weighting: 'mean', weights: lengths } : {}),
      scale: scale === 'none' || scale === 'nonzero' ? scale : 'deviation',
      batchScale: scale === 'batch' || scale === 'nonzero',
      lone: lone === 'score' ? 'score' : 'zero',
    });
    runSpread(context, context.rollout.advantages, { bySequence });
  },
};
