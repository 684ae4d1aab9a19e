/**
 * One PPO minibatch (forward, backward, Adam; actor and critic 4-64-64 tanh apart) against other
 * libraries. Rows of one batch size are measured together, so that all compete in the same rounds.
 */
import type { Library } from '../page/minibatch';
import type { Results } from '../page/race';
import type { Bench, Row } from '../row';
import { compare, holdsRatio } from './compare';

const ROUNDS = 7;
const BATCHES = [256, 2048] as const;
const THREADS = 'off: they need cross-origin isolation, which the playground does not have';

interface Contest {
  readonly suffix: string;
  /** What this project takes part with. */
  readonly ours: readonly Library[];
  readonly against: readonly Library[];
  /** How many times as fast as the best of them, by batch. */
  readonly factor: Readonly<Record<(typeof BATCHES)[number], number>>;
}

const CONTESTS: readonly Contest[] = [
  { suffix: 'jax', ours: ['ours'], against: ['jax-js webgpu'], factor: { 256: 5, 2048: 3 } },
  // Like with like: our CPU executor is WebAssembly on one core too. WebGPU stands beside it.
  {
    suffix: 'wasm',
    ours: ['ours', 'ours cpu'],
    against: ['jax-js wasm', 'tfjs wasm'],
    factor: { 256: 2, 2048: 1 },
  },
  { suffix: 'tfjs', ours: ['ours'], against: ['tfjs webgpu'], factor: { 256: 30, 2048: 30 } },
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
    measure: async (bench) =>
      compare(await figuresOf(batch, bench), contest.ours, contest.against, { rounds: ROUNDS, threads: THREADS }),
    holds: holdsRatio(factor),
  };
}

const measured = new Map<number, Promise<Results<Library>>>();

function figuresOf(batch: number, { browser, names }: Bench): Promise<Results<Library>> {
  const contests = CONTESTS.filter((contest) => names.includes(nameOf(batch, contest)));
  const wanted = [...new Set(contests.flatMap(({ ours, against }) => [...ours, ...against]))];
  const figures = measured.get(batch) ?? browser.inTab((tab) => tab.call('minibatch', batch, wanted, ROUNDS));
  measured.set(batch, figures);
  return figures;
}
