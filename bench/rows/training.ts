/** CartPole in the worker: environment steps a second, and seconds from Train to solved. */
import type { Solved } from '../page/training';
import type { Row } from '../row';
import { holdsOurs } from '../row';

const SAMPLES = 7;
const SEEDS = [1, 2, 3, 4, 5];
const TARGET = 475;
const MEDIAN_SECONDS = 20;
const LONGEST_SECONDS = 40;

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

const solved: Row = {
  name: 'cartpole-475',
  title: 'CartPole-v1 from Train to mean return >= 475 over 100 evaluation episodes, five seeds',
  unit: 's',
  bound: `median <= ${MEDIAN_SECONDS} and none > ${LONGEST_SECONDS}`,
  async measure({ browser }) {
    const runs: Solved[] = [];
    for (const seed of SEEDS)
      runs.push(await browser.inTab((tab) => tab.call('solve', seed, TARGET, runs.at(-1)?.tuning ?? {})));
    const seconds = runs.map((run) => run.seconds ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b);
    const median = seconds[seconds.length >> 1];
    return {
      ours: Number.isFinite(median) ? median : null,
      note: `seeds ${SEEDS[0]}–${SEEDS.at(-1)}: ${runs.map(({ seconds }) => seconds?.toFixed(1) ?? 'never').join(' ')}`,
      detail: {
        seconds: Object.fromEntries(SEEDS.map((seed, i) => [seed, runs[i].seconds])),
        steps: runs.map(({ steps }) => steps),
        evaluation: runs.map(({ evaluation }) => evaluation),
        // Kernels are compiled before Train can be pressed; the first also measures tiles.
        load_seconds: runs.map(({ loadSeconds }) => loadSeconds),
      },
    };
  },
  holds({ ours, detail }) {
    const seconds = Object.values(detail.seconds as Record<string, number | null>);
    return (
      ours !== null && ours <= MEDIAN_SECONDS && seconds.every((value) => value !== null && value <= LONGEST_SECONDS)
    );
  },
};

export const trainingRows: readonly Row[] = [throughput, solved];
