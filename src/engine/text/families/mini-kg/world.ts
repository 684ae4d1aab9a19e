/**
 * The search world: a question over facts that the policy does not see, a search tool that returns one
 * document a query and may err, an answer. Whatever the knowledge is (knowledge.ts), the rules are these.
 */
import type { Random } from '../../../../../kernels/random/threefry';
import type { TextView } from '../../../view';
import type { Answer, Signal, TextEnvironment } from '../../environment';
import { hashOf, pick, signalValues } from '../shared';
import { expertTurn } from './expert';
import type { Knowledge } from './knowledge';
import { type Finding, Language, type LanguageSettings, type Query } from './language';
import { type Chain, entitiesAsked, type Task, TaskGenerator } from './question';

export interface SearchSettings extends LanguageSettings {
  /** Probability that a document misleads; a useless one tells nothing, another tells something wrong. */
  readonly noise: number;
  readonly useless: boolean;
}

/** Everything else follows from the task's number. */
interface SearchState {
  readonly task: number;
  readonly turn: number;
  readonly findings: readonly Finding[];
  /** Tokens of the answer; null before it is given. */
  readonly answer: readonly number[] | null;
}

const SIGNALS = [
  { name: 'exact', help: '1 if the answer is exactly right.' },
  { name: 'f1', help: 'Overlap of the answer with the right one: 2 · common / (given + right).' },
  { name: 'answered', help: '1 if the turn gives an answer, right or wrong.' },
  {
    name: 'executed',
    help: 'Share of the turn’s queries about which something is known; 0 in a turn without a search.',
  },
  { name: 'firstHop', help: '1 in the turn that first asks a first hop of the question.' },
  { name: 'hop', help: 'Hops of the question that this turn asks for the first time.' },
  { name: 'found', help: '1 in the turn whose documents first hold the answer.' },
  { name: 'calls', help: 'Queries of the turn.' },
  { name: 'errors', help: 'Queries of the turn about which nothing is known.' },
  { name: 'repeated', help: 'Queries of the turn that had been asked before.' },
  { name: 'format', help: '1 if the turn can be read: a search or an answer.' },
  { name: 'malformed', help: '1 if the turn cannot be read.' },
  { name: 'void', help: '1 if the turn neither searches nor answers.' },
  { name: 'turns', help: '1 every turn.' },
  { name: 'success', help: '1 in the turn that ends the episode with success.' },
] as const satisfies readonly Signal[];

/** A graph with more facts is too full to draw. */
const MOST_DRAWN_FACTS = 72;

export class SearchWorld implements TextEnvironment<SearchState> {
  private readonly language: Language;
  private readonly generator: TaskGenerator;
  readonly signals = SIGNALS;
  readonly reward = signalValues(SIGNALS, { exact: 1 });
  readonly heldOut = true;
  readonly vocabulary;
  readonly voices;
  readonly grammar;
  readonly stops;
  readonly limits;
  readonly tasks;

  constructor(
    private readonly knowledge: Knowledge,
    private readonly settings: SearchSettings,
  ) {
    this.language = new Language(knowledge, settings);
    this.generator = new TaskGenerator(knowledge, settings);
    this.vocabulary = this.language.words.names;
    this.voices = this.language.words.voices;
    this.grammar = this.language.grammar;
    this.stops = [this.language.end];
    this.limits = this.language.limits;
    this.tasks = settings.tasks;
  }

  reset(task: number): SearchState {
    return { task, turn: 0, findings: [], answer: null };
  }

  prompt(state: SearchState): number[] {
    return this.language.prompt(this.generator.task(state.task));
  }

  grammarState(): number {
    return this.language.start;
  }

  act(before: SearchState, turn: readonly number[], random: Random): Answer<SearchState> {
    const task = this.generator.task(before.task);
    const move = this.language.read(turn);
    const state = { ...before, turn: before.turn + 1 };
    const truncated = state.turn >= this.settings.turns;
    switch (move.kind) {
      case 'unreadable':
        return {
          state,
          observation: truncated ? [] : this.language.writeMiss(),
          signals: signalValues(SIGNALS, { malformed: 1, void: 1, turns: 1 }),
          terminated: false,
          truncated,
          success: false,
        };
      case 'search': {
        const found = move.queries.map((query) => this.search(task, query, random));
        return {
          state: { ...state, findings: [...before.findings, ...found] },
          observation: truncated ? [] : found.flatMap((finding) => this.language.writeDocument(finding, random)),
          signals: this.searchSignals(task, before.findings, found),
          terminated: false,
          truncated,
          success: false,
        };
      }
      case 'answer': {
        const f1 = overlap(move.tokens, this.language.rightAnswer(task));
        const exact = f1 === 1 ? 1 : 0;
        return {
          state: { ...state, answer: move.tokens },
          observation: [],
          signals: signalValues(SIGNALS, { exact, f1, answered: 1, format: 1, turns: 1, success: exact }),
          terminated: true,
          truncated: false,
          success: exact === 1,
        };
      }
    }
  }

  /** Asks the search engine, which errs with probability `noise`. */
  private search(task: Task, query: Query, random: Random): Finding {
    const relations = this.knowledge.relations.length;
    const answers = task.facts[query.entity * relations + query.relation];
    if (answers.length === 0 || random.uniform() >= this.settings.noise) return { ...query, answers, doubtful: false };
    const doubtful = this.settings.flagged;
    if (this.settings.useless) return { ...query, answers: [], doubtful };
    // Another entity that the relation leads to, so that it looks like an answer.
    const others = new Set(task.facts.filter((_, fact) => fact % relations === query.relation).flat());
    for (const right of answers) others.delete(right);
    return { ...query, answers: others.size > 0 ? [pick([...others], random)] : [], doubtful };
  }

