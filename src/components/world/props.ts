/**
 * What the world panel takes and what it calls: plain data and callbacks, so that it can be tested
 * and shown without a store. The page connects it (see the examples beside each property).
 */

import type { ValueMap } from '../../engine/view';
import type { Event, Frame } from '../../worker/protocol';

/** Consecutive steps of the watched copies since one rollout: the 'world' event as it came. */
export interface WorldClip {
  readonly update: number;
  /** `frames[i][copy]`: the state in which the action was taken, and what came of it. */
  readonly frames: readonly (readonly Frame[])[];
}

/** The 'play' event as it came: the state now, and what the last action brought. */
export type PlayState = Extract<Event, { type: 'play' }>;

/** Keys for one action: `KeyboardEvent.key` values (letters in lower case), the first is the one shown. */
export interface ActionKeys {
  readonly keys: readonly string[];
  /** For the button on the screen, such as "Turn left". */
  readonly label: string;
}

/** By action index. For continuous actions: two entries a dimension, towards its low and its high bound. */
export type KeyMap = readonly ActionKeys[];

export type WorldPhase =
  /** No run yet: one sentence. */
  | { readonly kind: 'empty' }
  /** `what` and how far, from the 'progress' event. */
  | { readonly kind: 'loading'; readonly what: string; readonly done: number; readonly total: number }
  /** What failed, what was kept, what to do. The rest of the page goes on. */
  | { readonly kind: 'error'; readonly what: string; readonly message: string; readonly advice: string }
  | { readonly kind: 'ready' };

/** From the 'ready' event's shapes; what the actions are. */
export interface WorldActions {
  /** By action index; for continuous actions by dimension. */
  readonly names: readonly string[];
  readonly continuous: boolean;
  /** Bounds by dimension of a continuous action; empty for discrete ones. */
  readonly low: readonly number[];
  readonly high: readonly number[];
}

export interface WorldPanelProps {
  readonly phase: WorldPhase;
  /** What is shown, for the text twins: "FrozenLake 8×8". */
  readonly title: string;
  /** Updates done by the run. */
  readonly update: number;
  /** Training now. */
  readonly running: boolean;
  readonly actions: WorldActions;
  /** The newest 'world' event; null before the first. */
  readonly clip: WorldClip | null;
  /** The newest 'value-map' event's map; null where the world has none. */
  readonly valueMap: ValueMap | null;
  /** Copies that train, of which a few are watched: the "256" of "8 of 256 copies". */
  readonly copies: number;
  /** Success of the last evaluation, 0–1; null before the first. Always shown beside the reward. */
  readonly success: number | null;

  /** The newest 'play' event; null while nobody plays. Setting it opens the play view, null closes it. */
  readonly play: PlayState | null;
  /**
   * The policy's answer for the state in play: a probability an action, or the mean of each dimension.
   * Null until it has answered for this state: set it to null with each new 'play' event.
   */
  readonly hint: readonly number[] | null;
  /** Overrides the keys made from the names of the actions (`defaultKeys`). */
  readonly keys?: KeyMap;

  /** Start or restart an episode; the page chooses a new seed and sends 'play-start'. */
  readonly onPlayStart: () => void;
  /** A discrete action's index, or one number a dimension. */
  readonly onPlayAct: (action: readonly number[]) => void;
  /** Ask what the policy would do in the state in play. */
  readonly onPlayHint: () => void;
  /** Leave; the page sends 'play-stop' and sets `play` to null. */
  readonly onPlayStop: () => void;
  /** How many copies the panel can show, and whether it shows the values. Called on mount, on a change, and with 0 on unmount. */
  readonly onWatch: (copies: number, valueMap: boolean) => void;
  /** Added to the panel's own class, for the page's grid. */
  readonly className?: string;
}
