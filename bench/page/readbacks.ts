/** How often an update waits for data from the device, by control environment. */
import { ENVIRONMENTS } from '../../src/engine/environments';
import { Run } from '../../src/engine/run';
import { openGpu } from './adapter';
import { cartPole } from './cartpole';

const UPDATES = 4;

/** Readbacks an update of each environment with its own defaults. */
export async function readbacks(): Promise<Readonly<Record<string, number>>> {
  const executor = await openGpu();
  const figures: Record<string, number> = {};
  for (const id of Object.keys(ENVIRONMENTS)) {
    const small = cartPole({ copies: 4, steps: 16 });
    const run = await Run.create(
      executor,
      { ...small, slots: { ...small.slots, environment: { id, parameters: {} } } },
      1,
    );
    const before = executor.counters.readbacks;
    for (let update = 0; update < UPDATES; update++) await run.train();
    figures[id] = (executor.counters.readbacks - before) / UPDATES;
    run.destroy();
  }
  executor.destroy();
  return figures;
}