  private searchSignals(task: Task, before: readonly Finding[], found: readonly Finding[]): number[] {
    const after = [...before, ...found];
    const relations = this.knowledge.relations.length;
    const known = found.filter(({ entity, relation }) => task.facts[entity * relations + relation].length > 0);
    const [hopsBefore, hopsAfter] = [before, after].map((list) =>
      task.chains.flatMap((chain) => this.hopsAsked(task, chain, list)),
    );
    return signalValues(SIGNALS, {
      executed: known.length / found.length,
      firstHop: hopsAfter.includes(0) && !hopsBefore.includes(0) ? 1 : 0,
      hop: hopsAfter.length - hopsBefore.length,
      found: this.holdsAnswer(task, after) && !this.holdsAnswer(task, before) ? 1 : 0,
      calls: found.length,
      errors: found.length - known.length,
      repeated: found.filter((query) => wasAsked(before, query)).length,
      format: 1,
      turns: 1,
    });
  }

  /** Which hops of `chain` the findings have asked, by their place in the chain. */
  private hopsAsked(task: Task, chain: Chain, findings: readonly Finding[]): number[] {
    const entities = entitiesAsked(task, this.knowledge.relations.length, chain);
    return chain.relations.flatMap((relation, hop) =>
      wasAsked(findings, { entity: entities[hop], relation }) ? [hop] : [],
    );
  }

  /** Whether the documents hold what answers the question: for a comparison, both last hops. */
  private holdsAnswer(task: Task, findings: readonly Finding[]): boolean {
    if (task.compare)
      return task.chains.every((chain) => this.hopsAsked(task, chain, findings).includes(task.hops - 1));
    return task.answers.every((right) => findings.some(({ answers }) => answers.includes(right)));
  }

  expert(state: SearchState, quality: number, random: Random): number[] {
    const situation = {
      task: this.generator.task(state.task),
      findings: state.findings,
      turnsLeft: this.settings.turns - state.turn,
    };
    return expertTurn(this.language, this.settings.queries, situation, quality, random);
  }

  anchor({ findings, answer }: SearchState): number {
    const known = new Set(
      findings.map(({ entity, relation, answers, doubtful }) =>
        hashOf([entity, relation, Number(doubtful), ...answers]),
      ),
    );
    return hashOf([...[...known].sort((a, b) => a - b), ...(answer ?? [])]);
  }

  describe(state: SearchState): string {
    const { entities, relations } = this.knowledge;
    const task = this.generator.task(state.task);
    const [first, second] = task.chains.map((chain) =>
      chain.relations.reduce((text, relation) => `${relations[relation].phrase} ${text}`, entities[chain.start]),
    );
    return task.compare ? `Is ${first} the same as ${second}?` : `Name ${first}.`;
  }

  difficulty(state: SearchState): { level: number; name: string } {
    const { hops, compare } = this.generator.task(state.task);
    const searches = compare ? 2 * hops : hops;
    return { level: Math.min(1, (searches - 1) / 3), name: compare ? `compare ${hops}-hop` : `${hops}-hop` };
  }

  view(state: SearchState): TextView {
    const { entities, relations } = this.knowledge;
    const task = this.generator.task(state.task);
    const factOf = ({ entity, relation }: Query) => entity * relations.length + relation;
    const path = new Set(
      task.chains.flatMap((chain) => {
        const asked = entitiesAsked(task, relations.length, chain);
        return chain.relations.map((relation, hop) => factOf({ entity: asked[hop], relation }));
      }),
    );
    const seen = new Set(state.findings.map(factOf));
    // All of a small graph; of a large one what was asked and what should be.
    const small = task.facts.length <= MOST_DRAWN_FACTS;
    const edges = task.facts.flatMap((answers, fact) =>
      small || seen.has(fact) || path.has(fact)
        ? answers.map((to) => ({ fact, from: Math.floor(fact / relations.length), to }))
        : [],
    );
    const drawn = small
      ? entities.map((_, entity) => entity)
      : [...new Set([task.chains[0].start, ...edges.flatMap(({ from, to }) => [from, to])])];
    const answer = drawn.findIndex((entity) => state.answer?.includes(this.language.entities[entity]));
    return {
      kind: 'graph',
      question: this.describe(state),
      entities: drawn.map((entity) => entities[entity]),
      edges: edges.map(({ fact, from, to }) => ({
        from: drawn.indexOf(from),
        to: drawn.indexOf(to),
        relation: relations[fact % relations.length].name,
        seen: seen.has(fact),
        path: path.has(fact),
      })),
      start: drawn.indexOf(task.chains[0].start),
      answer: answer < 0 ? null : answer,
      expected: task.answers.map((entity) => drawn.indexOf(entity)),
    };
  }
}

function wasAsked(findings: readonly Finding[], { entity, relation }: Query): boolean {
  return findings.some((finding) => finding.entity === entity && finding.relation === relation);
}

/** F1 of two sets of tokens: 2 · common / (given + right); a word said twice counts once. */
function overlap(given: readonly number[], right: readonly number[]): number {
  const said = new Set(given);
  const common = right.filter((token) => said.has(token)).length;
  return (2 * common) / (said.size + right.length);
}
