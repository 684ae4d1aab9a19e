import { describe, expect, it } from 'vitest';
import { agree, expectGolden, flags, normals } from '../agree';
import type { TypedArray } from '../kernel';
import { EXPLAINED_VARIANCE_PARTIALS_SIZE, explainedVariance, explainedVariancePartials } from './explained_variance';
import { gae } from './gae';
import { cleanrlGae, explainedVarianceOfPair, sb3Gae } from './golden';
import { minibatchMoments, minibatchPartials, minibatchPartialsSize } from './minibatch_moments';
import { returns, TAIL } from './returns';
import { SAMPLE, samples } from './samples';

const SHAPES = [
  [1, 1],
  [5, 0],
  [0, 3],
  [1, 63],
  [7, 64],
  [33, 65],
  [128, 5],
] as const;

describe('golden vectors', () => {
  it('cleanrl_gae', () => expectGolden('cleanrl_gae', cleanrlGae));
  it('sb3_gae', () => expectGolden('sb3_gae', sb3Gae));
  it('explained_variance', () => expectGolden('explained_variance', explainedVarianceOfPair));
});

/** A random rollout whose episodes end now and then, by either flag or both. */
function rollout(steps: number, copies: number) {
  const size = steps * copies;
  return {
    rewards: normals(size, 1),
    values: normals(size + copies, 2),
    final_values: normals(size, 3),
    terminated: flags(size, 0.1, 4),
    truncated: flags(size, 0.1, 5),
    advantages: new Float32Array(size),
    returns: new Float32Array(size),
  };
}

/** Two steps of one copy, of which the last ends: rewards 1, 1; V 0.5, 0.5; V(last observation) 2. */
const twoSteps = {
  rewards: Float32Array.of(1, 1),
  values: Float32Array.of(0.5, 0.5, 77),
  final_values: Float32Array.of(0, 2),
  advantages: new Float32Array(2),
  returns: new Float32Array(2),
};

describe('GAE', () => {
  it.each([
    ['truncated', 0, 1, [2.606, 2.3]],
    ['terminated', 1, 0, [1.31, 0.5]],
    ['both', 1, 1, [1.31, 0.5]],
  ])('a %s episode (F1)', async (_, terminated, truncated, expected) => {
    const ends = { terminated: Float32Array.of(0, terminated), truncated: Float32Array.of(0, truncated) };
    const { advantages } = await agree(gae, { ...twoSteps, ...ends }, { steps: 2, copies: 1, gamma: 0.9, lambda: 0.8 });
    expect(advantages[0]).toBeCloseTo(expected[0], 5);
    expect(advantages[1]).toBeCloseTo(expected[1], 5);
  });

  it.each(SHAPES)('agrees on [%i, %i]', async (steps, copies) => {
    await agree(gae, rollout(steps, copies), { steps, copies, gamma: 0.99, lambda: 0.95 }, { rtol: 1e-4, atol: 1e-5 });
  });

  it('reaches past 65,535 workgroups', async () => {
    const copies = 65_535 * 64 + 1;
    const ones = new Float32Array(copies).fill(1);
    const zeros = new Float32Array(copies);
    const buffers = {
      rewards: ones,
      values: new Float32Array(2 * copies),
      final_values: zeros,
      terminated: ones,
      truncated: zeros,
    };
    const result = await agree(
      gae,
      { ...buffers, advantages: zeros, returns: zeros },
      { steps: 1, copies, gamma: 1, lambda: 1 },
    );
    expect(result.advantages[copies - 1]).toBe(1);
  });
});

