/** Readbacks a turn of all episodes together, by family of text worlds. */
import { TEXT_ENVIRONMENTS } from '../../src/engine/text/families';
import { TextRun } from '../../src/engine/text/run';
import { textScenario } from '../../src/engine/text/testing';
import { openGpu } from './adapter';

const UPDATES = 2;

/** The most readbacks from one turn to the next, and readbacks an update beside its turns. */
export interface TurnReadbacks {
  readonly turn: number;
  readonly besides: number;
}

export async function turnReadbacks(): Promise<Readonly<Record<string, TurnReadbacks>>> {
  const executor = await openGpu();
  const figures: Record<string, TurnReadbacks> = {};
  for (const id of Object.keys(TEXT_ENVIRONMENTS)) {
    const scenario = textScenario({
      environment: { id },
      policy: { id: 'gru', width: 16, embedding: 8 },
      rollout: { groups: 2, group_size: 2 },
    });
    const run = await TextRun.create(executor, scenario, 1);
    let [turn, besides] = [0, 0];
    for (let update = 0; update < UPDATES; update++) {
      let last = executor.counters.readbacks;
      await run.train(undefined, () => {
        turn = Math.max(turn, executor.counters.readbacks - last);
        last = executor.counters.readbacks;
      });
      besides = Math.max(besides, executor.counters.readbacks - last);
    }
    figures[id] = { turn, besides };
    run.destroy();
  }
  executor.destroy();
  return figures;
}
