/** Prompts and answers of one token: the smallest world in which a rare right answer has to be found. */
import type { Parameters, Schema } from '../../../parameters';
import type { TextFamily } from '../../environment';
import { oneOf } from '../../grammar';
import { limitProblems, pick, remembered, taskRandom, Vocabulary } from '../shared';
import { answerNames, correctField, promptNames, promptsField, succeeds, verifierWorld } from './one_turn';

const schema = {
  prompts: promptsField(256),
  answers: {
    kind: 'number',
    label: 'Answers',
    default: 50,
    min: 3,
    max: 400,
    integer: true,
    help: 'One of them is right for a prompt.',
  },
  correct: correctField(0.02),
  common: {
    kind: 'number',
    label: 'Beginner: the common mistake',
    default: 0.6,
    min: 0,
    max: 1,
    step: 0.05,
    help: 'Share of a beginner’s wrong answers that are one and the same; the others are spread evenly. A favourite mistake hides the right answer.',
  },
  easy: {
    kind: 'number',
    label: 'Easy prompts',
    default: 0,
    min: 0,
    max: 1,
    step: 0.1,
    help: 'Share of prompts that a beginner already answers right 97 times of 100: their groups carry no signal.',
  },
  varied: {
    kind: 'flag',
    label: 'The others differ in difficulty',
    default: false,
    help: 'How often a beginner is right with a prompt that is not easy is drawn as u³ (u even from 0 to 1, at least 0.01): many are hard.',
  },
} satisfies Schema;

const EASY = 0.97;

function build({ prompts, answers, correct, common, easy, varied }: Parameters<typeof schema>) {
  const words = new Vocabulary();
  const questions = words.addAll(promptNames(prompts));
  const replies = words.addAll(answerNames(answers), 'answer');
  const task = remembered((number) => {
    const random = taskRandom(number);
    const [right, ...others] = [random.below(answers), random.below(answers - 1)];
    const mistake = others[0] + (others[0] >= right ? 1 : 0);
    const share =
      random.uniform() < easy ? EASY : varied ? Math.min(EASY, Math.max(0.01, random.uniform() ** 3)) : correct;
    return { right: replies[right], mistake: replies[mistake], share };
  });
  return verifierWorld({
    words,
    rule: oneOf(...replies),
    stops: replies,
    promptTokens: 1,
    turnTokens: 1,
    tasks: prompts,
    heldOut: false,
    signals: [],
    reward: { correct: 1 },
    prompt: (number) => [questions[number]],
    expected: (number) => [task(number).right],
    judge: (number, turn) => {
      const readable = turn.length === 1 && replies.includes(turn[0]);
      return { answer: readable ? turn : null, correct: readable && turn[0] === task(number).right };
    },
    expert: (number, quality, random) => {
      const { right, mistake, share } = task(number);
      if (succeeds(share, quality, random)) return [right];
      if (random.uniform() < common) return [mistake];
      return [
        pick(
          replies.filter((reply) => reply !== right && reply !== mistake),
          random,
        ),
      ];
    },
    describe: (number) => `Prompt ${number + 1}: which of ${answers} answers is right?`,
    difficulty: (number) => {
      const { share } = task(number);
      return { level: 1 - share, name: share >= 0.5 ? 'easy' : share >= 0.1 ? 'middling' : 'hard' };
    },
  });
}

export const verifierTable: TextFamily<typeof schema> = {
  id: 'verifier-table',
  title: 'One-token answers',
  summary: 'A prompt, one right answer among many; a beginner prefers a wrong one.',
  formula: '',
  source: 'world E1a; after DAPO (Yu et al. 2025, arXiv 2503.14476), on rare tokens under a clipped ratio',
  parameters: schema,
  problems: (given, path) =>
    limitProblems(build(given), {
      vocabulary: `${path}.prompts`,
      length: `${path}.prompts`,
      grammar: `${path}.answers`,
    }),
  build,
};
