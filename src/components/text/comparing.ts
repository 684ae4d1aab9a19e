/** Two episodes of a task side by side, and after each choice the next two that were not compared yet. */
import { useState } from 'react';
import type { Transcript } from '../../engine/view';
import { endingOf, returnOf, rivalsOf } from './episode';

/** Pairs that were judged, by `pairKey`. */
type Judged = ReadonlySet<string>;

export const pairKey = (one: number, other: number) => `${Math.min(one, other)} ${Math.max(one, other)}`;

/** Two finished episodes of one task that were not judged; such with different rewards first. */
export function nextPair(
  episodes: readonly Transcript[],
  judged: Judged,
): readonly [Transcript, Transcript] | undefined {
  const pairs = episodes
    .filter((one) => endingOf(one) !== 'writing')
    .flatMap((one, index) => rivalsOf(one, episodes.slice(index + 1)).map((other) => [one, other] as const))
    .filter(([one, other]) => !judged.has(pairKey(one.episode, other.episode)));
  return pairs.find(([one, other]) => returnOf(one) !== returnOf(other)) ?? pairs[0];
}

export interface Comparing {
  /** Number of the episode beside the chosen one; null: none. */
  readonly beside: number | null;
  readonly setBeside: (episode: number | null) => void;
  readonly prefer: (better: number, worse: number) => void;
}

export function useComparing(
  episodes: readonly Transcript[],
  onChoose: (index: number) => void,
  onPrefer: (better: number, worse: number) => void,
): Comparing {
  const [beside, setBeside] = useState<number | null>(null);
  // Numbers are given anew to other episodes.
  const [{ of, judged }, setJudged] = useState<{ of: readonly Transcript[]; judged: Judged }>({
    of: episodes,
    judged: new Set(),
  });
  return {
    beside,
    setBeside,
    prefer: (better, worse) => {
      onPrefer(better, worse);
      const now = new Set(of === episodes ? judged : []).add(pairKey(better, worse));
      setJudged({ of: episodes, judged: now });
      const next = nextPair(episodes, now);
      if (next !== undefined) onChoose(episodes.indexOf(next[0]));
      setBeside(next?.[1].episode ?? null);
    },
  };
}
