/** A hidden word for each prompt, letter by letter, and only the whole word counts. */
import type { Parameters, Schema } from '../../../parameters';
import type { TextFamily } from '../../environment';
import { oneOf, repeat, sequence } from '../../grammar';
import { limitProblems, pick, remembered, taskRandom, Vocabulary } from '../shared';
import { correctField, promptNames, promptsField, succeeds, verifierWorld } from './one_turn';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

const schema = {
  prompts: promptsField(32),
  letters: {
    kind: 'number',
    label: 'Letters',
    default: 16,
    min: 2,
    max: LETTERS.length,
    integer: true,
    help: 'Different letters. More make a lucky guess rarer.',
  },
  lengthMin: {
    kind: 'number',
    label: 'Shortest word',
    default: 3,
    min: 1,
    max: 16,
    integer: true,
    help: 'Letters of the easiest word.',
  },
  lengthMax: {
    kind: 'number',
    label: 'Longest word',
    default: 3,
    min: 1,
    max: 16,
    integer: true,
    help: 'Letters of the hardest word: each more makes success rarer.',
  },
  correct: correctField(0.6),
} satisfies Schema;

function build({ prompts, letters, lengthMin, lengthMax, correct }: Parameters<typeof schema>) {
  const words = new Vocabulary();
  const end = words.add('END');
  const questions = words.addAll(promptNames(prompts));
  const alphabet = words.addAll([...LETTERS].slice(0, letters), 'answer');
  const task = remembered((number) => {
    const random = taskRandom(number);
    const length = lengthMin + random.below(lengthMax - lengthMin + 1);
    return Array.from({ length }, () => pick(alphabet, random));
  });
  return verifierWorld({
    words,
    rule: sequence(repeat(oneOf(...alphabet), lengthMin, lengthMax), oneOf(end)),
    stops: [end],
    promptTokens: 1,
    turnTokens: lengthMax + 1,
    tasks: prompts,
    heldOut: false,
    signals: [{ name: 'share', help: 'Share of the word’s letters that are right and in their place.' }],
    reward: { correct: 1 },
    prompt: (number) => [questions[number]],
    expected: task,
    judge: (number, turn) => {
      const answer = turn.slice(0, -1);
      const readable = turn.at(-1) === end && answer.length > 0 && answer.every((token) => alphabet.includes(token));
      if (!readable) return { answer: null, correct: false };
      const word = task(number);
      const right = word.filter((letter, place) => answer[place] === letter).length;
      return {
        answer,
        correct: right === word.length && answer.length === word.length,
        values: { share: right / Math.max(word.length, answer.length) },
      };
    },
    expert: (number, quality, random) => [
      ...task(number).map((letter) => (succeeds(correct, quality, random) ? letter : pick(alphabet, random))),
      end,
    ],
    describe: (number) => `Prompt ${number + 1}: which word of ${task(number).length} letters is meant?`,
    difficulty: (number) => {
      const { length } = task(number);
      return { level: (length - 1) / 15, name: length === 1 ? '1 letter' : `${length} letters` };
    },
  });
}

export const verifierPassword: TextFamily<typeof schema> = {
  id: 'verifier-password',
  title: 'Hidden words',
  summary: 'For each prompt a word of several letters has to be found; only the whole word counts.',
  formula: '',
  source: 'world E1b; after AReaL (Fu et al. 2025, arXiv 2505.24298), on training with stale samples',
  parameters: schema,
  problems(given, path) {
    if (given.lengthMin > given.lengthMax)
      return [{ path: `${path}.lengthMin`, message: `must not be more than the longest word, ${given.lengthMax}` }];
    return limitProblems(build(given), {
      vocabulary: `${path}.prompts`,
      length: `${path}.lengthMax`,
      grammar: `${path}.letters`,
    });
  },
  build,
};
