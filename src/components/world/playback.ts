/**
 * The clock of the world panel: which step of which clip is on the screen. Pure, so that time is an
 * argument. A clip plays from its first step; a newer one waits until the episode in view is over
 * (or has been looked at long enough), so that a person sees behaviour and not single steps.
 */

import type { View } from '../../engine/view';
import type { Frame } from '../../worker/protocol';
import type { WorldClip } from './props';

export interface Playback {
  /** What is played now; null before the first clip. */
  readonly shown: WorldClip | null;
  /** What has come last; the same as `shown` when nothing waits. */
  readonly newest: WorldClip | null;
  /** Step of `shown`, from 0. */
  readonly index: number;
  /** Seconds on the caller's clock at which `shown` began. */
  readonly since: number;
  readonly playing: boolean;
  readonly loop: boolean;
  /** Multiple of the world's own pace. */
  readonly speed: number;
}

export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8] as const;

/** A newer clip is not kept waiting longer than this, in seconds. */
export const PATIENCE = 6;

/** Below this many steps a second an agent's move is drawn as a movement (mock README, Motion). */
export const ANIMATED_BELOW = 8;

export const INITIAL_PLAYBACK: Playback = {
  shown: null,
  newest: null,
  index: 0,
  since: 0,
  playing: true,
  loop: true,
  speed: 1,
};

/** Steps a second at speed 1: Gymnasium's and MiniGrid's own `render_fps` of each world. */
export function paceOf(kind: View['kind']): number {
  switch (kind) {
    case 'cartpole':
      return 50;
    case 'mountain-car':
    case 'pendulum':
      return 30;
    case 'acrobot':
      return 15;
    case 'grid':
    case 'mdp':
    case 'bandit':
      return 4;
  }
}

/** A clip has come. A clip of an earlier update (a reset, another run) is shown at once. */
export function receive(state: Playback, clip: WorldClip | null, now: number): Playback {
  if (clip === null || clip.frames.length === 0) return { ...state, shown: null, newest: null, index: 0 };
  if (state.shown === null || clip.update < state.shown.update) return begin({ ...state, newest: clip }, clip, now);
  return { ...state, newest: clip };
}

function begin(state: Playback, clip: WorldClip, now: number): Playback {
  return { ...state, shown: clip, index: 0, since: now };
}

/** `steps` steps go by at time `now`; `copy` is the one whose episodes decide when a newer clip may come. */
export function advance(state: Playback, steps: number, now: number, copy: number): Playback {
  let next = state;
  for (let i = 0; i < steps && next.playing; i++) next = stepOn(next, now, copy);
  return next;
}

function stepOn(state: Playback, now: number, copy: number): Playback {
  const { shown, newest } = state;
  if (shown === null) return state;
  const atEnd = state.index >= shown.frames.length - 1;
  const episodeOver = shown.frames[state.index]?.[copy]?.ended !== 'no';
  if (newest !== null && newest !== shown && (atEnd || episodeOver || now - state.since >= PATIENCE)) {
    return begin(state, newest, now);
  }
  if (!atEnd) return { ...state, index: state.index + 1 };
  return state.loop ? { ...state, index: 0 } : { ...state, playing: false };
}

/** One step by hand: pauses, and stays inside the clip. */
export function nudge(state: Playback, by: 1 | -1): Playback {
  const last = (state.shown?.frames.length ?? 1) - 1;
  return { ...state, playing: false, index: Math.min(Math.max(state.index + by, 0), last) };
}

/** Plays on; from the end of a clip that stopped there, from its beginning or from the newest one. */
export function resume(state: Playback, now: number): Playback {
  const { shown, newest } = state;
  if (shown === null) return { ...state, playing: true };
  if (state.index < shown.frames.length - 1) return { ...state, playing: true, since: now };
  return begin({ ...state, playing: true }, newest ?? shown, now);
}

/** Whole steps due after `seconds` more, and the part of a step that is left over. */
export function stepsDue(carry: number, seconds: number, stepsPerSecond: number): { steps: number; carry: number } {
  const total = carry + seconds * stepsPerSecond;
  const steps = Math.floor(total);
  return { steps, carry: total - steps };
}

export interface EpisodeSoFar {
  /** First step of the episode within the clip. */
  readonly start: number;
  /** The clip does not say how the episode began: `sum` counts from the clip's first step. */
  readonly partial: boolean;
  readonly sum: number;
  readonly success: boolean;
}

/** The episode that step `index` of a copy belongs to, up to and with that step. */
export function episodeSoFar(frames: readonly (readonly Frame[])[], index: number, copy: number): EpisodeSoFar {
  let start = index;
  while (start > 0 && frames[start - 1]?.[copy]?.ended === 'no') start--;
  let sum = 0;
  let success = false;
  for (let i = start; i <= index; i++) {
    const frame = frames[i]?.[copy];
    if (frame === undefined) break;
    sum += frame.reward;
    success ||= frame.success === true;
  }
  return { start, partial: start === 0, sum, success };
}
