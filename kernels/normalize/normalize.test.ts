import { describe, expect, it } from 'vitest';
import { agree, flags, normals } from '../agree';
import type { TypedArray } from '../kernel';
import { momentsPartials } from '../reduce/moments';
import { PARTIALS } from '../reduce/sum';
import { initialRunning, normalizeObservations, observationMoments } from './observations';
import { initialRewardScale, rewardScale } from './reward_scale';

const loose = { rtol: 1e-4, atol: 1e-4 };

async function takeIn(running: TypedArray, input: Float32Array, dimensions: number): Promise<TypedArray> {
  const shape = { rows: input.length / dimensions, columns: dimensions, partials: PARTIALS };
  const { partials } = await agree(
    momentsPartials,
    { input, partials: new Float32Array(PARTIALS * dimensions * 3) },
    shape,
    loose,
  );
  return (await agree(observationMoments, { partials, running }, { dimensions, partials: PARTIALS }, loose)).running;
}

describe('running statistics of observations', () => {
  it.each([1, 3, 63, 64, 65, 147])(
    'over %i features come to the mean and variance of all blocks',
    async (dimensions) => {
      let running: TypedArray = initialRunning(dimensions);
      const blocks = [
        normals(40 * dimensions, 1, 50, 4),
        normals(dimensions, 2, 50, 4),
        normals(259 * dimensions, 3, 52, 2),
      ];
      for (const block of blocks) running = await takeIn(running, block, dimensions);
      const all = blocks.flatMap((block) => [...block]);
      for (const c of [0, dimensions - 1]) {
        const column = all.filter((_, i) => i % dimensions === c);
        const mean = column.reduce((a, b) => a + b, 0) / column.length;
        const variance = column.reduce((a, b) => a + (b - mean) ** 2, 0) / column.length;
        expect(running[c]).toBeCloseTo(mean, 2);
        // The first count of 1e-4 at mean 0 adds 1e-4·mean²/300 to the variance, as in Gymnasium.
        expect(running[dimensions + c] / variance).toBeCloseTo(1, 2);
        expect(running[2 * dimensions]).toBeCloseTo(300, 2);
      }
    },
  );

  it('stay as they are when a block is empty', async () => {
    const before = await takeIn(initialRunning(2), normals(20, 1), 2);
    const after = await takeIn(before, new Float32Array(0), 2);
    for (let i = 0; i < 5; i++) expect(after[i]).toBeCloseTo(before[i], 6);
  });
});

describe('normalised observations', () => {
  it.each([
    [0, 0, 3],
    [0, 1, 1],
    [2, 63, 1],
    [1, 64, 2],
    [5, 65, 3],
    [0, 65_535 * 64 + 1, 1],
  ])('rows from %i, %i of them, %i features', async (first, rows, dimensions) => {
    const size = (first + rows) * dimensions;
    const observations = new Float32Array(size).fill(7);
    const running = Float32Array.of(...normals(dimensions, 1), ...normals(dimensions, 2).map(Math.abs), 10);
    const buffers = { observations, running, normalized: new Float32Array(size).fill(-99) };
    const { normalized } = await agree(normalizeObservations, buffers, { first, rows, dimensions, clip: 10 });
    for (let i = 0; i < first * dimensions; i++) expect(normalized[i]).toBe(-99);
    if (rows > 0) expect(normalized[size - 1]).toBeGreaterThan(-99);
  });

  it('are clipped', async () => {
    const running = Float32Array.of(1, 4, 10);
    const buffers = { observations: Float32Array.of(1, 3, 1e6, -1e6), running, normalized: new Float32Array(4) };
    const { normalized } = await agree(normalizeObservations, buffers, { first: 0, rows: 4, dimensions: 1, clip: 10 });
    expect(normalized[1]).toBeCloseTo(1, 5);
    expect([...normalized.slice(2)]).toEqual([10, -10]);
  });
});

describe('reward scale', () => {
  /** Gym's NormalizeReward over one environment, step by step, from its RunningMeanStd. */
  function gym(rewards: number[], ends: number[], gamma: number): number[] {
    let [mean, variance, count, discounted] = [0, 1, 1e-4, 0];
    return rewards.map((reward, t) => {
      discounted = discounted * gamma + reward;
      const delta = discounted - mean;
      const total = count + 1;
      mean += delta / total;
      variance = (variance * count + (delta * delta * count) / total) / total;
      count = total;
      if (ends[t]) discounted = 0;
      return reward / Math.sqrt(variance + 1e-8);
    });
  }

  it.each([
    [0, 1],
    [1, 63],
    [9, 64],
    [40, 65],
  ])('is that of Gym on [%i, %i], over two rollouts', async (steps, copies) => {
    const size = steps * copies;
    const rollout = (seed: number) => ({
      rewards: normals(size, seed, 1, 2),
      terminated: flags(size, 0.1, seed + 1),
      truncated: flags(size, 0.1, seed + 2),
    });
    const rollouts = [rollout(1), rollout(4)];
    let running: TypedArray = initialRewardScale(copies);
    const scaled: TypedArray[] = [];
    for (const buffers of rollouts) {
      const shape = { steps, copies, gamma: 0.99, clip: 10 };
      const result: Record<'running' | 'scaled', TypedArray> = await agree(
        rewardScale,
        { ...buffers, running, scaled: new Float32Array(size) },
        shape,
        loose,
      );
      running = result.running;
      scaled.push(result.scaled);
    }
    const copy = copies - 1;
    const column = (pick: (r: (typeof rollouts)[number], i: number) => number) =>
      rollouts.flatMap((r) => Array.from({ length: steps }, (_, t) => pick(r, t * copies + copy)));
    const expected = gym(
      column((r, i) => r.rewards[i]),
      column((r, i) => Math.max(r.terminated[i], r.truncated[i])),
      0.99,
    );
    expected.forEach((want, k) => {
      const got = scaled[Math.floor(k / steps)][(k % steps) * copies + copy];
      expect(got).toBeCloseTo(Math.min(Math.max(want, -10), 10), 2);
    });
  });
});
