/**
 * The language of the search worlds: its words, the grammar of a turn, how turns are read and what is
 * written in answer.
 *
 *   Ada friend teacher ?                        name the teacher of Ada's friend
 *   SEARCH Ada friend END                       up to `queries` pairs
 *   DOC ~a ~f Ben ~c ~a EOD                     MISS in place of a name: nothing is known, or the turn was unreadable
 *   SEARCH Ben teacher END  …  ANS Eva END
 */
import type { Random } from '../../../../../kernels/random/threefry';
import type { Grammar, TextLimits } from '../../environment';
import { choice, compileGrammar, oneOf, repeat, sequence } from '../../grammar';
import { pick, Vocabulary } from '../shared';
import type { Knowledge } from './knowledge';
import { type QuestionSettings, sortsOf, type Task } from './question';

export interface LanguageSettings extends QuestionSettings {
  readonly turns: number;
  /** Queries of a turn at most. */
  readonly queries: number;
  /** Filler tokens on each side of what a document tells, and how many kinds of them there are. */
  readonly padding: number;
  readonly fillers: number;
  /** Documents say how sure the search engine is. */
  readonly flagged: boolean;
}

export interface Query {
  readonly entity: number;
  readonly relation: number;
}

/** What a query returned. */
export interface Finding extends Query {
  /** As the document told it; none where it told nothing. */
  readonly answers: readonly number[];
  /** The search engine called it doubtful. */
  readonly doubtful: boolean;
}

type Move =
  | { readonly kind: 'search'; readonly queries: readonly Query[] }
  | { readonly kind: 'answer'; readonly tokens: readonly number[] }
  | { readonly kind: 'unreadable' };

const UNREADABLE: Move = { kind: 'unreadable' };

export class Language {
  readonly words = new Vocabulary();
  readonly end = this.words.add('END');
  private readonly search = this.words.add('SEARCH', 'call');
  private readonly answer = this.words.add('ANS', 'answer');
  private readonly question = this.words.add('?');
  private readonly doc = this.words.add('DOC');
  private readonly eod = this.words.add('EOD');
  private readonly miss = this.words.add('MISS');
  private readonly equal: number;
  private readonly sure: number;
  private readonly doubt: number;
  private readonly fillers: readonly number[];
  /** Tokens of the entities, of the relations and of the answers to a comparison, by their numbers. */
  readonly entities: readonly number[];
  readonly relations: readonly number[];
  readonly verdicts: { readonly yes: number; readonly no: number };
  readonly grammar: Grammar;
  readonly start: number;
  readonly limits: TextLimits;

  constructor(
    knowledge: Knowledge,
    private readonly settings: LanguageSettings,
  ) {
    const { words } = this;
    const sorts = sortsOf(settings);
    const compares = sorts.some(({ compare }) => compare);
    const chains = sorts.some(({ compare }) => !compare);
    // A word that no task needs is no word of the language: padding's number stands for it.
    [this.equal, this.verdicts] = compares
      ? [words.add('='), { yes: words.add('YES'), no: words.add('NO') }]
      : [0, { yes: 0, no: 0 }];
    [this.sure, this.doubt] = settings.flagged ? words.addAll(['SURE', 'DOUBT']) : [0, 0];
    this.fillers = words.addAll(Array.from({ length: settings.fillers }, (_, index) => `~${index + 1}`));
    this.entities = words.addAll(knowledge.entities);
    this.relations = words.addAll(knowledge.relations.map(({ name }) => name));

    const mostAnswers = chains ? knowledge.mostAnswers : 1;
    const query = sequence(oneOf(...this.entities), oneOf(...this.relations));
    const names = chains ? [repeat(oneOf(...this.entities), 1, mostAnswers)] : [];
    const verdict = compares ? [oneOf(this.verdicts.yes, this.verdicts.no)] : [];
    const turn = choice(
      sequence(oneOf(this.search), repeat(query, 1, settings.queries), oneOf(this.end)),
      sequence(oneOf(this.answer), choice(...names, ...verdict), oneOf(this.end)),
    );
    const compiled = compileGrammar(words.names.length, [turn]);
    this.grammar = compiled.grammar;
    [this.start] = compiled.starts;

    const prompt = Math.max(...sorts.map(({ hops, compare }) => (compare ? 2 * (hops + 1) + 2 : hops + 2)));
    const document = 2 + (settings.flagged ? 1 : 0) + 2 * settings.padding + knowledge.mostAnswers;
    const turnTokens = 2 + Math.max(2 * settings.queries, mostAnswers);
    this.limits = {
      turns: settings.turns,
      turnTokens,
      episodeTokens: prompt + settings.turns * turnTokens + (settings.turns - 1) * settings.queries * document,
    };
  }

  prompt({ chains }: Task): number[] {
    const tokens = chains.map(({ start, relations }) => [
      this.entities[start],
      ...relations.map((relation) => this.relations[relation]),
    ]);
    return [...tokens[0], ...tokens.slice(1).flatMap((chain) => [this.equal, ...chain]), this.question];
  }

  /** Tokens that answer the task, in any order. */
  rightAnswer({ compare, same, answers }: Task): number[] {
    if (compare) return [same ? this.verdicts.yes : this.verdicts.no];
    return answers.map((entity) => this.entities[entity]);
  }

  writeSearch(words: readonly number[]): number[] {
    return [this.search, ...words, this.end];
  }
  writeAnswer(words: readonly number[]): number[] {
    return [this.answer, ...words, this.end];
  }

  read(turn: readonly number[]): Move {
    const [head, ...body] = turn;
    if (body.pop() !== this.end || body.length === 0 || turn.length > this.limits.turnTokens) return UNREADABLE;
    if (head === this.answer) {
      const { yes, no } = this.verdicts;
      const known = body.every((token) => this.entities.includes(token) || token === yes || token === no);
      return known ? { kind: 'answer', tokens: body } : UNREADABLE;
    }
    if (head !== this.search || body.length % 2 !== 0 || body.length > 2 * this.settings.queries) return UNREADABLE;
    const queries = Array.from({ length: body.length / 2 }, (_, index) => ({
      entity: this.entities.indexOf(body[2 * index]),
      relation: this.relations.indexOf(body[2 * index + 1]),
    }));
    const known = queries.every(({ entity, relation }) => entity >= 0 && relation >= 0);
    return known ? { kind: 'search', queries } : UNREADABLE;
  }

  writeDocument({ answers, doubtful }: Finding, random: Random): number[] {
    const filler = () => Array.from({ length: this.settings.padding }, () => pick(this.fillers, random));
    const flag = this.settings.flagged ? [doubtful ? this.doubt : this.sure] : [];
    const told = answers.length > 0 ? answers.map((entity) => this.entities[entity]) : [this.miss];
    return [this.doc, ...flag, ...filler(), ...told, ...filler(), this.eod];
  }

  /** The answer to a turn that cannot be read. */
  writeMiss(): number[] {
    return [this.doc, this.miss, this.eod];
  }
}
