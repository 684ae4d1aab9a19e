/**
 * Memory over many updates: a session as the worker has it, but in the page's own thread, where
 * bench/tab.ts can collect garbage and read the heap.
 */
import type { Event } from '../../src/worker/protocol';
import { Session } from '../../src/worker/session';
import { cartPole } from './cartpole';
import { liveBytes } from './devices';
import { search } from './search';

/** Small, so that many updates fit in a minute or two; all kernels of an update run all the same. */
const SMALL = {
  control: (updates: number) => cartPole({ copies: 4, steps: 16 }, { updates, evaluateEvery: 100 }),
  text: (updates: number) =>
    search({
      // So few that all are remembered from the beginning: what is kept of tasks is bounded, but comes and goes.
      environment: { id: 'mini-kg', tasks: 64 },
      policy: { id: 'gru', width: 16, embedding: 8 },
      rollout: { groups: 2, group_size: 2 },
      training: { updates, evaluateEvery: 100, evaluationEpisodes: 4 },
    }),
};

let session: Session | undefined;
let hear: (event: Event) => void = () => {};

/** Loads the small run of a control world or of one of tokens. */
export async function begin(world: keyof typeof SMALL, updates: number): Promise<void> {
  await answer(
    (event) => event.type === 'ready',
    () => {
      session = new Session((event) => hear(event), navigator.gpu);
      session.receive({
        type: 'load',
        run: 1,
        scenario: SMALL[world](updates),
        seed: 1,
        executor: 'webgpu',
        tuning: {},
      });
    },
  );
}

/** Trains until `update` updates are done, pauses, and tells the bytes of live GPU buffers. */
export async function growUntil(update: number): Promise<number> {
  await answer(
    (event) => {
      if (event.type === 'metrics' && event.rows[event.rows.length - 1].update >= update)
        session?.receive({ type: 'pause' });
      return event.type === 'status' && event.status !== 'training';
    },
    () => session?.receive({ type: 'train' }),
  );
  return liveBytes();
}

function answer(isAnswer: (event: Event) => boolean, ask: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    hear = (event) => {
      if (event.type === 'failed' || event.type === 'refused' || event.type === 'device-lost')
        reject(new Error(JSON.stringify(event)));
      if (isAnswer(event)) resolve();
    };
    ask();
  });
}
