import { describe, expect, it } from 'vitest';
import { agree, normals } from '../agree';
import { weighted } from './weighted';

describe('weighted reward', () => {
  it.each([
    [0, 3],
    [1, 1],
    [63, 2],
    [64, 3],
    [65, 5],
    [65_535 * 64 + 1, 2],
  ])('agrees on [%i, %i]', async (rows, signals) => {
    const some = normals(997 * signals, 1);
    const long = new Float32Array(rows * signals);
    for (let at = 0; at < long.length; at += some.length) long.set(some.subarray(0, long.length - at), at);
    const buffers = { signals: long, weights: normals(signals, 2), rewards: new Float32Array(rows) };
    await agree(weighted, buffers, { rows, signals, scale: 0.5, clip: 0.75 });
  });

  const signals = Float32Array.of(1, 10, 1, -2, -10, 0);

  it('never sees success, whatever its weight', async () => {
    const buffers = { signals, weights: Float32Array.of(1, 0.5, 1000), rewards: new Float32Array(2) };
    const { rewards } = await agree(weighted, buffers, { rows: 2, signals: 3, scale: 1, clip: 0 });
    expect([...rewards]).toEqual([6, -7]);
  });

  it('clips, then scales', async () => {
    const buffers = { signals, weights: Float32Array.of(1, 0.5, 0), rewards: new Float32Array(2) };
    const { rewards } = await agree(weighted, buffers, { rows: 2, signals: 3, scale: 2, clip: 6.5 });
    expect([...rewards]).toEqual([12, -13]);
  });

  it('leaves out a signal of weight 0, even one that is not finite', async () => {
    const bad = Float32Array.of(3, Number.NaN, 0);
    const buffers = { signals: bad, weights: Float32Array.of(1, 0, 0), rewards: new Float32Array(1) };
    const { rewards } = await agree(weighted, buffers, { rows: 1, signals: 3, scale: 1, clip: 0 });
    expect(rewards[0]).toBe(3);
  });
});
