/**
 * Worlds of one turn: a prompt, an answer, a checker that accepts it or not. What is asked and what is
 * accepted is the family's; everything else is here.
 */
import type { Random } from '../../../../../kernels/random/threefry';
import type { NumberField } from '../../../parameters';
import type { TextView } from '../../../view';
import type { Answer, Signal, TextEnvironment } from '../../environment';
import { compileGrammar, type Rule } from '../../grammar';
import { hashOf, signalValues, type Vocabulary } from '../shared';

/** What the checker makes of a turn. */
export interface Verdict {
  /** The answer in the turn, without what is around it; null: the turn cannot be read. */
  readonly answer: readonly number[] | null;
  readonly correct: boolean;
  /** Values of the family's own signals. */
  readonly values?: Readonly<Record<string, number>>;
}

export interface Verifier {
  readonly words: Vocabulary;
  readonly rule: Rule;
  readonly stops: readonly number[];
  readonly promptTokens: number;
  readonly turnTokens: number;
  readonly tasks: number;
  readonly heldOut: boolean;
  /** The family's own signals. */
  readonly signals: readonly Signal[];
  /** Signals that make the usual reward, by name. */
  readonly reward: Readonly<Record<string, number>>;
  prompt(task: number): readonly number[];
  /** An answer that is accepted. */
  expected(task: number): readonly number[];
  judge(task: number, turn: readonly number[]): Verdict;
  expert(task: number, quality: number, random: Random): readonly number[];
  describe(task: number): string;
  difficulty(task: number): { readonly level: number; readonly name: string };
}

interface VerifierState {
  readonly task: number;
  /** null before it is written. */
  readonly turn: readonly number[] | null;
}

export function verifierWorld(verifier: Verifier): TextEnvironment<VerifierState> {
  const { words, stops, turnTokens } = verifier;
  const signals: readonly Signal[] = [
    { name: 'correct', help: '1 if the checker accepts the answer.' },
    ...verifier.signals,
    { name: 'tokens', help: 'Tokens of the turn.' },
    { name: 'format', help: '1 if the turn can be read.' },
    { name: 'malformed', help: '1 if the turn cannot be read, or was cut off.' },
    { name: 'success', help: '1 if the episode succeeded.' },
  ];
  const { grammar, starts } = compileGrammar(words.names.length, [verifier.rule]);
  const nameOf = (token: number) => words.names[token] ?? '?';

  function act({ task }: VerifierState, turn: readonly number[]): Answer<VerifierState> {
    const { answer, correct, values } = verifier.judge(task, turn);
    const cut = turn.length >= turnTokens && !stops.includes(turn[turn.length - 1]);
    return {
      state: { task, turn },
      observation: [],
      signals: signalValues(signals, {
        ...values,
        correct: Number(correct),
        tokens: turn.length,
        format: Number(answer !== null),
        malformed: Number(answer === null),
        success: Number(correct),
      }),
      terminated: !cut,
      truncated: cut,
      success: correct,
    };
  }

  function view({ task, turn }: VerifierState): TextView {
    const verdict = turn && verifier.judge(task, turn);
    return {
      kind: 'verifier',
      prompt: verifier.prompt(task).map(nameOf),
      answer: (verdict?.answer ?? turn ?? []).map(nameOf),
      expected: verifier.expected(task).map(nameOf),
      accepted: verdict?.correct ?? null,
    };
  }

  return {
    vocabulary: words.names,
    voices: words.voices,
    signals,
    reward: signalValues(signals, verifier.reward),
    grammar,
    stops,
    limits: { turns: 1, turnTokens, episodeTokens: verifier.promptTokens + turnTokens },
    tasks: verifier.tasks,
    heldOut: verifier.heldOut,
    reset: (task) => ({ task, turn: null }),
    prompt: ({ task }) => verifier.prompt(task),
    grammarState: () => starts[0],
    act,
    expert: ({ task }, quality, random) => verifier.expert(task, quality, random),
    anchor: ({ turn }) => hashOf(turn ?? []),
    view,
    describe: ({ task }) => verifier.describe(task),
    difficulty: ({ task }) => verifier.difficulty(task),
  };
}

/** Whether something happens that a beginner does with probability `share` and an expert always. */
export function succeeds(share: number, quality: number, random: Random): boolean {
  return random.uniform() < quality + (1 - quality) * share;
}

export function promptNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `Q${index + 1}`);
}
export function answerNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `a${index + 1}`);
}

/** Settings that several families have. */
export function promptsField(count: number): NumberField {
  return {
    kind: 'number',
    label: 'Prompts',
    default: count,
    min: 2,
    max: 500,
    integer: true,
    help: 'Different prompts; each is a token, and its answer has to be found out and learned by heart.',
  };
}
export function correctField(share: number): NumberField {
  return {
    kind: 'number',
    label: 'Beginner: right',
    default: share,
    min: 0,
    max: 1,
    step: 0.01,
    help: 'How often an expert of quality 0 is right: what the policy starts with after imitation. Rises to 1 at quality 1.',
  };
}
