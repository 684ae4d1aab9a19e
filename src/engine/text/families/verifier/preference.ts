/** Every answer has a hidden score; pairs of answers tell which is liked better. */
import type { Parameters, Schema } from '../../../parameters';
import type { TextFamily } from '../../environment';
import { oneOf } from '../../grammar';
import { limitProblems, pick, remembered, taskRandom, Vocabulary } from '../shared';
import { answerNames, promptNames, promptsField, verifierWorld } from './one_turn';

const schema = {
  prompts: promptsField(64),
  answers: {
    kind: 'number',
    label: 'Answers',
    default: 20,
    min: 2,
    max: 400,
    integer: true,
    help: 'Each has a score of its own with each prompt, drawn standard normal.',
  },
} satisfies Schema;

function build({ prompts, answers }: Parameters<typeof schema>) {
  const words = new Vocabulary();
  const questions = words.addAll(promptNames(prompts));
  const replies = words.addAll(answerNames(answers), 'answer');
  const scores = remembered((number) => {
    const random = taskRandom(number);
    return replies.map(() => random.normal());
  });
  const best = (number: number) => replies[scores(number).indexOf(Math.max(...scores(number)))];
  return verifierWorld({
    words,
    rule: oneOf(...replies),
    stops: replies,
    promptTokens: 1,
    turnTokens: 1,
    tasks: prompts,
    heldOut: false,
    signals: [
      { name: 'score', help: 'Hidden score r* of the answer; one that cannot be read has the lowest there is.' },
      { name: 'rank', help: 'Share of the answers that score less.' },
    ],
    reward: { score: 1 },
    prompt: (number) => [questions[number]],
    expected: (number) => [best(number)],
    judge: (number, turn) => {
      const all = scores(number);
      const place = turn.length === 1 ? replies.indexOf(turn[0]) : -1;
      const score = place < 0 ? Math.min(...all) : all[place];
      const rank = all.filter((other) => other < score).length / (answers - 1);
      return {
        answer: place < 0 ? null : turn,
        correct: turn[0] === best(number) && place >= 0,
        values: { score, rank },
      };
    },
    expert: (number, quality, random) => [random.uniform() < quality ? best(number) : pick(replies, random)],
    describe: (number) => `Prompt ${number + 1}: which of ${answers} answers is liked best?`,
    difficulty: (number) => {
      const [first, second] = [...scores(number)].sort((a, b) => b - a);
      const gap = first - second;
      return { level: Math.exp(-gap), name: gap > 0.5 ? 'clear' : 'close' };
    },
  });
}

export const verifierPreference: TextFamily<typeof schema> = {
  id: 'verifier-preference',
  title: 'Answers that are liked more or less',
  summary: 'Each answer has a hidden score: learn it from pairs, or from the score itself.',
  formula: 'r*(prompt, answer) ~ N(0, 1)',
  source: 'world E1e; after DPO (Rafailov et al. 2023, arXiv 2305.18290)',
  parameters: schema,
  problems: (given, path) =>
    limitProblems(build(given), {
      vocabulary: `${path}.prompts`,
      length: `${path}.prompts`,
      grammar: `${path}.answers`,
    }),
  build,
};
