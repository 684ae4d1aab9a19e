/** One PPO minibatch by this project and by other libraries. */
import { jaxPeer, LAYOUTS } from '../peers/jax';
import { ours, oursOnCpu } from '../peers/ours';
import type { Outcome, Peer, Problem } from '../peers/peer';
import { largestDifference, makeProblem, updateReference } from '../peers/reference';
import { tfjsPeer } from '../peers/tfjs';
import { type Results, race } from './race';

export type Library = 'ours' | 'ours cpu' | 'jax-js webgpu' | 'jax-js wasm' | 'tfjs wasm' | 'tfjs webgpu';

const ENTRIES: Readonly<Record<Library, readonly Peer<Problem, Outcome>[]>> = {
  ours: [ours],
  'ours cpu': [oursOnCpu],
  'jax-js webgpu': LAYOUTS.map((layout) => jaxPeer('webgpu', layout)),
  'jax-js wasm': LAYOUTS.map((layout) => jaxPeer('wasm', layout)),
  'tfjs wasm': [tfjsPeer('wasm')],
  'tfjs webgpu': [tfjsPeer('webgpu')],
};

const CHECKED_UPDATES = 8;

export async function minibatch(
  batch: number,
  libraries: readonly Library[],
  rounds: number,
): Promise<Results<Library>> {
  const problem = makeProblem(batch);
  const reference = updateReference(problem, CHECKED_UPDATES);
  const contest = {
    entries: ENTRIES,
    problem,
    checkedUpdates: CHECKED_UPDATES,
    differenceOf: ({ networks, loss }: Outcome) =>
      Math.max(largestDifference(networks, reference.networks), Math.abs(loss - reference.loss)),
    // Losses and weights are of order 1: float32 sums in any order stay well within this.
    tolerance: 1e-5,
  };
  return race(contest, libraries, rounds);
}
