import { describe, expect, it } from 'vitest';
import { runOnce, webGpuExecutor } from '../../src/engine/device/testing';
import { agree, expectGolden, normals } from '../agree';
import { STREAM } from '../random/threefry';
import { gaussianBackward, gaussianEvaluate } from './gaussian_evaluate';
import { gaussianSample } from './gaussian_sample';
import { gaussianPolicy } from './golden';

const tolerance = { rtol: 1e-4, atol: 2e-5 };
const place = { first: 0, seed: 0, stream: STREAM.action, step: 3, greedy: 0, log_std_offset: 2 };

describe('Gaussian policy', () => {
  it("agrees with CleanRL's", () =>
    expectGolden('gaussian_policy', gaussianPolicy, (testCase) => testCase.function === 'normal'));

  it.each([
    [0, 1],
    [1, 1],
    [63, 3],
    [64, 2],
    [65, 1],
    [1001, 6],
  ])('agrees on both executors for %i rows of %i dimensions', async (rows, size) => {
    const uniforms = { rows, size, log_std_offset: 2 };
    const policy = { means: normals(rows * size, 1), parameters: normals(2 + size, 2, -0.5, 0.5) };
    for (const greedy of [0, 1]) {
      const empty = { actions: new Float32Array((rows + 2) * size), log_probs: new Float32Array(rows + 2) };
      const drawn = await agree(
        gaussianSample,
        { ...policy, ...empty },
        { ...place, ...uniforms, first: 1, greedy },
        tolerance,
      );
      expect([...drawn.actions.slice(0, size), ...drawn.actions.slice((rows + 1) * size)].every((x) => x === 0)).toBe(
        true,
      );
      if (greedy) expect([...drawn.actions.slice(size, (rows + 1) * size)]).toEqual([...policy.means]);
      const actions = drawn.actions.slice(size, (rows + 1) * size);
      const given = { ...policy, actions, log_probs: new Float32Array(rows), entropies: new Float32Array(rows) };
      const { log_probs } = await agree(gaussianEvaluate, given, uniforms, tolerance);
      // The log-probability at drawing is the one at evaluation.
      for (let i = 0; i < rows; i++) expect(log_probs[i]).toBeCloseTo(drawn.log_probs[i + 1], 3);
      const gradients = { log_prob_gradient: normals(rows, 3), entropy_gradient: normals(rows, 4) };
      const written = {
        means_gradient: new Float32Array(rows * size),
        log_std_gradient: new Float32Array(rows * size),
      };
      await agree(gaussianBackward, { ...policy, actions, ...gradients, ...written }, uniforms, tolerance);
    }
  });

  it('draws with the given mean and deviation, dimensions and rows apart', async () => {
    const rows = 20_000;
    const means = Float32Array.from({ length: rows * 2 }, (_, i) => (i % 2 ? 3 : -1));
    const buffers = {
      means,
      parameters: Float32Array.of(0, 0, 0, Math.log(2)),
      actions: new Float32Array(rows * 2),
      log_probs: new Float32Array(rows),
    };
    const { actions } = await runOnce(await webGpuExecutor(), gaussianSample, buffers, { ...place, rows, size: 2 });
    const z = [0, 1].map((d) =>
      Float64Array.from({ length: rows }, (_, i) => (actions[2 * i + d] - (d ? 3 : -1)) / (d ? 2 : 1)),
    );
    const mean = (x: Float64Array) => x.reduce((sum, value) => sum + value, 0) / rows;
    const [a, b] = z as [Float64Array, Float64Array];
    for (const x of [a, b]) {
      expect(Math.abs(mean(x))).toBeLessThan(4 / Math.sqrt(rows));
      expect(Math.abs(mean(x.map((value) => value * value)) - 1)).toBeLessThan(4 * Math.sqrt(2 / rows));
    }
    expect(Math.abs(mean(a.map((value, i) => value * b[i])))).toBeLessThan(4 / Math.sqrt(rows));
    expect(Math.abs(mean(a.slice(1).map((value, i) => value * a[i])))).toBeLessThan(4 / Math.sqrt(rows));
  });

  it('stays finite with an extreme deviation', async () => {
    const buffers = {
      means: new Float32Array(2),
      parameters: Float32Array.of(0, 0, 1000, -1000),
      actions: new Float32Array(2),
      log_probs: new Float32Array(1),
    };
    const { actions, log_probs } = await agree(gaussianSample, buffers, { ...place, rows: 1, size: 2 }, tolerance);
    expect([...actions, ...log_probs].every(Number.isFinite)).toBe(true);
  });
});
