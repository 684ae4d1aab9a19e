/**
 * Evaluation: every copy plays one episode with the current policy, which learns nothing from it; the
 * observation statistics stay as they are (F11). Its random streams are its own, so evaluating changes
 * nothing of the run.
 */
import { EPISODES, EPISODES_SIZE, RUNNING_SIZE } from '../../kernels/environment/episodes';
import type { Run } from './run';
import { deviation, mean } from './statistics';

export interface Evaluation {
  readonly episodes: number;
  readonly returnMean: number;
  /** Sample deviation over episodes. */
  readonly returnDeviation: number;
  readonly success: number;
  readonly length: number;
  /** Return of each episode. */
  readonly returns: readonly number[];
}

/** Steps between two looks at whether all have ended. */
export const CHUNK_STEPS = 64;
/** An episode that never ends is counted as it stands after this many steps. */
const MAX_STEPS = 10_000;

export async function evaluate(
  run: Run,
  episodes: number,
  greedy: boolean,
  seed: number,
  cancelled = () => false,
): Promise<Evaluation | undefined> {
  const { executor } = run;
  const world = run.evaluationWorld(episodes, CHUNK_STEPS);
  world.reset(seed);
  const limit = run.resolved.environment.program.maxSteps || MAX_STEPS;
  const totals = new Float64Array(episodes * EPISODES_SIZE);
  let ended = 0;
  for (let step = 0; step < limit && ended < episodes; step += CHUNK_STEPS) {
    world.continueFromLastRow();
    for (let t = 0; t < CHUNK_STEPS; t++) {
      world.step(run.parameters, t, seed, step + t, greedy, 1);
      await executor.breathe();
      if (cancelled()) return undefined;
    }
    world.countEpisodes(CHUNK_STEPS);
    const table = await executor.download(world.episodes);
    for (let i = 0; i < totals.length; i++) totals[i] += table[i];
    ended = 0;
    for (let copy = 0; copy < episodes; copy++) ended += totals[copy * EPISODES_SIZE + EPISODES.ended];
  }
  return summarize(totals, episodes, (await executor.download(world.running)) as Float32Array);
}

/** Episodes that did not end count with what they had so far, and as no success. */
function summarize(totals: Float64Array, episodes: number, running: Float32Array): Evaluation {
  const column = (copy: number, name: keyof typeof EPISODES) => totals[copy * EPISODES_SIZE + EPISODES[name]];
  const unfinished = (copy: number) => column(copy, 'ended') === 0;
  const copies = Array.from({ length: episodes }, (_, i) => i);
  return evaluationOf(
    copies.map((copy) => ({
      earned: unfinished(copy) ? running[copy * RUNNING_SIZE] : column(copy, 'returns'),
      success: column(copy, 'successes'),
      length: unfinished(copy) ? running[copy * RUNNING_SIZE + 1] : column(copy, 'lengths'),
    })),
  );
}

/** What episodes come to; `success` is 1 or 0. */
export function evaluationOf(
  played: readonly { readonly earned: number; readonly success: number; readonly length: number }[],
): Evaluation {
  const returns = played.map(({ earned }) => earned);
  return {
    episodes: played.length,
    returnMean: mean(returns),
    returnDeviation: deviation(returns),
    success: mean(played.map(({ success }) => success)),
    length: mean(played.map(({ length }) => length)),
    returns,
  };
}