describe('returns', () => {
  it.each(SHAPES)('agree on [%i, %i]', async (steps, copies) => {
    const buffers = { ...rollout(steps, copies), weights: new Float32Array(steps * copies) };
    for (const tail of Object.values(TAIL)) {
      for (const use_baseline of [0, 1]) {
        await agree(returns, buffers, { steps, copies, gamma: 0.99, tail, use_baseline }, { rtol: 1e-4, atol: 1e-5 });
      }
    }
  });

  /** Steps 0 and 1 end an episode; steps 2 and 3 are still running at the end of the rollout. */
  const unfinished = {
    rewards: Float32Array.of(1, 2, 3, 4),
    values: Float32Array.of(0.5, 0.5, 0.25, 0.25, 8),
    final_values: Float32Array.of(0, 10, 0, 0),
    returns: new Float32Array(4),
    advantages: new Float32Array(4),
    weights: new Float32Array(4),
  };
  it.each([
    ['end', 1, 0, [2, 2, 5, 4], [1, 1, 1, 1]],
    ['leaveOut', 1, 0, [2, 2, 0.25, 0.25], [1, 1, 0, 0]],
    ['bootstrap', 1, 0, [2, 2, 7, 8], [1, 1, 1, 1]],
    ['end', 0, 1, [4.5, 7, 5, 4], [1, 1, 1, 1]],
  ] as const)('tail %s, terminated %i, truncated %i', async (tail, terminated, truncated, expected, weights) => {
    const ends = { terminated: Float32Array.of(0, terminated, 0, 0), truncated: Float32Array.of(0, truncated, 0, 0) };
    const settings = { steps: 4, copies: 1, gamma: 0.5, tail: TAIL[tail], use_baseline: 1 };
    const result = await agree(returns, { ...unfinished, ...ends }, settings);
    expect([...result.returns]).toEqual(expected);
    expect([...result.weights]).toEqual(weights);
    const advantages = expected.map((g, i) => (weights[i] === 0 ? 0 : g - unfinished.values[i]));
    expect([...result.advantages]).toEqual(advantages);
  });
});

/** Rows 0 … n - 1 of each epoch in some fixed disorder. */
function disorder(batch: number, epochs: number): Uint32Array {
  return Uint32Array.from({ length: batch * epochs }, (_, i) => {
    const epoch = Math.floor(i / batch);
    return epoch % 2 === 0 ? batch - 1 - (i % batch) : (i + epoch) % batch;
  });
}

async function momentsOf(
  advantages: TypedArray,
  minibatch: number,
  epochs: number,
  enabled = 1,
  weights: TypedArray = new Float32Array(advantages.length).fill(1),
) {
  const batch = advantages.length;
  const count = epochs * Math.ceil(batch / minibatch);
  const first = {
    advantages,
    weights,
    indices: disorder(batch, epochs),
    partials: new Float32Array(minibatchPartialsSize(count)),
  };
  const { partials } = await agree(minibatchPartials, first, { batch, minibatch, epochs }, { rtol: 1e-4, atol: 1e-4 });
  const { moments } = await agree(
    minibatchMoments,
    { partials, moments: new Float32Array(count * 2) },
    { count, enabled },
    { rtol: 1e-4, atol: 1e-5 },
  );
  return moments;
}

describe('minibatch moments', () => {
  it.each([
    [1, 1, 1],
    [63, 64, 2],
    [64, 64, 3],
    [1000, 250, 4],
    [1000, 300, 2],
  ])('batch %i in minibatches of %i, %i epochs', async (batch, minibatch, epochs) => {
    const advantages = normals(batch, 1, 5, 2);
    const moments = await momentsOf(advantages, minibatch, epochs);
    const minibatches = Math.ceil(batch / minibatch);
    const indices = disorder(batch, epochs);
    for (let m = 0; m < epochs * minibatches; m++) {
      const begin = Math.floor(m / minibatches) * batch + (m % minibatches) * minibatch;
      const end = Math.min(begin + minibatch, (Math.floor(m / minibatches) + 1) * batch);
      const rows = [...indices.subarray(begin, end)].map((row) => advantages[row]);
      if (rows.length < 2) continue;
      const mean = rows.reduce((a, b) => a + b, 0) / rows.length;
      const deviation = Math.sqrt(rows.reduce((a, b) => a + (b - mean) ** 2, 0) / (rows.length - 1));
      expect(moments[m * 2]).toBeCloseTo(mean, 4);
      expect(moments[m * 2 + 1]).toBeCloseTo(deviation, 4);
    }
  });

  it('leaves a minibatch of one as it is: 65 = 64 + 1 (F3)', async () => {
    const moments = await momentsOf(normals(65), 64, 1);
    expect([...moments.slice(2)]).toEqual([0, 1]);
    expect(moments[1]).toBeGreaterThan(0.5);
  });

  it('gives no deviation for equal advantages, whatever their rounding (F3)', async () => {
    const moments = await momentsOf(new Float32Array(200).fill(0.94), 100, 1);
    expect([moments[1], moments[3]]).toEqual([0, 0]);
  });

  it('leaves everything as it is when not enabled', async () => {
    expect([...(await momentsOf(normals(10), 5, 1, 0))]).toEqual([0, 1, 0, 1]);
  });

  it('are of the rows that were not left out', async () => {
    const [advantages, weights] = [normals(130, 1, 5, 2), flags(130, 0.6)];
    advantages.forEach((_, i) => {
      if (weights[i] === 0) advantages[i] = 1e6;
    });
    const kept = advantages.filter((_, i) => weights[i] === 1);
    const moments = await momentsOf(advantages, 130, 1, 1, weights);
    const mean = kept.reduce((a, b) => a + b, 0) / kept.length;
    expect(moments[0]).toBeCloseTo(mean, 4);
    expect(moments[1]).toBeCloseTo(Math.sqrt(kept.reduce((a, b) => a + (b - mean) ** 2, 0) / (kept.length - 1)), 4);
    expect([...(await momentsOf(advantages, 130, 1, 1, new Float32Array(130)))]).toEqual([0, 1]);
  });
});

