/** Rollout with the actor, no learning. */
import { holdsOurs, type Row } from '../row';

const COPIES = 4096;
const ROUNDS = 7;
const STEPS_PER_SECOND = 300_000;

export const rolloutRows: readonly Row[] = [
  {
    name: 'rollout-4096',
    title: 'CartPole-v1 rollout with the actor, no learning, 4,096 copies',
    unit: 'environment steps/s',
    bound: `>= ${STEPS_PER_SECOND}`,
    async measure({ browser }) {
      const { median, best } = await browser.inTab((tab) => tab.call('rollout', COPIES, ROUNDS));
      return { ours: median, best, detail: { rounds: ROUNDS } };
    },
    holds: holdsOurs((stepsPerSecond) => stepsPerSecond >= STEPS_PER_SECOND),
  },
];
