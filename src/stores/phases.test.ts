import { describe, expect, it } from 'vitest';
import type { Phase } from '../engine/scenario';
import { addPhase, lackAt, movePhase, removePhase, roomOf } from './phases';

const phase = (id: string, from: number): Phase => ({ id, from, parameters: {}, with: {} });
const THREE = [phase('imitate', 0), phase('reinforce', 10), phase('prefer', 50)];
const places = (phases: readonly Phase[]) => phases.map(({ id, from }) => `${id} ${from}`);

describe('a schedule', () => {
  it('gives a new phase the second half of the last one, and the first update 0', () => {
    expect(addPhase([], 'imitate', {}, 100)[0]?.from).toBe(0);
    expect(addPhase(THREE, 'merge', {}, 100).at(-1)?.from).toBe(75);
    // A plan that ends before the last phase begins still gives an order.
    expect(addPhase(THREE, 'merge', {}, 20).at(-1)?.from).toBe(51);
  });
  it('begins at 0 whatever is removed', () => {
    expect(places(removePhase(THREE, 0))).toEqual(['reinforce 0', 'prefer 50']);
    expect(places(removePhase(THREE, 1))).toEqual(['imitate 0', 'prefer 50']);
  });
  it('keeps the places when two change', () => {
    expect(places(movePhase(THREE, 0, 1))).toEqual(['reinforce 0', 'imitate 10', 'prefer 50']);
    expect(places(movePhase(THREE, 2, -1))).toEqual(['imitate 0', 'prefer 10', 'reinforce 50']);
    expect(movePhase(THREE, 0, -1)).toBe(THREE);
    expect(movePhase(THREE, 2, 1)).toBe(THREE);
  });
  it('leaves each phase room between its neighbours', () => {
    expect(roomOf(THREE, 0, 100)).toEqual([0, 0]);
    expect(roomOf(THREE, 1, 100)).toEqual([1, 49]);
    expect(roomOf(THREE, 2, 100)).toEqual([11, 99]);
  });
});

it('a phase that learns from what the person gathers waits for it, and says which setting asks', () => {
  const phases = [
    { id: 'imitate', from: 0, parameters: { source: 'picked' }, with: {} },
    { id: 'prefer', from: 10, parameters: { source: 'clicked' }, with: {} },
    { id: 'prefer', from: 20, parameters: { source: 'reward' }, with: {} },
  ];
  const none = { pairs: 0, demonstrations: 0 };
  expect(lackAt(phases, 0, none)).toMatchObject({ index: 0, key: 'source', message: expect.stringMatching(/pick/) });
  expect(lackAt(phases, 9, { pairs: 0, demonstrations: 1 })).toBeUndefined();
  expect(lackAt(phases, 10, { pairs: 0, demonstrations: 1 })).toMatchObject({ index: 1, key: 'source' });
  expect(lackAt(phases, 10, { pairs: 1, demonstrations: 0 })).toBeUndefined();
  expect(lackAt(phases, 20, none)).toBeUndefined();
  expect(lackAt([], 0, none)).toBeUndefined();
});