describe('samples', () => {
  it.each([
    [1, 1, 1],
    [63, 64, 2],
    [65, 64, 3],
    [1000, 300, 4],
  ])('batch %i in minibatches of %i, %i epochs', async (batch, minibatch, epochs) => {
    const advantages = normals(batch, 1, 5, 2);
    const weights = flags(batch, 0.8);
    const rows = {
      advantages,
      weights,
      returns: normals(batch, 2),
      values: normals(batch, 3),
      log_probs: normals(batch, 4),
    };
    const moments = await momentsOf(advantages, minibatch, epochs, 1, weights);
    const indices = disorder(batch, epochs);
    const buffers = { ...rows, indices, moments, samples: new Float32Array(epochs * batch * 4) };
    const result = await agree(samples, buffers, { batch, minibatch, epochs });
    const last = epochs * batch - 1;
    const row = indices[last];
    expect(result.samples[last * 4 + SAMPLE.logProb]).toBe(rows.log_probs[row]);
    expect(result.samples[last * 4 + SAMPLE.return]).toBe(rows.returns[row]);
    expect(result.samples[last * 4 + SAMPLE.value]).toBe(rows.values[row]);
    for (let i = 0; i <= last; i++)
      if (weights[indices[i]] === 0) expect(result.samples[i * 4 + SAMPLE.advantage]).toBe(0);
  });

  it('are exactly 0 for equal advantages, and exact where normalisation is off', async () => {
    const advantages = new Float32Array(65).fill(0.94);
    const shape = { batch: 65, minibatch: 65, epochs: 1 };
    const buffers = {
      advantages,
      weights: new Float32Array(65).fill(1),
      returns: advantages,
      values: advantages,
      log_probs: advantages,
      indices: disorder(65, 1),
      samples: new Float32Array(260),
    };
    const equal = await agree(samples, { ...buffers, moments: await momentsOf(advantages, 65, 1) }, shape);
    const off = await agree(samples, { ...buffers, moments: await momentsOf(advantages, 65, 1, 0) }, shape);
    for (let i = 0; i < 65; i++) {
      expect(equal.samples[i * 4 + SAMPLE.advantage]).toBe(0);
      expect(off.samples[i * 4 + SAMPLE.advantage]).toBe(advantages[i]);
    }
  });

  it('reach past 65,535 workgroups', async () => {
    const batch = 65_535 * 64 + 1;
    const rows = new Float32Array(batch).fill(2);
    const buffers = {
      advantages: rows,
      weights: rows,
      returns: rows,
      values: rows,
      log_probs: rows,
      indices: new Uint32Array(batch),
      moments: Float32Array.of(0, 1),
    };
    const result = await agree(
      samples,
      { ...buffers, samples: new Float32Array(batch * 4) },
      { batch, minibatch: batch, epochs: 1 },
    );
    expect(result.samples[batch * 4 - 1]).toBe(2);
  });
});

describe('explained variance', () => {
  it.each([0, 1, 63, 64, 65, 3000])('agrees on %i', async (count) => {
    const targets = normals(count, 1, 100, 3);
    const noise = normals(count, 2);
    const predictions = targets.map((y, i) => y + noise[i]);
    const buffers = { targets, predictions, partials: new Float32Array(EXPLAINED_VARIANCE_PARTIALS_SIZE) };
    const { partials } = await agree(explainedVariancePartials, buffers, { count }, { rtol: 1e-3, atol: 1e-4 });
    const { output } = await agree(explainedVariance, { partials, output: new Float32Array(1) }, {});
    if (count < 2) expect(output[0]).toBeNaN();
    else expect(Math.abs(output[0] - 8 / 9)).toBeLessThan(0.06);
  });
});
