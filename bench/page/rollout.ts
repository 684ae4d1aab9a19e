/** Rollout without learning: the actor and CartPole, as src/engine/run.ts gathers. */
import { Run } from '../../src/engine/run';
import { openGpu } from './adapter';
import { cartPole } from './cartpole';
import { milliseconds, summarize, type Timing } from './timing';

const STEPS = 128;

/** Environment steps a second of all copies together, episodes counted and read back. */
export async function rollout(copies: number, rounds: number): Promise<Timing> {
  const executor = await openGpu();
  const run = await Run.create(executor, cartPole({ copies, steps: STEPS }), 1);
  const { world, parameters } = run;
  let step = 0;
  const gather = async () => {
    if (step > 0) world.continueFromLastRow();
    for (let t = 0; t < STEPS; t++) {
      world.step(parameters, t, 1, step++, false, 0);
      await executor.breathe();
    }
    world.countEpisodes(STEPS);
    await executor.download(world.episodeTotals);
  };
  await gather();
  const samples: number[] = [];
  for (let round = 0; round < rounds; round++) samples.push((1000 * copies * STEPS) / (await milliseconds(gather)));
  run.destroy();
  executor.destroy();
  return summarize(samples, false);
}
