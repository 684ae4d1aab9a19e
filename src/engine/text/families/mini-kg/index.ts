/** Two families of search worlds: over a graph redrawn each task, and over facts about the world's countries. */
import type { Parameters, Problem, Schema } from '../../../parameters';
import type { TextFamily } from '../../environment';
import { limitProblems } from '../shared';
import { countriesOfTheWorld, drawnGraph, type Knowledge, MOST_COUNTRIES, MOST_RELATIONS } from './knowledge';
import { type Sort, sortsOf, TaskGenerator } from './question';
import { type SearchSettings, SearchWorld } from './world';

const searchSchema = {
  hopsMin: {
    kind: 'number',
    label: 'Fewest hops',
    default: 2,
    min: 1,
    max: 4,
    integer: true,
    help: 'Look-ups that the easiest question needs, one after the other.',
  },
  hopsMax: {
    kind: 'number',
    label: 'Most hops',
    default: 2,
    min: 1,
    max: 4,
    integer: true,
    help: 'Look-ups that the hardest question needs. Each more makes a lucky start much rarer.',
  },
  comparisons: {
    kind: 'number',
    label: 'Comparisons',
    default: 0,
    min: 0,
    max: 1,
    step: 0.1,
    help: 'Share of questions that ask whether two chains end alike. Their look-ups do not wait for one another, so parallel queries save turns.',
  },
  turns: {
    kind: 'number',
    label: 'Turns',
    default: 4,
    min: 2,
    max: 16,
    integer: true,
    help: 'An episode ends with the answer or after so many turns. Spare turns allow to ask again.',
  },
  queries: {
    kind: 'number',
    label: 'Queries a turn',
    default: 1,
    min: 1,
    max: 3,
    integer: true,
    help: 'At most; each returns a document of its own.',
  },
  padding: {
    kind: 'number',
    label: 'Filler on each side',
    default: 3,
    min: 0,
    max: 12,
    integer: true,
    unit: 'tokens',
    help: 'Random tokens around what a document tells. They cannot be predicted: a loss that counts them is led astray.',
  },
  fillers: {
    kind: 'number',
    label: 'Kinds of filler',
    default: 6,
    min: 1,
    max: 64,
    integer: true,
    help: 'Different filler tokens in the vocabulary.',
  },
  noise: {
    kind: 'number',
    label: 'Noise',
    default: 0,
    min: 0,
    max: 0.9,
    step: 0.1,
    help: 'Probability that a document misleads; drawn anew for each query. A schedule may raise it phase by phase.',
  },
  noiseKind: {
    kind: 'choice',
    label: 'A noisy document',
    default: 'wrong',
    options: [
      { value: 'wrong', label: 'tells something wrong', help: 'Another name in place of the right one.' },
      { value: 'useless', label: 'tells nothing', help: 'Filler only: asking again helps.' },
    ],
    help: 'What a noisy document says.',
  },
  noiseFlag: {
    kind: 'flag',
    label: 'Documents say how sure they are',
    default: false,
    help: 'A token SURE or DOUBT opens each document, so that noise can be noticed and asked about again.',
  },
  tasks: {
    kind: 'number',
    label: 'Tasks',
    default: 65_536,
    min: 2,
    max: 1_000_000,
    integer: true,
    help: 'Different tasks; half of them are kept for evaluation. With few the policy can learn answers by heart.',
  },
} satisfies Schema;

type SearchParameters = Parameters<typeof searchSchema>;

function settingsOf(given: SearchParameters): SearchSettings {
  return { ...given, useless: given.noiseKind === 'useless', flagged: given.noiseFlag };
}

/** Turns that the question needs without any detour: its look-ups, those of two chains together if they may be. */
function turnsNeeded({ hops, compare }: Sort, queries: number): number {
  return (compare && queries === 1 ? 2 * hops : hops) + 1;
}

