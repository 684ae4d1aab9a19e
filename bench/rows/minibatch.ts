/**
 * One PPO minibatch (forward, backward, Adam; actor and critic 4-64-64 tanh apart) against other
 * libraries. Rows of one batch size are measured together, so that all compete in the same rounds.
 */
import type { Library, MinibatchFigures } from '../page/minibatch';
import type { Bench, Measured, Row } from '../row';

const ROUNDS = 7;
const BATCHES = [256, 2048] as const;

interface Contest {
  readonly suffix: string;
  readonly against: readonly Library[];
  /** How many times as fast as the best of them, by batch. */
  readonly factor: Readonly<Record<(typeof BATCHES)[number], number>>;
}

const CONTESTS: readonly Contest[] = [
  { suffix: 'jax', against: ['jax-js webgpu'], factor: { 256: 5, 2048: 3 } },
  { suffix: 'wasm', against: ['jax-js wasm', 'tfjs wasm'], factor: { 256: 2, 2048: 1 } },
  { suffix: 'tfjs', against: ['tfjs webgpu'], factor: { 256: 30, 2048: 30 } },
];

const nameOf = (batch: number, { suffix }: Contest) => `ppo-minibatch-${batch}-${suffix}`;

export const minibatchRows: readonly Row[] = CONTESTS.flatMap((contest) =>
  BATCHES.map((batch) => rowOf(batch, contest)),
);

function rowOf(batch: (typeof BATCHES)[number], contest: Contest): Row {
  const factor = contest.factor[batch];
  return {
    name: nameOf(batch, contest),
    title: `PPO minibatch of ${batch} against ${contest.against.join(', ')}`,
    unit: 'ms',
    bound: `ratio to the best >= ${factor}`,
    measure: async (bench) => compare(await figuresOf(batch, bench), contest.against),
    holds({ ratios = {} }) {
      const known = Object.values(ratios).filter((ratio) => ratio !== null);
      return known.length === 0 ? null : Math.min(...known) >= factor;
    },
  };
}

const measured = new Map<number, Promise<MinibatchFigures>>();

function figuresOf(batch: number, { browser, names }: Bench): Promise<MinibatchFigures> {
  const wanted = CONTESTS.filter((contest) => names.includes(nameOf(batch, contest))).flatMap(({ against }) => against);
  const figures =
    measured.get(batch) ?? browser.inTab((tab) => tab.call('minibatch', batch, ['ours', ...wanted], ROUNDS));
  measured.set(batch, figures);
  return figures;
}

function compare({ entries, failures }: MinibatchFigures, against: readonly Library[]): Measured {
  const quickest = (library: Library) =>
    entries.filter((entry) => entry.library === library).sort((a, b) => a.median - b.median)[0];
  const ours = quickest('ours');
  if (!ours) throw new Error(failures.find((failure) => failure.startsWith('this project')));
  const theirs = against.map((library) => [library, quickest(library)] as const);
  const shown = entries.filter(({ library }) => library === 'ours' || against.includes(library));
  return {
    ours: ours.median,
    best: ours.best,
    peers: Object.fromEntries(theirs.map(([library, entry]) => [library, entry?.median ?? null])),
    ratios: Object.fromEntries(theirs.map(([library, entry]) => [library, entry ? entry.median / ours.median : null])),
    detail: {
      best: Object.fromEntries(shown.map(({ name, best }) => [name, best])),
      median: Object.fromEntries(shown.map(({ name, median }) => [name, median])),
      difference: Object.fromEntries(shown.map(({ name, difference }) => [name, difference])),
      failures: failures.filter((failure) => against.some((library) => failure.startsWith(library))),
      rounds: ROUNDS,
      threads: 'off: they need cross-origin isolation, which the playground does not have',
    },
  };
}
