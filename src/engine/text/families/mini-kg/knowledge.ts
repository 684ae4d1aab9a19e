/** Where the facts come from: a graph redrawn for each task, or the countries of the world. */
import { continents, countries, languages } from 'countries-list';
import type { Random } from '../../../../../kernels/random/threefry';

export interface Relation {
  readonly name: string;
  /** In words, before the name of what it is asked about. */
  readonly phrase: string;
  /** A fact may have several answers; then it can only be the last hop of a question. */
  readonly many: boolean;
  /** The relation that leads back: asking it next would lead to where the question came from. */
  readonly inverse?: number;
}

/** What answers relation r of entity e: `facts[e · relations + r]`, as numbers of entities; empty: nothing does. */
export type Facts = readonly (readonly number[])[];

export interface Knowledge {
  readonly entities: readonly string[];
  readonly relations: readonly Relation[];
  /** The facts are the same in every task: then only other questions can be kept for evaluation. */
  readonly fixed: boolean;
  /** Answers of one fact at most. */
  readonly mostAnswers: number;
  facts(random: Random): Facts;
}

const PEOPLE =
  'Ada Ben Cleo Dan Eva Finn Gus Hana Ivo Jan Kim Leo Mia Nils Oda Pia Quin Rosa Sam Tia Udo Vera Wim Xena Yan Zoe'.split(
    ' ',
  );
const TIES = ['friend', 'teacher', 'neighbour', 'rival', 'cousin', 'doctor', 'boss', 'guest'];
export const MOST_RELATIONS = TIES.length;

/** People and their ties: a graph that has to be searched, since it is another one in every task. */
export function drawnGraph(entities: number, relations: number, lists: number, listSize: number): Knowledge {
  const sizes = Array.from({ length: relations }, (_, relation) => (relation >= relations - lists ? listSize : 1));
  return {
    entities: Array.from({ length: entities }, (_, index) => {
      const round = Math.floor(index / PEOPLE.length);
      return `${PEOPLE[index % PEOPLE.length]}${round === 0 ? '' : round + 1}`;
    }),
    relations: sizes.map((size, relation) => {
      const name = `${TIES[relation]}${size > 1 ? 's' : ''}`;
      return { name, phrase: `the ${name} of`, many: size > 1 };
    }),
    fixed: false,
    mostAnswers: Math.max(...sizes),
    facts: (random) =>
      Array.from({ length: entities * relations }, (_, fact) => {
        const size = sizes[fact % relations];
        const drawn = new Set<number>();
        const wanted = size === 1 ? 1 : 1 + random.below(size);
        while (drawn.size < wanted) drawn.add(random.below(entities));
        return [...drawn];
      }),
  };
}

/**
 * Country data: countries-list 3.4.1, © 2014 Annexare Studio, MIT licence,
 * https://github.com/annexare/Countries. Of several currencies the first counts.
 */
const WHOLE = Object.entries(countries)
  .filter(([, country]) => country.capital !== '' && country.languages.length > 0 && country.currency.length > 0)
  .sort(([a], [b]) => (a < b ? -1 : 1));
/** The countries of the G20 come first: those that most people know. */
const G20 = 'AR AU BR CA CN DE FR GB ID IN IT JP KR MX RU SA TR US ZA'.split(' ');
const COUNTRIES = [
  ...WHOLE.filter(([code]) => G20.includes(code)),
  ...WHOLE.filter(([code]) => !G20.includes(code)),
].map(([, country]) => country);
export const MOST_COUNTRIES = COUNTRIES.length;

/** Capital, continent, languages and currency of the first `count` countries. */
export function countriesOfTheWorld(count: number): Knowledge {
  const chosen = COUNTRIES.slice(0, count);
  const entities: string[] = [];
  const place = (name: string): number => {
    const known = entities.indexOf(name);
    return known >= 0 ? known : entities.push(name) - 1;
  };
  for (const { name } of chosen) place(name);
  // Luxembourg's capital is Luxembourg: another entity, so another name.
  const cityName = (city: string): string => (chosen.some(({ name }) => name === city) ? `${city} (city)` : city);
  const [capital, country, continent, language, currency] = [0, 1, 2, 3, 4];
  const relations: Relation[] = [
    { name: 'capital', phrase: 'the capital of', many: false, inverse: country },
    { name: 'country', phrase: 'the country whose capital is', many: false, inverse: capital },
    { name: 'continent', phrase: 'the continent of', many: false },
    { name: 'languages', phrase: 'the languages of', many: true },
    { name: 'currency', phrase: 'the currency of', many: false },
  ];
  const found = new Map<number, number[]>();
  const state = (entity: number, relation: number, answers: number[]) => {
    found.set(entity * relations.length + relation, answers);
  };
  for (const each of chosen) {
    const home = place(each.name);
    const city = place(cityName(each.capital));
    state(home, capital, [city]);
    state(city, country, [home]);
    state(home, continent, [place(continents[each.continent])]);
    state(
      home,
      language,
      each.languages.map((code) => place(languages[code].name)),
    );
    state(home, currency, [place(each.currency[0])]);
  }
  const facts = Array.from({ length: entities.length * relations.length }, (_, fact) => found.get(fact) ?? []);
  return {
    entities,
    relations,
    fixed: true,
    mostAnswers: Math.max(...facts.map((answers) => answers.length)),
    facts: () => facts,
  };
}
