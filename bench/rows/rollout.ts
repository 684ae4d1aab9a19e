/** Rollouts, without learning: of a control world, of tokens, and of episodes of uneven length. */
import { holdsOurs, type Row } from '../row';

const COPIES = 4096;
const ROUNDS = 7;
const STEPS_PER_SECOND = 300_000;

const SEQUENCES = 128;
const TOKENS_PER_SECOND = 8000;

const UPDATES = 5;
const ASYNCHRONOUS_FACTOR = 1.5;

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
  {
    name: 'decoding',
    title: `Sampling with cache, ${SEQUENCES} sequences, the transformer of the update's rows`,
    unit: 'tokens/s',
    bound: `>= ${TOKENS_PER_SECOND}`,
    async measure({ browser }) {
      const { median, best } = await browser.inTab((tab) => tab.call('decoding', SEQUENCES, ROUNDS));
      return { ours: median, best, detail: { rounds: ROUNDS } };
    },
    holds: holdsOurs((tokensPerSecond) => tokensPerSecond >= TOKENS_PER_SECOND),
  },
  {
    name: 'asynchronous-rollout',
    title: 'Episodes of uneven length: asynchronous rollout over one in which slots wait for the longest',
    unit: 'times the tokens/s',
    bound: `>= ${ASYNCHRONOUS_FACTOR}`,
    async measure({ browser }) {
      const { turns, asynchronous } = await browser.inTab((tab) => tab.call('rolloutKinds', UPDATES));
      const episodes = asynchronous.episodes.median / turns.episodes.median;
      return {
        ours: asynchronous.tokens.median / turns.tokens.median,
        note: `${episodes.toFixed(2)} times the episodes/s`,
        detail: { updates: UPDATES, turns, asynchronous },
      };
    },
    holds: holdsOurs((factor) => factor >= ASYNCHRONOUS_FACTOR),
  },
];
