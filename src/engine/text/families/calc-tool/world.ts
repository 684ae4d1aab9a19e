/** The calculator's world: an expression, tools that look up tables and may fail, an answer. */
import type { Random } from '../../../../../kernels/random/threefry';
import type { TextView } from '../../../view';
import type { Answer, Signal, TextEnvironment } from '../../environment';
import { hashOf, signalValues } from '../shared';
import { type Beginner, expertTurn, isAnswered, type Reply } from './expert';
import { Language, type LanguageSettings, type Operation } from './language';
import { operatorNames, type Task, taskGenerator } from './tables';

export interface CalcSettings extends LanguageSettings {
  readonly tasks: number;
  /** By tool: how often it fails, and what a call costs. */
  readonly failures: readonly number[];
  readonly costs: readonly number[];
  readonly beginner: Beginner;
}

/** Everything else follows from the task's number. */
interface CalcState {
  readonly task: number;
  readonly turn: number;
  readonly replies: readonly Reply[];
  /** null before it is given. */
  readonly answer: number | null;
}

const SIGNALS = [
  { name: 'correct', help: '1 if the answer is right.' },
  { name: 'answered', help: '1 if the turn gives an answer, right or wrong.' },
  { name: 'calls', help: '1 if the turn calls a tool, whether the call can be read or not.' },
  { name: 'errors', help: '1 if the tool answers with an error.' },
  { name: 'failed', help: '1 if the tool fails though the call can be read.' },
  { name: 'useful', help: '1 if the call returns a result that the task needs, for the first time.' },
  { name: 'repeated', help: '1 if the call returns what another has returned before.' },
  { name: 'cost', help: 'What the call costs.' },
  { name: 'format', help: '1 if the turn can be read: a call, a thought or an answer.' },
  { name: 'malformed', help: '1 if the turn or its call cannot be read.' },
  { name: 'void', help: '1 if the turn is neither a call nor an answer.' },
  { name: 'turns', help: '1 every turn.' },
  { name: 'success', help: '1 in the turn that ends the episode with success.' },
] as const satisfies readonly Signal[];

type SignalName = (typeof SIGNALS)[number]['name'];

export class CalcWorld implements TextEnvironment<CalcState> {
  private readonly language: Language;
  private readonly task: (number: number) => Task;
  readonly signals = SIGNALS;
  readonly reward = signalValues(SIGNALS, { correct: 1 });
  readonly vocabulary;
  readonly voices;
  readonly grammar;
  readonly stops;
  readonly limits;
  readonly tasks;
  readonly heldOut;

  constructor(private readonly settings: CalcSettings) {
    this.language = new Language(settings);
    this.task = taskGenerator(settings);
    this.vocabulary = this.language.words.names;
    this.voices = this.language.words.voices;
    this.grammar = this.language.grammar;
    this.stops = this.language.stops;
    this.limits = this.language.limits;
    this.tasks = settings.tasks;
    // Of known tables there are few expressions, and each comes up in many tasks.
    this.heldOut = !settings.known;
  }

  reset(task: number): CalcState {
    return { task, turn: 0, replies: [], answer: null };
  }

  prompt(state: CalcState): number[] {
    return this.language.prompt(this.task(state.task));
  }

  grammarState(): number {
    return this.language.start;
  }

