/**
 * Training in the worker, as the page does it: the same commands, the world watched as the workbench does. Times are
 * the wall's, from sending Train to hearing the answer.
 */
import type { Scenario } from '../../src/engine/scenario';
import type { Command, Event, TuningMemory } from '../../src/worker/protocol';
import { cartPole } from './cartpole';
import { searchR1 } from './search';
import { summarize, type Timing } from './timing';

export interface Solved {
  /** From Train to an evaluation of at least `target`; null when the plan ended before. */
  readonly seconds: number | null;
  /** From opening the worker to being ready: device, self-test, measuring and compiling kernels. */
  readonly loadSeconds: number;
  readonly steps: number;
  /** The last one. */
  readonly evaluation: number;
  readonly tuning: TuningMemory;
}

type Evaluated = Extract<Event, { type: 'evaluation' }>;

/** CartPole, until the mean return of 100 greedy episodes is at least `target`. */
export function solve(seed: number, target: number, tuning: TuningMemory): Promise<Solved> {
  return until(cartPole(), ({ returnMean }) => returnMean, target, seed, tuning);
}

/** Search with a mask, until so large a share of episodes on held-out graphs succeeds. */
export function solveSearch(seed: number, target: number, tuning: TuningMemory): Promise<Solved> {
  return until(searchR1(), ({ success }) => success, target, seed, tuning);
}

/** Trains until an evaluation is at least `target`; a new worker each time, `tuning` as the page remembers it. */
async function until(
  scenario: Scenario,
  figureOf: (evaluation: Evaluated) => number,
  target: number,
  seed: number,
  tuning: TuningMemory,
): Promise<Solved> {
  const opened = performance.now();
  const session = await open(scenario, seed, tuning);
  const start = performance.now();
  const loadSeconds = (start - opened) / 1000;
  let [steps, evaluation] = [0, Number.NaN];
  const reached = await session.train((event) => {
    if (event.type === 'metrics') steps = event.rows[event.rows.length - 1].steps;
    if (event.type === 'evaluation') evaluation = figureOf(event);
    if (event.type === 'evaluation' && evaluation >= target) return true;
    return event.type === 'status' && event.status === 'finished' ? false : undefined;
  });
  const seconds = reached ? (performance.now() - start) / 1000 : null;
  session.close();
  return { seconds, loadSeconds, steps, evaluation, tuning: session.tuning };
}

/** Updates between two samples: longer than any hesitation of the messages. */
const SAMPLE_UPDATES = 8;

/** Environment steps a second, learning included, evaluations left out. */
export async function throughput(
  samples: number,
): Promise<Timing & { readonly batch: number; readonly minibatch: number }> {
  // Twice as many as are needed, so that the plan and its last evaluation are not reached.
  const updates = 2 * SAMPLE_UPDATES * (samples + 1);
  const session = await open(cartPole({}, { updates, evaluateEvery: updates }), 1, {});
  const taken: number[] = [];
  let last: { readonly at: number; readonly steps: number; readonly update: number } | undefined;
  await session.train((event) => {
    if (event.type !== 'metrics') return undefined;
    // The row of the update that ended just now is the last.
    const { steps, update } = event.rows[event.rows.length - 1];
    // The first updates are left out: the executor still learns what its kernels cost.
    if (update < (last ? last.update + SAMPLE_UPDATES : 3)) return undefined;
    const now = { at: performance.now(), steps, update };
    if (last) taken.push((1000 * (now.steps - last.steps)) / (now.at - last.at));
    last = now;
    return taken.length === samples ? true : undefined;
  });
  session.close();
  return { ...summarize(taken, false), batch: session.batch, minibatch: session.minibatch };
}

interface OpenSession {
  readonly tuning: TuningMemory;
  readonly batch: number;
  readonly minibatch: number;
  /** Sends Train; resolves with the first answer of `hear` that is not undefined. */
  train(hear: (event: Event) => boolean | undefined): Promise<boolean>;
  close(): void;
}

/** Episodes that the workbench of a world of tokens shows. */
const TRANSCRIPTS = 4;

/** A worker with the scenario loaded and ready. */
async function open(scenario: Scenario, seed: number, tuning: TuningMemory): Promise<OpenSession> {
  const worker = new Worker(new URL('../../src/worker/worker.ts', import.meta.url), { type: 'module' });
  const send = (command: Command) => worker.postMessage(command);
  /** Every event goes to `hear` until it answers; whatever ends the run is an error. */
  const listen = <T>(hear: (event: Event) => T | undefined) =>
    new Promise<T>((resolve, reject) => {
      worker.onerror = ({ message }) => reject(new Error(message));
      worker.onmessage = ({ data }: MessageEvent<Event>) => {
        const broken = data.type === 'failed' || data.type === 'refused' || data.type === 'device-lost';
        if (broken || (data.type === 'status' && data.status === 'stopped')) reject(new Error(JSON.stringify(data)));
        const answer = hear(data);
        if (answer !== undefined) resolve(answer);
      };
    });
  const { copies = TRANSCRIPTS } = scenario.slots.rollout.parameters as { copies?: number };
  const loaded = listen((event) => (event.type === 'ready' ? event : undefined));
  send({ type: 'watch', copies, valueMap: false });
  send({ type: 'load', run: 1, scenario, seed, executor: 'webgpu', tuning });
  const ready = await loaded;
  if (ready.device.kind !== 'webgpu') throw new Error(ready.device.reason ?? 'no WebGPU');
  return {
    tuning: ready.tuning,
    batch: ready.shapes.batch,
    minibatch: ready.shapes.minibatch,
    train(hear) {
      const heard = listen(hear);
      send({ type: 'train' });
      return heard;
    },
    close: () => worker.terminate(),
  };
}
