/**
 * The benchmark's page: everything that is measured inside the browser, under names by which
 * bench/tab.ts calls it. Opened with nothing else in the tab.
 */
import { adapter } from './adapter';
import { watchDevices } from './devices';
import { begin, growUntil } from './memory';
import { minibatch } from './minibatch';
import { multiplyAddPeak } from './peak';
import { readbacks } from './readbacks';
import { rollout } from './rollout';
import { solve, throughput } from './training';
import { transformerUpdate } from './transformer';

const workloads = {
  adapter,
  begin,
  growUntil,
  minibatch,
  multiplyAddPeak,
  readbacks,
  rollout,
  solve,
  throughput,
  transformerUpdate,
};
export type Workloads = typeof workloads;

watchDevices();
Object.assign(globalThis, { workloads });