/** Settings that do not fit; `size` and `reach` name those that bound the vocabulary and the chains of hops. */
function searchProblems(
  knowledge: Knowledge,
  given: SearchParameters,
  path: string,
  { size, reach }: { size: string; reach: string },
): Problem[] {
  if (given.hopsMin > given.hopsMax)
    return [{ path: `${path}.hopsMin`, message: `must not be more than the most hops, ${given.hopsMax}` }];
  const settings = settingsOf(given);
  const problems: Problem[] = [];
  const sorts = sortsOf(settings);
  const needed = Math.max(...sorts.map((sort) => turnsNeeded(sort, given.queries)));
  if (needed > given.turns)
    problems.push({ path: `${path}.turns`, message: `is too few: the hardest question needs ${needed} turns` });
  const generator = new TaskGenerator(knowledge, settings);
  const impossible = sorts.find((sort) => !generator.canAsk(sort));
  if (impossible !== undefined) {
    const { hops, compare } = impossible;
    const sort = `${hops} hop${hops > 1 ? 's' : ''}${compare ? ' to compare' : ''}`;
    problems.push({ path: `${path}.${reach}`, message: `leaves no question of ${sort} to ask` });
  }
  return [
    ...problems,
    ...limitProblems(new SearchWorld(knowledge, settings), {
      vocabulary: `${path}.${size}`,
      length: `${path}.turns`,
      grammar: `${path}.${size}`,
    }),
  ];
}

const graphSchema = {
  entities: {
    kind: 'number',
    label: 'People',
    default: 12,
    min: 4,
    max: 480,
    integer: true,
    help: 'Names in the graph. More make guessing worthless and the vocabulary larger.',
  },
  relations: {
    kind: 'number',
    label: 'Relations',
    default: 3,
    min: 1,
    max: MOST_RELATIONS,
    integer: true,
    help: 'Ties that each person has to someone.',
  },
  lists: {
    kind: 'number',
    label: 'Relations to several',
    default: 0,
    min: 0,
    max: MOST_RELATIONS,
    integer: true,
    help: 'So many of the relations lead to several people, all of whom the answer must name. Only a last hop can ask them.',
  },
  listSize: {
    kind: 'number',
    label: 'Longest list',
    default: 3,
    min: 2,
    max: 4,
    integer: true,
    help: 'Answers of one such fact at most.',
  },
  ...searchSchema,
} satisfies Schema;

function graphOf({ entities, relations, lists, listSize }: Parameters<typeof graphSchema>): Knowledge {
  return drawnGraph(entities, relations, Math.min(lists, relations), listSize);
}

export const miniKg: TextFamily<typeof graphSchema> = {
  id: 'mini-kg',
  title: 'Search in a graph redrawn each time',
  summary: 'Answer a question of one to four hops with a search tool; the facts are others in every task.',
  formula: 'answer = r_k(… r_2(r_1(e)))',
  source:
    'after Search-R1 (Jin et al. 2025, arXiv 2503.09516) and ZeroSearch (Sun et al. 2025, arXiv 2505.04588), in miniature',
  parameters: graphSchema,
  problems(given, path) {
    if (given.lists > given.relations)
      return [{ path: `${path}.lists`, message: `must not be more than the relations, ${given.relations}` }];
    const reach = given.lists > 0 ? 'lists' : 'hopsMax';
    return searchProblems(graphOf(given), given, path, { size: 'entities', reach });
  },
  build: (given) => new SearchWorld(graphOf(given), settingsOf(given)),
};

const countriesSchema = {
  countries: {
    kind: 'number',
    label: 'Countries',
    default: 30,
    min: 5,
    max: MOST_COUNTRIES,
    integer: true,
    help: 'Those of the G20 first. Each brings its own and its capital’s name into the vocabulary.',
  },
  ...searchSchema,
  hopsMin: { ...searchSchema.hopsMin, default: 1, max: 2 },
  hopsMax: { ...searchSchema.hopsMax, max: 2 },
} satisfies Schema;

export const worldKg: TextFamily<typeof countriesSchema> = {
  id: 'world-kg',
  title: 'Search among the countries of the world',
  summary: 'The same with real facts: capital, continent, languages and currency; other questions in evaluation.',
  formula: 'answer = r_k(… r_2(r_1(e)))',
  source: 'facts: countries-list 3.4.1 © Annexare Studio, MIT licence, https://github.com/annexare/Countries',
  parameters: countriesSchema,
  problems: (given, path) =>
    searchProblems(countriesOfTheWorld(given.countries), given, path, { size: 'countries', reach: 'hopsMax' }),
  build: (given) => new SearchWorld(countriesOfTheWorld(given.countries), settingsOf(given)),
};
