/** The reward of a turn: a weighted sum of the environment's signals, and what an episode's length costs. */
import type { Parameters } from '../../parameters';
import { ROLE } from '../../text/trajectory';
import { softOverlongPenalty } from '../filters/soft_overlong';
import type { TextRewardStage } from './stage';

const parameters = {
  weights: {
    kind: 'list',
    label: 'Weights',
    help: 'One weight a signal, in the order in which the environment names them; none at all takes the environment’s own. Success is never part of the reward.',
    default: [],
    min: -1000,
    max: 1000,
    minLength: 0,
    maxLength: 32,
    live: true,
  },
  scale: {
    kind: 'number',
    label: 'Scale',
    help: 'Multiplies the whole reward.',
    default: 1,
    min: -1e6,
    max: 1e6,
    live: true,
  },
  offset: {
    kind: 'number',
    label: 'Offset',
    help: 'Added once an episode: scale 2 and offset −1 turn 0 and 1 into −1 and 1.',
    default: 0,
    min: -1000,
    max: 1000,
    live: true,
  },
  length_penalty: {
    kind: 'choice',
    label: 'Length penalty',
    help: 'What a long episode costs. Soft begins before the limit (DAPO); hard takes 1 where the episode was cut.',
    default: 'none',
    options: [
      { value: 'none', label: 'none' },
      { value: 'soft', label: 'soft' },
      { value: 'hard', label: 'hard' },
    ],
    live: true,
  },
  length_limit: {
    kind: 'number',
    label: 'Length limit',
    help: 'Tokens written in an episode from which the soft penalty is −1.',
    default: 24,
    min: 1,
    max: 1024,
    integer: true,
    unit: 'tokens',
    live: true,
  },
  length_cache: {
    kind: 'number',
    label: 'Length cache',
    help: 'The soft penalty begins so many tokens before the limit.',
    default: 8,
    min: 1,
    max: 1024,
    integer: true,
    unit: 'tokens',
    live: true,
  },
} as const;

type SignalReward = Parameters<typeof parameters>;

export const signals: TextRewardStage<typeof parameters> = {
  id: 'signals',
  title: 'Signals by turn',
  summary: 'Each turn earns a weighted sum of the signals that the environment reports for it.',
  formula: 'r = scale · Σₖ wₖ · signalₖ, and at the end + offset + length penalty',
  source: 'Soft overlong penalty: DAPO, arXiv:2503.14476',
  parameters,
  world: 'text',
  turns({ turns, roles, truncated, terminated }, environment, p) {
    const weights = p.weights.length > 0 ? p.weights : environment.reward;
    const rewards = turns.map(
      (turn) => p.scale * turn.signals.reduce((sum, signal, i) => sum + (weights[i] ?? 0) * signal, 0),
    );
    if (!terminated && !truncated) return rewards;
    const length = roles.filter((role) => role === ROLE.action).length;
    rewards[rewards.length - 1] += p.offset + lengthPenalty(length, truncated, p);
    return rewards;
  },
};

function lengthPenalty(length: number, truncated: boolean, p: SignalReward): number {
  if (p.length_penalty === 'hard') return truncated ? -1 : 0;
  return p.length_penalty === 'soft' ? softOverlongPenalty(length, p.length_limit, p.length_cache) : 0;
}
