/**
 * One PPO minibatch by this project and by other libraries, in one tab: each is first checked against
 * double precision, then all are timed in turn, round by round, so that a busy moment of the machine
 * falls on all alike.
 */
import { jaxPeer, LAYOUTS } from '../peers/jax';
import { ours } from '../peers/ours';
import type { Learner, Outcome, Peer, Problem } from '../peers/peer';
import { largestDifference, makeProblem, updateReference } from '../peers/reference';
import { tfjsPeer } from '../peers/tfjs';
import { takeUncaught } from './devices';
import { milliseconds, summarize, type Timing } from './timing';

export type Library = 'ours' | 'jax-js webgpu' | 'jax-js wasm' | 'tfjs wasm' | 'tfjs webgpu';

/** What a library is entered with; of several forms the quickest counts. */
const ENTRIES: Readonly<Record<Library, readonly Peer[]>> = {
  ours: [ours],
  'jax-js webgpu': LAYOUTS.map((layout) => jaxPeer('webgpu', layout)),
  'jax-js wasm': LAYOUTS.map((layout) => jaxPeer('wasm', layout)),
  'tfjs wasm': [tfjsPeer('wasm')],
  'tfjs webgpu': [tfjsPeer('webgpu')],
};

/** Updates before the comparison; several, so that Adam's moments count. */
const CHECKED_UPDATES = 8;
/** Losses and weights are of order 1: float32 sums in any order stay well within this. */
const TOLERANCE = 1e-5;
/** A round gives each entry about so long, but one update at least. */
const ROUND_MS = 400;

export interface MinibatchEntry extends Timing {
  readonly library: Library;
  readonly name: string;
  /** Largest difference of loss and weights from double precision after the checked updates. */
  readonly difference: number;
}

export interface MinibatchFigures {
  /** Milliseconds an update. */
  readonly entries: readonly MinibatchEntry[];
  /** Why a library was not timed. */
  readonly failures: readonly string[];
}

export async function minibatch(
  batch: number,
  libraries: readonly Library[],
  rounds: number,
): Promise<MinibatchFigures> {
  const problem = makeProblem(batch);
  const reference = updateReference(problem, CHECKED_UPDATES);
  const racers: Racer[] = [];
  const failures: string[] = [];
  for (const library of libraries)
    for (const peer of ENTRIES[library])
      try {
        racers.push(await enter(library, peer, problem, reference));
      } catch (error) {
        failures.push(`${peer.name}: ${error instanceof Error ? error.message : String(error)}`);
      }
  for (let round = 0; round < rounds; round++)
    for (const { learner, count, samples } of racers)
      samples.push((await milliseconds(() => learner.update(count))) / count);
  for (const { learner } of racers) learner.dispose();
  const entries = racers.map(({ library, name, difference, samples }) => ({
    library,
    name,
    difference,
    ...summarize(samples),
  }));
  return { entries, failures };
}

interface Racer {
  readonly library: Library;
  readonly name: string;
  readonly difference: number;
  readonly learner: Learner;
  /** Updates a round. */
  readonly count: number;
  readonly samples: number[];
}

/** Loads the problem, checks what comes out, and sees how long an update takes. */
async function enter(library: Library, peer: Peer, problem: Problem, reference: Outcome): Promise<Racer> {
  takeUncaught();
  const learner = await peer.load(problem);
  try {
    await learner.update(CHECKED_UPDATES);
    const outcome = await learner.outcome();
    const uncaught = takeUncaught();
    if (uncaught !== undefined) throw new Error(uncaught);
    const weights = largestDifference(outcome.networks, reference.networks);
    const difference = Math.max(weights, Math.abs(outcome.loss - reference.loss));
    if (!(difference <= TOLERANCE)) throw new Error(`differs from double precision by ${difference}`);
    const one = await milliseconds(() => learner.update(1));
    const count = Math.max(1, Math.round(ROUND_MS / one));
    return { library, name: peer.name, difference, learner, count, samples: [] };
  } catch (error) {
    learner.dispose();
    throw error;
  }
}
