/** The layers over a board: which numbers colour the cells, and whether the policy's arrows are drawn. */
import type { ValueMap, View } from '../../engine/view';
import { countScale, countVisits, errorOf, type Scale, scaleOf } from './board';
import type { WorldClip } from './props';
import { hasValue, type Tile } from './tiles';

/** One of these colours the cells, or none. */
export const COLOURINGS = ['value', 'visits', 'error'] as const;
export type Colouring = (typeof COLOURINGS)[number];

export interface ColouredCells {
  readonly colouring: Colouring;
  /** By cell; NaN where there is nothing to show. */
  readonly values: Float32Array;
  readonly scale: Scale;
}

/** Null when that colouring has nothing to show. */
export function colour(
  colouring: Colouring,
  map: ValueMap | null,
  recent: readonly WorldClip[],
  tiles: readonly Tile[],
): ColouredCells | null {
  if (colouring === 'visits') {
    const values = withoutUnvisited(countVisits(viewsOf(recent), tiles.length));
    return { colouring, values, scale: countScale(values) };
  }
  const source = map === null ? null : colouring === 'value' ? map.values : errorOf(map);
  if (source === null || source.length !== tiles.length) return null;
  const values = source.map((value, i) => (hasValue(tiles[i]) ? value : Number.NaN));
  return { colouring, values, scale: scaleOf(values) };
}

/** A cell never entered has no count to read; it stays plain. */
function withoutUnvisited(counts: Float32Array): Float32Array {
  return counts.map((count) => (count === 0 ? Number.NaN : count));
}

function* viewsOf(clips: readonly WorldClip[]): Generator<View> {
  for (const clip of clips) for (const step of clip.frames) for (const frame of step) yield frame.view;
}

/** |learned − exact| over the states with a choice; null where the exact values are not known. */
export function exactError(map: ValueMap | null, tiles: readonly Tile[]): Float32Array | null {
  const error = map === null ? null : errorOf(map);
  if (error === null || error.length !== tiles.length) return null;
  return error.map((value, i) => (hasValue(tiles[i]) ? value : Number.NaN));
}
