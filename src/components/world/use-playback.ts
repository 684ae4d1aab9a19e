/** Runs the clock of playback.ts on animation frames, and takes in the clips as they come. */
import { useEffect, useMemo, useReducer } from 'react';
import { advance, INITIAL_PLAYBACK, nudge, type Playback, paceOf, receive, resume, stepsDue } from './playback';
import type { WorldClip } from './props';

type Action =
  | { readonly type: 'receive'; readonly clip: WorldClip | null }
  | { readonly type: 'advance'; readonly steps: number; readonly copy: number }
  | { readonly type: 'nudge'; readonly by: 1 | -1 }
  | { readonly type: 'seek'; readonly index: number }
  | { readonly type: 'toggle' }
  | { readonly type: 'loop' }
  | { readonly type: 'speed'; readonly speed: number };

const seconds = () => performance.now() / 1000;

/** A tab that was hidden does not run through what it missed. */
const LONGEST_GAP = 0.25;

function reduce(state: Playback, action: Action): Playback {
  switch (action.type) {
    case 'receive':
      return receive(state, action.clip, seconds());
    case 'advance':
      return advance(state, action.steps, seconds(), action.copy);
    case 'nudge':
      return nudge(state, action.by);
    case 'seek':
      return { ...state, playing: false, index: action.index };
    case 'toggle':
      return state.playing ? { ...state, playing: false } : resume(state, seconds());
    case 'loop':
      return { ...state, loop: !state.loop };
    case 'speed':
      return { ...state, speed: action.speed };
  }
}

export interface PlaybackControls {
  nudge(by: 1 | -1): void;
  seek(index: number): void;
  toggle(): void;
  loop(): void;
  speed(speed: number): void;
}

export interface RunningPlayback {
  readonly state: Playback;
  /** Steps a second at the chosen speed. */
  readonly rate: number;
  readonly controls: PlaybackControls;
}

/** `held` stops the clock while something else is on the stage. */
export function usePlayback(clip: WorldClip | null, copy: number, held: boolean): RunningPlayback {
  const [state, dispatch] = useReducer(reduce, INITIAL_PLAYBACK);
  useEffect(() => dispatch({ type: 'receive', clip }), [clip]);

  const kind = state.shown?.frames[0]?.[0]?.view.kind;
  const rate = (kind === undefined ? 1 : paceOf(kind)) * state.speed;
  const ticking = state.playing && !held && kind !== undefined;
  useEffect(() => {
    if (!ticking) return;
    let last = seconds();
    let carry = 0;
    const frame = () => {
      const now = seconds();
      const due = stepsDue(carry, Math.min(now - last, LONGEST_GAP), rate);
      last = now;
      carry = due.carry;
      if (due.steps > 0) dispatch({ type: 'advance', steps: due.steps, copy });
      request = requestAnimationFrame(frame);
    };
    let request = requestAnimationFrame(frame);
    return () => cancelAnimationFrame(request);
  }, [ticking, rate, copy]);

  const controls = useMemo<PlaybackControls>(
    () => ({
      nudge: (by) => dispatch({ type: 'nudge', by }),
      seek: (index) => dispatch({ type: 'seek', index }),
      toggle: () => dispatch({ type: 'toggle' }),
      loop: () => dispatch({ type: 'loop' }),
      speed: (speed) => dispatch({ type: 'speed', speed }),
    }),
    [],
  );
  return { state, rate, controls };
}
