/**
 * Sums modulo a base, with or without scratch tokens for the sums on the way.
 *
 *   4 7 5 ?        THINK 1 ANS 6 END        (4 + 7 = 11, 11 + 5 = 16, modulo 10)
 */
import type { Random } from '../../../../../kernels/random/threefry';
import type { Parameters, Schema } from '../../../parameters';
import type { TextFamily } from '../../environment';
import { oneOf, repeat, sequence } from '../../grammar';
import { limitProblems, pick, taskRandom, Vocabulary } from '../shared';
import { correctField, succeeds, verifierWorld } from './one_turn';

const schema = {
  termsMin: {
    kind: 'number',
    label: 'Fewest terms',
    default: 3,
    min: 1,
    max: 4,
    integer: true,
    help: 'Of the easiest sum. Sums of one term only have to be copied.',
  },
  termsMax: {
    kind: 'number',
    label: 'Most terms',
    default: 3,
    min: 1,
    max: 4,
    integer: true,
    help: 'Of the hardest sum.',
  },
  base: {
    kind: 'number',
    label: 'Base',
    default: 10,
    min: 2,
    max: 16,
    integer: true,
    help: 'Digits run from 0 to one below it. More make more sums, each harder to guess.',
  },
  scratch: {
    kind: 'flag',
    label: 'Scratch tokens',
    default: false,
    help: 'The sums on the way may be written down before the answer. That makes each step easy.',
  },
  heldOut: {
    kind: 'flag',
    label: 'Keep sums for evaluation',
    default: false,
    help: 'Half of the sums of each length are never trained on: evaluation then tells whether adding was learned, not the answers.',
  },
  correct: correctField(0.25),
  beginnerScratch: {
    kind: 'number',
    label: 'Beginner: scratch',
    default: 0.2,
    min: 0,
    max: 1,
    step: 0.05,
    help: 'How often an expert of quality 0 uses scratch tokens; then it is right. Needs scratch tokens.',
  },
} satisfies Schema;

/** All sums of each number of terms, in a fixed random order: number n of k terms is the n-th of them. */
function allSums(base: number, terms: number): number[][] {
  const sums = Array.from({ length: base ** terms }, (_, number) =>
    Array.from({ length: terms }, (_, place) => Math.floor(number / base ** place) % base),
  );
  shuffle(sums, taskRandom(terms));
  return sums;
}

/** Fisher and Yates, in place. */
function shuffle<T>(list: T[], random: Random): void {
  for (let last = list.length - 1; last > 0; last--) {
    const other = random.below(last + 1);
    [list[last], list[other]] = [list[other], list[last]];
  }
}

/** The tasks go round the numbers of terms; each half of them has one half of the sums of each. */
function listTasks({ base, termsMin, termsMax, heldOut }: Parameters<typeof schema>): number[][] {
  const kinds = Array.from({ length: termsMax - termsMin + 1 }, (_, kind) => allSums(base, termsMin + kind));
  const most = kinds[kinds.length - 1].length;
  const halves = heldOut ? [0, 1] : [0];
  return halves.flatMap((half) => {
    const parts = kinds.map((sums) => {
      const middle = sums.length >>> 1;
      return heldOut ? (half === 0 ? sums.slice(0, middle) : sums.slice(middle)) : sums;
    });
    const rounds = most / halves.length;
    return Array.from({ length: Math.floor(rounds) * parts.length }, (_, number) => {
      const part = parts[number % parts.length];
      return part[Math.floor(number / parts.length) % part.length];
    });
  });
}

function build(given: Parameters<typeof schema>) {
  const { base, termsMax, scratch, correct, beginnerScratch, heldOut } = given;
  const words = new Vocabulary();
  const end = words.add('END');
  const ask = words.add('?');
  const ANS = words.add('ANS', 'answer');
  const THINK = scratch ? words.add('THINK', 'thought') : 0;
  const digits = words.addAll(Array.from({ length: base }, (_, digit) => String(digit)));
  const tasks = listTasks(given);
  // The sums on the way, without the first term and without the answer.
  const notes = Math.max(0, termsMax - 2);
  const answer = sequence(oneOf(ANS), oneOf(...digits), oneOf(end));
  const thought = sequence(oneOf(THINK), repeat(oneOf(...digits), 1, notes));

  /** The sum after each term, modulo the base. */
  const running = (terms: readonly number[]) =>
    terms.map((_, last) => terms.slice(0, last + 1).reduce((a, b) => a + b) % base);
  const expected = (number: number) => [digits[running(tasks[number])[tasks[number].length - 1]]];
  return verifierWorld({
    words,
    rule: scratch ? sequence(repeat(thought, 0, 1), answer) : answer,
    stops: [end],
    promptTokens: termsMax + 1,
    turnTokens: 3 + (scratch ? 1 + notes : 0),
    tasks: tasks.length,
    heldOut,
    signals: scratch ? [{ name: 'scratch', help: 'Digits written down before the answer.' }] : [],
    reward: { correct: 1 },
    prompt: (number) => [...tasks[number].map((digit) => digits[digit]), ask],
    expected,
    judge: (number, turn) => {
      const [word, digit, stop] = turn.slice(-3);
      const before = turn.slice(0, -3);
      const noted = before.slice(1);
      const readable =
        word === ANS &&
        digits.includes(digit) &&
        stop === end &&
        (before.length === 0 || (scratch && before[0] === THINK && noted.every((token) => digits.includes(token))));
      if (!readable) return { answer: null, correct: false };
      return {
        answer: [digit],
        correct: digit === expected(number)[0],
        values: { scratch: noted.length },
      };
    },
    expert: (number, quality, random) => {
      const sums = running(tasks[number]).map((digit) => digits[digit]);
      const last = sums[sums.length - 1];
      const onTheWay = sums.slice(1, -1);
      if (scratch && onTheWay.length > 0 && succeeds(beginnerScratch, quality, random))
        return [THINK, ...onTheWay, ANS, last, end];
      return [
        ANS,
        succeeds(correct, quality, random)
          ? last
          : pick(
              digits.filter((digit) => digit !== last),
              random,
            ),
        end,
      ];
    },
    describe: (number) => `${tasks[number].join(' + ')}, modulo ${base}`,
    difficulty: (number) => {
      const terms = tasks[number].length;
      return { level: (terms - 1) / 3, name: terms === 1 ? '1 term' : `${terms} terms` };
    },
  });
}

export const verifierSum: TextFamily<typeof schema> = {
  id: 'verifier-sum',
  title: 'Sums modulo a base',
  summary: 'Add one to four digits; what is on the way may be written down first.',
  formula: 'answer = (a + b + c) mod base',
  source:
    'world E1c; after One-Shot RLVR (Wang et al. 2025, arXiv 2504.20571) and TTRL (Zuo et al. 2025, arXiv 2504.16084)',
  parameters: schema,
  problems(given, path) {
    if (given.termsMin > given.termsMax)
      return [{ path: `${path}.termsMin`, message: `must not be more than the most terms, ${given.termsMax}` }];
    if (given.scratch && given.termsMax < 3)
      return [
        {
          path: `${path}.scratch`,
          message: 'needs sums of at least three terms: shorter ones have nothing on the way',
        },
      ];
    if (given.heldOut && given.base ** given.termsMin < 4)
      return [
        { path: `${path}.heldOut`, message: 'leaves too few of the shortest sums: use a larger base or more terms' },
      ];
    return limitProblems(build(given), {
      vocabulary: `${path}.base`,
      length: `${path}.termsMax`,
      grammar: `${path}.base`,
    });
  },
  build,
};
