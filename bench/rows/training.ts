/** Training in the worker: environment steps a second, and seconds from Train to solved. */
import type { Solved } from '../page/training';
import type { Row } from '../row';
import { holdsOurs } from '../row';

const SAMPLES = 7;

const throughput: Row = {
  name: 'cartpole-training',
  title: 'CartPole-v1, PPO with 4 epochs × 4 minibatches, learning included',
  unit: 'environment steps/s',
  bound: '>= 12000',
  async measure({ browser }) {
    const { median, best, ...detail } = await browser.inTab((tab) => tab.call('throughput', SAMPLES));
    return { ours: median, best, detail: { ...detail, samples: SAMPLES } };
  },
  holds: holdsOurs((stepsPerSecond) => stepsPerSecond >= 12_000),
};

/** Seconds from Train to `target`, one run a seed; its bounds are on the median and on the longest. */
function solvedRow(
  row: Pick<Row, 'name' | 'title'>,
  workload: 'solve' | 'solveSearch',
  seeds: readonly number[],
  target: number,
  bounds: { readonly median: number; readonly longest: number },
): Row {
  return {
    ...row,
    unit: 's',
    bound: `median <= ${bounds.median} and none > ${bounds.longest}`,
    async measure({ browser }) {
      const runs: Solved[] = [];
      for (const seed of seeds)
        runs.push(await browser.inTab((tab) => tab.call(workload, seed, target, runs.at(-1)?.tuning ?? {})));
      const seconds = runs.map((run) => run.seconds ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b);
      const median = seconds[seconds.length >> 1];
      return {
        ours: Number.isFinite(median) ? median : null,
        note: `seeds ${seeds[0]}–${seeds.at(-1)}: ${runs.map((run) => run.seconds?.toFixed(1) ?? 'never').join(' ')}`,
        detail: {
          seconds: Object.fromEntries(seeds.map((seed, i) => [seed, runs[i].seconds])),
          steps: runs.map(({ steps }) => steps),
          evaluation: runs.map(({ evaluation }) => evaluation),
          // Kernels are compiled before Train can be pressed; the first also measures tiles.
          load_seconds: runs.map(({ loadSeconds }) => loadSeconds),
        },
      };
    },
    holds({ ours, detail }) {
      const seconds = Object.values(detail.seconds as Record<string, number | null>);
      const inTime = seconds.every((value) => value !== null && value <= bounds.longest);
      return ours !== null && ours <= bounds.median && inTime;
    },
  };
}

export const trainingRows: readonly Row[] = [
  throughput,
  solvedRow(
    {
      name: 'cartpole-475',
      title: 'CartPole-v1 from Train to mean return >= 475 over 100 evaluation episodes, five seeds',
    },
    'solve',
    [1, 2, 3, 4, 5],
    475,
    { median: 20, longest: 40 },
  ),
  solvedRow(
    {
      name: 'search-r1-success',
      title: 'C01 with its mask from Train to success >= 0.9 on held-out graphs, three seeds',
    },
    'solveSearch',
    [1, 2, 3],
    0.9,
    { median: 240, longest: 240 },
  ),
];