  act(before: CalcState, turn: readonly number[], random: Random): Answer<CalcState> {
    const task = this.task(before.task);
    const move = this.language.read(turn);
    const state = { ...before, turn: before.turn + 1 };
    const truncated = state.turn >= this.settings.turns;
    const goOn = (after: CalcState, observation: readonly number[], values: Partial<Record<SignalName, number>>) => ({
      state: after,
      observation: truncated ? [] : observation,
      signals: signalValues(SIGNALS, { ...values, turns: 1 }),
      terminated: false,
      truncated,
      success: false,
    });
    const { error, next } = this.language;
    switch (move.kind) {
      case 'unreadable':
        return goOn(state, [error], { malformed: 1, void: 1 });
      case 'thought':
        return goOn(state, [next], { format: 1, void: 1 });
      case 'call': {
        const { tool, operation } = move;
        const failed = operation !== null && random.uniform() < this.settings.failures[tool];
        const result = operation === null || failed ? null : this.lookUp(task, operation);
        const told = operation !== null && before.replies.some((reply) => isAnswered(reply, operation));
        const useful = operation !== null && result !== null && !told && this.isStep(task, operation);
        const reply = { tool, words: turn.slice(1, -1), operation, result };
        return goOn(
          { ...state, replies: [...before.replies, reply] },
          result === null ? [error] : this.language.writeResult(result),
          {
            calls: 1,
            errors: Number(result === null),
            failed: Number(failed),
            useful: Number(useful),
            repeated: Number(told && result !== null),
            cost: this.settings.costs[tool],
            format: Number(operation !== null),
            malformed: Number(operation === null),
          },
        );
      }
      case 'answer': {
        const success = move.digit === task.results[task.results.length - 1];
        const correct = Number(success);
        return {
          state: { ...state, answer: move.digit },
          observation: [],
          signals: signalValues(SIGNALS, { correct, answered: 1, format: 1, turns: 1, success: correct }),
          terminated: true,
          truncated: false,
          success,
        };
      }
    }
  }

  private lookUp({ tables }: Task, { left, operator, right }: Operation): number {
    return tables[operator][left * this.settings.base + right];
  }

  /** Whether the call is one of the task's own steps. */
  private isStep({ operands, operators, results }: Task, { left, operator, right }: Operation): boolean {
    return operators.some((each, step) => {
      const before = step === 0 ? operands[0] : results[step - 1];
      return each === operator && before === left && operands[step + 1] === right;
    });
  }

  expert(state: CalcState, quality: number, random: Random): number[] {
    const situation = {
      task: this.task(state.task),
      replies: state.replies,
      turnsLeft: this.settings.turns - state.turn,
    };
    return expertTurn(this.language, this.settings.beginner, this.bestTool(), situation, quality, random);
  }

  /** The tool whose successes cost the least; of equals the one that fails least. */
  private bestTool(): number | null {
    const { failures, costs, tools } = this.settings;
    const price = (tool: number) => costs[tool] / (1 - failures[tool]);
    const order = Array.from({ length: tools }, (_, tool) => tool).sort(
      (a, b) => price(a) - price(b) || failures[a] - failures[b],
    );
    return order[0] ?? null;
  }

  anchor({ replies, answer }: CalcState): number {
    const known = new Set(
      replies.map(({ operation, result }) =>
        operation === null || result === null
          ? 0
          : hashOf([operation.left, operation.operator, operation.right, result]),
      ),
    );
    return hashOf([...[...known].sort((a, b) => a - b), answer ?? this.settings.base]);
  }

  describe(state: CalcState): string {
    const { operands, operators } = this.task(state.task);
    const names = operatorNames(this.settings);
    const text = operators.map((operator, step) => ` ${names[operator]} ${operands[step + 1]}`).join('');
    return `${operands[0]}${text}, from left to right`;
  }

  difficulty(state: CalcState): { level: number; name: string } {
    const steps = this.task(state.task).operators.length;
    return { level: (steps - 1) / 3, name: steps === 1 ? '1 step' : `${steps} steps` };
  }

  view(state: CalcState): TextView {
    const task = this.task(state.task);
    const names = operatorNames(this.settings);
    const { base, tools } = this.settings;
    return {
      kind: 'calc',
      expression: this.language
        .prompt(task)
        .slice(0, -1)
        .map((token) => this.vocabulary[token]),
      tables: task.tables.map((cells, table) => ({ name: names[table], size: base, cells })),
      calls: state.replies.map(({ tool, words, operation, result }) => ({
        text: `${words.map((token) => this.vocabulary[token]).join(' ')}${tools > 1 ? ` (tool ${tool + 1})` : ''}`,
        result: result === null ? 'ERR' : String(result),
        failed: result === null,
        cell: operation && { table: operation.operator, row: operation.left, column: operation.right },
      })),
      answer: state.answer === null ? null : String(state.answer),
      expected: String(task.results[task.results.length - 1]),
    };
  }
}
