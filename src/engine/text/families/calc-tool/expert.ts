/**
 * The scripted expert of the calculator: asks the tool for one step after the other and answers with the
 * last result. A beginner writes calls that cannot be read and tries again, mistakes digits, thinks to no
 * purpose, and answers before it knows.
 */
import type { Random } from '../../../../../kernels/random/threefry';
import { pick } from '../shared';
import type { Language, Operation } from './language';
import type { Task } from './tables';

export interface Beginner {
  /** Share of the calls that a beginner writes malformed, of the words that it mistakes, of turns that are a thought. */
  readonly malformed: number;
  readonly slips: number;
  readonly thoughts: number;
}
/** How often a beginner answers before it knows. */
const TOO_EARLY = 0.05;

/** A call and what came of it. */
export interface Reply {
  readonly tool: number;
  /** Between the name of the tool and the sign that ends the call. */
  readonly words: readonly number[];
  readonly operation: Operation | null;
  /** null: an error. */
  readonly result: number | null;
}

export interface Situation {
  readonly task: Task;
  readonly replies: readonly Reply[];
  readonly turnsLeft: number;
}

/** Whether `reply` is the result of `operation`. */
export function isAnswered({ operation, result }: Reply, { left, operator, right }: Operation): boolean {
  return result !== null && operation?.left === left && operation.operator === operator && operation.right === right;
}

/** The next step as far as the replies tell the results of those before; the answer when there is none left. */
function study({ task, replies }: Situation): { left: number; step: number | null } {
  let left = task.operands[0];
  for (const [step, operator] of task.operators.entries()) {
    const wanted = { left, operator, right: task.operands[step + 1] };
    const result = replies.find((reply) => isAnswered(reply, wanted))?.result ?? null;
    if (result === null) return { left, step };
    left = result;
  }
  return { left, step: null };
}

export function expertTurn(
  language: Language,
  beginner: Beginner,
  /** The tool that an expert takes; none: it has to know the tables by heart. */
  tool: number | null,
  situation: Situation,
  quality: number,
  random: Random,
): number[] {
  const { digits, operators, bad } = language;
  const { task, turnsLeft } = situation;
  const happens = (share: number) => random.uniform() < share * (1 - quality);
  const slip = (token: number, others: readonly number[]) => (happens(beginner.slips) ? pick(others, random) : token);

  if (tool === null) return language.writeAnswer(slip(digits[task.results[task.results.length - 1]], digits));
  const { left, step } = study(situation);
  if (step === null) return language.writeAnswer(slip(digits[left], digits));
  if (turnsLeft === 1 || happens(TOO_EARLY)) return language.writeAnswer(pick(digits, random));

  const right = task.operands[step + 1];
  // What a beginner does in passing must leave the turns that the task needs.
  const spare = turnsLeft > task.operators.length - step + 1;
  if (spare && beginner.thoughts > 0 && happens(beginner.thoughts))
    return language.writeThought(random.below(2) === 0 ? [] : [digits[right]]);
  if (spare && bad > 0 && happens(beginner.malformed))
    return language.writeCall(tool, random.below(2) === 0 ? [] : [digits[left], bad, digits[right]]);
  return language.writeCall(tool, [
    slip(digits[left], digits),
    slip(operators[task.operators[step]], operators),
    slip(digits[right], digits),
  ]);
}
