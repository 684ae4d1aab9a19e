import { describe, expect, it } from 'vitest';
import { executors } from '../../src/engine/device/testing';
import { takeSteps } from './golden';
import { mdp, optimalValues, stepsToSuccess, type TransitionTable } from './mdp';
import { cliffWalkingTable } from './tables/cliff-walking';
import { FROZEN_LAKE_MAPS, frozenLakeTable } from './tables/frozen-lake';
import { decodeTaxi, taxiActionMask, taxiTable } from './tables/taxi';

const outcome = (probability: number, next: number, reward = 0, terminated = false, success = false) => {
  return { probability, next, reward, terminated, success };
};

const LOTTERY: TransitionTable = {
  actions: ['draw', 'stay', 'not here'],
  outcomes: [
    [[outcome(0.5, 0, 1), outcome(0.2, 1, 2), outcome(0, 2, 9), outcome(0.3, 2, 3, true, true)], [outcome(1, 0)], []],
    [[outcome(1, 1)], [], []],
    [[outcome(1, 2, 0, true)], [], []],
  ],
  start: [0.25, 0.75, 0],
  maxSteps: 0,
};

describe('a table', () => {
  it('is drawn from with its probabilities, on both executors alike', async () => {
    const steps = Array.from({ length: 4000 }, () => ({ state: [0], action: [0], number: 1 }));
    const [cpu, gpu] = await Promise.all(
      (await executors()).map((executor) => takeSteps(mdp(LOTTERY), steps, executor)),
    );
    expect(gpu).toEqual(cpu);
    const share = (reward: number) => gpu.filter(({ signals }) => signals[0] === reward).length / steps.length;
    expect(share(1)).toBeCloseTo(0.5, 1);
    expect(share(2)).toBeCloseTo(0.2, 1);
    expect(share(3)).toBeCloseTo(0.3, 1);
    expect(share(9)).toBe(0);
    for (const { signals, terminated } of gpu) {
      expect(terminated).toBe(signals[0] === 3);
      expect(signals.at(-1)).toBe(Number(terminated));
    }
  });

  it('may have no outcome that counts as success: it runs, without signals of distance', async () => {
    const endless = mdp({ actions: ['wait'], outcomes: [[[outcome(1, 0, 1)]]], start: [1], maxSteps: 0 });
    expect(endless.signals).toEqual(['reward', 'failed', 'success']);
    for (const executor of await executors()) {
      const [{ signals, terminated }] = await takeSteps(endless, [{ state: [0], action: [0], number: 1 }], executor);
      expect([...signals, terminated]).toEqual([1, 0, 0, false]);
    }
  });

  it('makes actions without an outcome illegal, and only those', () => {
    const program = mdp(LOTTERY);
    expect(program.masksActions).toBe(true);
    expect([0, 1, 2].map((state) => program.legal(Float32Array.of(state), 0))).toEqual([0b011, 0b001, 0b001]);
    expect(mdp(cliffWalkingTable(0)).masksActions).toBe(false);
  });

  it('knows the fewest steps to success', () => {
    const lake = stepsToSuccess(
      frozenLakeTable(FROZEN_LAKE_MAPS['4x4'], { slippery: false, successRate: 1, maxSteps: 0 }),
    );
    expect(lake?.[0]).toBe(6);
    expect(lake?.[15]).toBe(0);
    expect(lake?.[5]).toBe(7); // a hole: one more than the farthest
    expect(stepsToSuccess({ ...LOTTERY, outcomes: [[[outcome(1, 0)]]] })).toBeUndefined();
  });

  it('does not bootstrap terminal transitions in its exact values', () => {
    // one step of reward 1 into a terminal state that has a rich loop of its own
    const table = { ...LOTTERY, outcomes: [[[outcome(1, 1, 1, true)]], [[outcome(1, 1, 100)]]] };
    expect(optimalValues(table, 0.5)[0]).toBe(1);
    expect(optimalValues(table, 0.5)[1]).toBeCloseTo(200, 6);
  });
});

describe('Taxi', () => {
  const table = taxiTable(200);

  it('has 500 states of which 300 start an episode, and its known optimal return', () => {
    const values = optimalValues(table, 1);
    const starts = table.start.map((probability, state) => probability * values[state]);
    expect(table.start.filter((probability) => probability > 0)).toHaveLength(300);
    // the mean optimal return of Taxi-v3, as the literature reports it
    expect(starts.reduce((sum, value) => sum + value)).toBeCloseTo(7.93, 2);
  });

  it('masks exactly the actions that change the state', () => {
    for (const [state, row] of table.outcomes.entries()) {
      const changes = row.reduce((bits, [{ next }], action) => (next !== state ? bits | (1 << action) : bits), 0);
      expect(taxiActionMask(decodeTaxi(state)), `state ${state}`).toBe(changes);
    }
  });
});
