/** The project's own scenarios: an index that is small enough for the first load, and each lesson when it is read. */
import type { Scenario } from '../engine/scenario';
import { type Verdict, verdictOfAll } from '../formats/verdict';

export type Entry = Pick<
  Scenario,
  | 'id'
  | 'title'
  | 'summary'
  | 'capabilities'
  | 'fields'
  | 'paper'
  | 'seconds'
  | 'claims'
  | 'slots'
  | 'preset'
  | 'phases'
> & {
  readonly verdict: Verdict;
};

const files = import.meta.glob<Scenario>('../../scenarios/*/scenario.json', { eager: true, import: 'default' });
const lessons = import.meta.glob<string>('../../scenarios/*/lesson.md', { query: '?raw', import: 'default' });

/** The order in which scenarios build on each other; others follow by title. */
const ORDER = [
  'search-r1-mask',
  'bandit',
  'frozen-lake-4x4',
  'frozen-lake-8x8',
  'cliff-walking',
  'cartpole',
  'empty',
  'lavagap',
  'four-rooms',
  'doorkey-6x6',
  'mountain-car',
  'acrobot',
  'pendulum',
  'retool',
  'turn-level-credit',
  'grpo-roc',
  'ppo-clip',
  'grpo-deviation',
  'dapo-clip-higher',
  'dapo-dynamic-sampling',
  'dapo-token-loss',
  'dapo-overlong',
  'dpo',
  'async-decoupled',
];
const rank = (id: string) => (ORDER.includes(id) ? ORDER.indexOf(id) : ORDER.length);

export const ENTRIES: readonly Entry[] = Object.values(files)
  .map((file) => ({ ...file, verdict: verdictOfAll(file.claims) }))
  .sort((a, b) => rank(a.id) - rank(b.id) || a.title.localeCompare(b.title));

/** The file of a scenario with its lesson, still to be checked; undefined when there is none of that id. */
export async function readOwnScenario(id: string): Promise<unknown> {
  const file = Object.values(files).find((one) => one.id === id);
  if (file === undefined) return undefined;
  const folder = Object.keys(files)
    .find((path) => files[path] === file)
    ?.replace(/scenario\.json$/, '');
  const lesson = await lessons[`${folder}lesson.md`]?.();
  return { ...file, lesson: lesson ?? '' };
}

/** Whether every word of `query` stands in what a scenario says of itself, or in the names of its parts. */
export function matches({ id, title, summary, paper, preset, slots, phases, claims }: Entry, query: string): boolean {
  const parts = [...Object.values(slots), ...(phases ?? [])].map((part) => part.id);
  const said = [id, title, summary, paper?.title ?? '', preset, ...parts, ...claims.map(({ sentence }) => sentence)];
  const text = said.join(' ').toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
