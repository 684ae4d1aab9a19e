/**
 * The benchmark's page: everything that is measured inside the browser, under names by which
 * bench/tab.ts calls it. Opened with nothing else in the tab.
 */
import { adapter } from './adapter';
import { rolloutKinds } from './asynchronous';
import { decoding } from './decoding';
import { watchDevices } from './devices';
import { begin, growUntil } from './memory';
import { minibatch } from './minibatch';
import { minibatchPeak, transformerPeak } from './peak';
import { readbacks } from './readbacks';
import { rollout } from './rollout';
import { solve, solveSearch, throughput } from './training';
import { transformerUpdate } from './transformer';
import { turnReadbacks } from './turns';

const workloads = {
  adapter,
  begin,
  decoding,
  growUntil,
  minibatch,
  minibatchPeak,
  readbacks,
  rollout,
  rolloutKinds,
  solve,
  solveSearch,
  throughput,
  transformerPeak,
  transformerUpdate,
  turnReadbacks,
};
export type Workloads = typeof workloads;

watchDevices();
Object.assign(globalThis, { workloads });
