/**
 * The policy chooses how long it talks before it answers, and the length has nothing to do with being
 * right. Two habits: HM, after which a beginner soon stops, and WELL, after which it goes on and on.
 *
 *   Q7        WELL WELL WELL WELL a2
 */
import type { Parameters, Schema } from '../../../parameters';
import type { TextFamily } from '../../environment';
import { choice, oneOf, repeat, sequence } from '../../grammar';
import { limitProblems, pick, taskRandom, Vocabulary } from '../shared';
import { answerNames, correctField, promptNames, promptsField, succeeds, verifierWorld } from './one_turn';

const going = (label: string, share: number) =>
  ({
    kind: 'number',
    label,
    default: share,
    min: 0,
    max: 0.99,
    step: 0.01,
    help: 'Probability that a beginner writes the same filler once more before it answers.',
  }) as const;

const schema = {
  prompts: promptsField(64),
  answers: {
    kind: 'number',
    label: 'Answers',
    default: 4,
    min: 2,
    max: 100,
    integer: true,
    help: 'One of them is right for a prompt.',
  },
  limit: {
    kind: 'number',
    label: 'Longest turn',
    default: 40,
    min: 2,
    max: 400,
    integer: true,
    unit: 'tokens',
    help: 'A turn that reaches it without an answer is cut off.',
  },
  correct: correctField(0.25),
  short: going('Beginner: HM goes on', 0.5),
  long: going('Beginner: WELL goes on', 0.93),
} satisfies Schema;

function build({ prompts, answers, limit, correct, short, long }: Parameters<typeof schema>) {
  const words = new Vocabulary();
  const [HM, WELL] = words.addAll(['HM', 'WELL'], 'thought');
  const questions = words.addAll(promptNames(prompts));
  const replies = words.addAll(answerNames(answers), 'answer');
  const rightAnswer = (number: number) => replies[taskRandom(number).below(answers)];
  const isFiller = (token: number) => token === HM || token === WELL;
  const anyLength = (filler: number) => repeat(oneOf(filler), 0, Number.POSITIVE_INFINITY);
  return verifierWorld({
    words,
    rule: sequence(choice(anyLength(HM), anyLength(WELL)), oneOf(...replies)),
    stops: replies,
    promptTokens: 1,
    turnTokens: limit,
    tasks: prompts,
    heldOut: false,
    signals: [{ name: 'filler', help: 'Filler tokens before the answer.' }],
    reward: { correct: 1 },
    prompt: (number) => [questions[number]],
    expected: (number) => [rightAnswer(number)],
    judge: (number, turn) => {
      const filler = turn.slice(0, -1);
      const answer = turn.slice(-1);
      const readable = turn.length > 0 && replies.includes(answer[0]) && filler.every(isFiller);
      const values = { filler: turn.filter(isFiller).length };
      return { answer: readable ? answer : null, correct: readable && answer[0] === rightAnswer(number), values };
    },
    expert: (number, quality, random) => {
      const right = rightAnswer(number);
      if (random.uniform() < quality) return [right];
      const [filler, goesOn] = random.below(2) === 0 ? [HM, short] : [WELL, long];
      const turn: number[] = [];
      while (turn.length < limit - 1 && random.uniform() < goesOn) turn.push(filler);
      const wrong = replies.filter((reply) => reply !== right);
      return [...turn, succeeds(correct, 0, random) ? right : pick(wrong, random)];
    },
    describe: (number) => `Prompt ${number + 1}: which of ${answers} answers is right? Talk as long as you like.`,
    difficulty: () => ({ level: 0.5, name: 'prompt' }),
  });
}

export const verifierFiller: TextFamily<typeof schema> = {
  id: 'verifier-filler',
  title: 'Answers of any length',
  summary: 'Any number of filler tokens, then one answer: what does the loss do to the length?',
  formula: '',
  source: 'world E1d; after DAPO (Yu et al. 2025, arXiv 2503.14476), on token-level loss and overlong turns',
  parameters: schema,
  problems: (given, path) =>
    limitProblems(build(given), {
      vocabulary: `${path}.prompts`,
      length: `${path}.limit`,
      grammar: `${path}.answers`,
    }),
  build,
};
