/** Reward without labels: an episode earns 1 if its answer is the one that most of its group gave. */
import type { Trajectory } from '../../text/trajectory';
import type { TextRewardStage } from './stage';

const parameters = {
  scale: {
    kind: 'number',
    label: 'Scale',
    help: 'What an answer with the majority earns.',
    default: 1,
    min: -1e6,
    max: 1e6,
    live: true,
  },
} as const;

export const majority: TextRewardStage<typeof parameters> = {
  id: 'majority',
  title: 'Majority vote',
  summary: 'The answer that most episodes of a task gave stands for the right one: learning without labels.',
  formula: 'ŷ = mode(y₁ … y_G);  rᵢ = scale · 1[yᵢ = ŷ]',
  source: 'Zuo et al. 2025 (TTRL), arXiv:2504.16084',
  parameters,
  world: 'text',
  turns: ({ turns }) => turns.map(() => 0),
  group(group, { scale }) {
    const answers = group.map(answerOf);
    const vote = mostFrequent(answers);
    return group.map(({ turns }, i) =>
      turns.map((_, turn) => (turn === turns.length - 1 && answers[i] === vote ? scale : 0)),
    );
  },
};

/** What the last turn says. */
function answerOf({ tokens, turns }: Trajectory): string {
  const last = turns[turns.length - 1];
  return tokens.slice(last.from, last.to).join(' ');
}

/** The first of the most frequent ones. */
function mostFrequent(answers: readonly string[]): string {
  const votes = new Map<string, number>();
  for (const answer of answers) votes.set(answer, (votes.get(answer) ?? 0) + 1);
  return [...votes].reduce((best, one) => (one[1] > best[1] ? one : best))[0];
}
