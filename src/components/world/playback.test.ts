/** The clock: what is on the screen after so many steps, and when a newer clip takes over. */
import { describe, expect, test } from 'vitest';
import type { Frame } from '../../worker/protocol';
import {
  advance,
  episodeSoFar,
  INITIAL_PLAYBACK,
  nudge,
  PATIENCE,
  paceOf,
  receive,
  resume,
  stepsDue,
} from './playback';
import type { WorldClip } from './props';

function frame(reward: number, ended: Frame['ended'] = 'no', success = false): Frame {
  return { view: { kind: 'cartpole', position: 0, angle: 0 }, action: [0], reward, ended, success };
}

/** A clip of one copy; `ends` are the steps at which an episode ends. */
function clip(update: number, length: number, ends: readonly number[] = []): WorldClip {
  return { update, frames: Array.from({ length }, (_, i) => [frame(1, ends.includes(i) ? 'terminated' : 'no')]) };
}

describe('the playback clock', () => {
  test('shows a first clip at once and goes through it step by step', () => {
    const state = advance(receive(INITIAL_PLAYBACK, clip(1, 5), 0), 3, 0.1, 0);
    expect([state.shown?.update, state.index]).toEqual([1, 3]);
  });

  test('loops at the end, or stops there without looping', () => {
    const start = receive(INITIAL_PLAYBACK, clip(1, 5), 0);
    expect(advance(start, 5, 0.1, 0)).toMatchObject({ index: 0, playing: true });
    expect(advance({ ...start, loop: false }, 9, 0.1, 0)).toMatchObject({ index: 4, playing: false });
  });

  test('a newer clip waits for the end of the episode in view', () => {
    let state = receive(receive(INITIAL_PLAYBACK, clip(1, 9, [3]), 0), clip(2, 9), 0.1);
    state = advance(state, 3, 0.2, 0);
    expect([state.shown?.update, state.index]).toEqual([1, 3]);
    state = advance(state, 1, 0.3, 0);
    expect([state.shown?.update, state.index]).toEqual([2, 0]);
  });

  test('a newer clip waits for the end of the clip, and not longer than the patience', () => {
    const waiting = receive(receive(INITIAL_PLAYBACK, clip(1, 9), 0), clip(2, 9), 0.1);
    expect(advance(waiting, 9, 0.2, 0).shown?.update).toBe(2);
    expect(advance(waiting, 1, PATIENCE - 0.1, 0).shown?.update).toBe(1);
    expect(advance(waiting, 1, PATIENCE, 0).shown?.update).toBe(2);
  });

  test('of several newer clips the last one is shown', () => {
    let state = receive(INITIAL_PLAYBACK, clip(1, 2), 0);
    for (const update of [2, 3, 4]) state = receive(state, clip(update, 2), 0);
    expect(advance(state, 2, 0.1, 0).shown?.update).toBe(4);
  });

  test('a clip of an earlier update is another run and replaces what is shown; none clears it', () => {
    const late = receive(INITIAL_PLAYBACK, clip(50, 9), 0);
    expect(receive(late, clip(1, 9), 0).shown?.update).toBe(1);
    expect(receive(late, null, 0).shown).toBeNull();
    expect(receive(late, { update: 51, frames: [] }, 0).shown).toBeNull();
  });

  test('stepping by hand pauses and stays inside the clip', () => {
    const start = receive(INITIAL_PLAYBACK, clip(1, 3), 0);
    expect(nudge(start, -1)).toMatchObject({ index: 0, playing: false });
    expect(nudge({ ...start, index: 2 }, 1).index).toBe(2);
    expect(nudge(INITIAL_PLAYBACK, 1).index).toBe(0);
  });

  test('playing on after a stop at the end begins with the newest clip', () => {
    const ended = advance({ ...receive(INITIAL_PLAYBACK, clip(1, 3), 0), loop: false }, 9, 1, 0);
    expect(resume(ended, 2)).toMatchObject({ index: 0, playing: true, shown: { update: 1 } });
    expect(resume(receive(ended, clip(7, 3), 2), 3)).toMatchObject({ index: 0, shown: { update: 7 } });
  });

  test('a paused clock does not move', () => {
    const paused = { ...receive(INITIAL_PLAYBACK, clip(1, 5), 0), playing: false };
    expect(advance(paused, 4, 9, 0)).toBe(paused);
  });

  test('parts of a step add up and none is lost', () => {
    let carry = 0;
    let steps = 0;
    for (let i = 0; i < 600; i++) {
      const due = stepsDue(carry, 1 / 60, 4);
      carry = due.carry;
      steps += due.steps;
    }
    expect(steps).toBeGreaterThanOrEqual(39);
    expect(steps).toBeLessThanOrEqual(40);
    expect(stepsDue(0.5, 1, 50)).toEqual({ steps: 50, carry: 0.5 });
  });

  test('the pace is the render_fps of Gymnasium', () => {
    expect([paceOf('cartpole'), paceOf('mountain-car'), paceOf('acrobot'), paceOf('pendulum'), paceOf('mdp')]).toEqual([
      50, 30, 15, 30, 4,
    ]);
  });
});

describe('the episode so far', () => {
  const frames = [[frame(1)], [frame(2, 'terminated')], [frame(4)], [frame(8, 'no', true)], [frame(16)]];

  test('sums from its own start, ends included', () => {
    expect(episodeSoFar(frames, 4, 0)).toEqual({ start: 2, partial: false, sum: 28, success: true });
    expect(episodeSoFar(frames, 2, 0)).toMatchObject({ start: 2, sum: 4, success: false });
  });

  test('says when its beginning is not in the clip', () => {
    expect(episodeSoFar(frames, 1, 0)).toEqual({ start: 0, partial: true, sum: 3, success: false });
  });

  test('a copy that is not there has an empty episode', () => {
    expect(episodeSoFar(frames, 3, 5)).toMatchObject({ sum: 0, success: false });
  });
});
