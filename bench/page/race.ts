/**
 * The same work by this project and by others, in one tab: each is first checked against a reference, then all are
 * timed in turn, round by round, so that a busy moment of the machine falls on all alike.
 */
import type { Learner, Peer } from '../peers/peer';
import { takeUncaught } from './devices';
import { milliseconds, summarize, type Timing } from './timing';

export interface Contest<L extends string, P, O> {
  /** What each library is entered with; of several forms the quickest counts. */
  readonly entries: Readonly<Record<L, readonly Peer<P, O>[]>>;
  readonly problem: P;
  /** Updates before the comparison; several, so that Adam's moments count. */
  readonly checkedUpdates: number;
  /** Largest difference from the reference after those; at most `tolerance`. */
  differenceOf(outcome: O): number;
  readonly tolerance: number;
}

export interface Entry<L extends string = string> extends Timing {
  readonly library: L;
  readonly name: string;
  /** Largest difference from the reference after the checked updates. */
  readonly difference: number;
}

export interface Results<L extends string = string> {
  /** Milliseconds an update. */
  readonly entries: readonly Entry<L>[];
  /** Why a library was not timed. */
  readonly failures: readonly string[];
}

/** A round gives each entry about so long, but one update at least. */
const ROUND_MS = 400;
/** After so long an entry sits out the rounds that are left: it is not one that a round more or less decides about. */
const ENTRY_MS = 45_000;

export async function race<L extends string, P, O>(
  contest: Contest<L, P, O>,
  libraries: readonly L[],
  rounds: number,
): Promise<Results<L>> {
  const racers: Racer<L, O>[] = [];
  const failures: string[] = [];
  for (const library of libraries)
    for (const peer of contest.entries[library])
      try {
        racers.push(await enter(contest, library, peer));
      } catch (error) {
        failures.push(`${peer.name}: ${error instanceof Error ? error.message : String(error)}`);
      }
  for (let round = 0; round < rounds; round++)
    for (const racer of racers) {
      const { learner, count, samples } = racer;
      if (racer.spent > ENTRY_MS) continue;
      const ms = await milliseconds(() => learner.update(count));
      racer.spent += ms;
      samples.push(ms / count);
    }
  for (const { learner } of racers) learner.dispose();
  const entries = racers.map(({ library, name, difference, samples }) => ({
    library,
    name,
    difference,
    ...summarize(samples),
  }));
  return { entries, failures };
}

interface Racer<L, O> {
  readonly library: L;
  readonly name: string;
  readonly difference: number;
  readonly learner: Learner<O>;
  /** Updates a round. */
  readonly count: number;
  readonly samples: number[];
  /** Milliseconds that it was timed for. */
  spent: number;
}

/** Loads the problem, checks what comes out, and sees how long an update takes. */
async function enter<L extends string, P, O>(
  { problem, checkedUpdates, differenceOf, tolerance }: Contest<L, P, O>,
  library: L,
  peer: Peer<P, O>,
): Promise<Racer<L, O>> {
  takeUncaught();
  const learner = await peer.load(problem);
  try {
    await learner.update(checkedUpdates);
    const outcome = await learner.outcome();
    const uncaught = takeUncaught();
    if (uncaught !== undefined) throw new Error(uncaught);
    const difference = differenceOf(outcome);
    if (!(difference <= tolerance)) throw new Error(`differs from double precision by ${difference}`);
    const one = await milliseconds(() => learner.update(1));
    const count = Math.max(1, Math.round(ROUND_MS / one));
    return { library, name: peer.name, difference, learner, count, samples: [], spent: 0 };
  } catch (error) {
    learner.dispose();
    throw error;
  }
}
