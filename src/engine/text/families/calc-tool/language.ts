/**
 * The language of the calculator: its words, the grammar of a turn, how turns are read.
 *
 *   3 ∘ 5 ⋆ 2 ?              from left to right: (3 ∘ 5) ⋆ 2
 *   CALL 3 ∘ 5 =             RES 7, or ERR where the call cannot be read or the tool fails
 *   THINK 7 ⋆ END            NEXT: nothing comes of it
 *   CALL 7 ⋆ 2 =  RES 1  …   ANS 1 END
 */
import type { Grammar, TextLimits } from '../../environment';
import { choice, compileGrammar, oneOf, type Rule, repeat, sequence } from '../../grammar';
import { Vocabulary } from '../shared';
import { operatorNames, type Task, type TaskSettings } from './tables';

export interface LanguageSettings extends TaskSettings {
  readonly turns: number;
  /** How many tools there are; 0: none may be called. */
  readonly tools: number;
  /** Only calls that can be read are legal. */
  readonly strict: boolean;
  /** Tokens of a thought at most; 0: there are no thoughts. */
  readonly thought: number;
}

/** What a tool works out: one cell of one table. */
export interface Operation {
  readonly left: number;
  readonly operator: number;
  readonly right: number;
}

type Move =
  /** A call without an operation cannot be read. */
  | { readonly kind: 'call'; readonly tool: number; readonly operation: Operation | null }
  | { readonly kind: 'thought' }
  | { readonly kind: 'answer'; readonly digit: number }
  | { readonly kind: 'unreadable' };

const UNREADABLE: Move = { kind: 'unreadable' };
/** x op y */
const ARGUMENTS = 3;

export class Language {
  readonly words = new Vocabulary();
  private readonly end = this.words.add('END');
  private readonly equals = this.words.add('=', 'call');
  private readonly answer = this.words.add('ANS', 'answer');
  private readonly question = this.words.add('?');
  private readonly result = this.words.add('RES');
  /** Answers to a turn that came to nothing: an error, and a thought. */
  readonly error = this.words.add('ERR');
  readonly next = this.words.add('NEXT');
  private readonly think: number;
  private readonly calls: readonly number[];
  /** A word that no call may hold. */
  readonly bad: number;
  readonly digits: readonly number[];
  readonly operators: readonly number[];
  readonly stops: readonly number[];
  readonly grammar: Grammar;
  readonly start: number;
  readonly limits: TextLimits;

  constructor(private readonly settings: LanguageSettings) {
    const { words } = this;
    const { tools, strict, thought, turns } = settings;
    // A word that is of no use here is no word of the language: padding's number stands for it.
    this.think = thought > 0 ? words.add('THINK', 'thought') : 0;
    this.calls = words.addAll(
      Array.from({ length: tools }, (_, tool) => (tools === 1 ? 'CALL' : `CALL${tool + 1}`)),
      'call',
    );
    this.bad = tools > 0 && !strict ? words.add('BAD') : 0;
    this.digits = words.addAll(Array.from({ length: settings.base }, (_, digit) => String(digit)));
    this.operators = words.addAll(operatorNames(settings));
    this.stops = tools > 0 ? [this.end, this.equals] : [this.end];

    const digit = oneOf(...this.digits);
    const operator = oneOf(...this.operators);
    const well = sequence(digit, operator, digit);
    const anyhow = repeat(oneOf(...this.digits, ...this.operators, this.bad), 0, ARGUMENTS);
    const musings = repeat(oneOf(...this.digits, ...this.operators), 0, thought);
    const rules: Rule[] = [sequence(oneOf(this.answer), digit, oneOf(this.end))];
    if (tools > 0) rules.push(sequence(oneOf(...this.calls), strict ? well : anyhow, oneOf(this.equals)));
    if (thought > 0) rules.push(sequence(oneOf(this.think), musings, oneOf(this.end)));
    const compiled = compileGrammar(words.names.length, [choice(...rules)]);
    this.grammar = compiled.grammar;
    [this.start] = compiled.starts;

    const prompt = 2 * settings.operandsMax;
    const turnTokens = Math.max(3, tools > 0 ? ARGUMENTS + 2 : 0, thought > 0 ? thought + 2 : 0);
    this.limits = { turns, turnTokens, episodeTokens: prompt + turns * turnTokens + (turns - 1) * 2 };
  }

  prompt({ operands, operators }: Task): number[] {
    const rest = operators.flatMap((operator, step) => [this.operators[operator], this.digits[operands[step + 1]]]);
    return [this.digits[operands[0]], ...rest, this.question];
  }

  writeCall(tool: number, words: readonly number[]): number[] {
    return [this.calls[tool], ...words, this.equals];
  }
  writeThought(words: readonly number[]): number[] {
    return [this.think, ...words, this.end];
  }
  writeAnswer(digit: number): number[] {
    return [this.answer, digit, this.end];
  }
  writeResult(digit: number): number[] {
    return [this.result, this.digits[digit]];
  }

  read(turn: readonly number[]): Move {
    const [head, ...body] = turn;
    const stop = body.pop();
    if (turn.length > this.limits.turnTokens) return UNREADABLE;
    const tool = this.calls.indexOf(head);
    if (tool >= 0 && stop === this.equals) return { kind: 'call', tool, operation: this.readOperation(body) };
    if (stop !== this.end) return UNREADABLE;
    if (head === this.answer && body.length === 1 && this.digits.includes(body[0]))
      return { kind: 'answer', digit: this.digits.indexOf(body[0]) };
    const thinkable = body.every((token) => this.digits.includes(token) || this.operators.includes(token));
    return this.settings.thought > 0 && head === this.think && thinkable ? { kind: 'thought' } : UNREADABLE;
  }

  private readOperation(body: readonly number[]): Operation | null {
    const left = this.digits.indexOf(body[0]);
    const operator = this.operators.indexOf(body[1]);
    const right = this.digits.indexOf(body[2]);
    const whole = body.length === ARGUMENTS && left >= 0 && operator >= 0 && right >= 0;
    return whole ? { left, operator, right } : null;
  }
}
