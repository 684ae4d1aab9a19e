import { describe, expect, it } from 'vitest';
import { executors, runOnce, webGpuExecutor } from '../../src/engine/device/testing';
import { agree, expectGolden, normals } from '../agree';
import { Random, STREAM } from '../random/threefry';
import { categoricalBackward, categoricalEvaluate } from './categorical_evaluate';
import { categoricalKl } from './categorical_kl';
import { categoricalSample } from './categorical_sample';
import { packMasks, torchDistributions } from './golden';

const tolerance = { rtol: 2e-5, atol: 5e-6 };
const place = { first: 0, seed: 0, stream: STREAM.action, step: 3, greedy: 0, masked: 0 };
const none = new Uint32Array(1);

/** Random masks of `actions` bits, at least one set. */
function randomMasks(rows: number, actions: number): Uint32Array {
  return Uint32Array.from({ length: rows }, (_, i) => {
    const random = new Random(5, 1, i, 0);
    return ((random.bits()[0] & (2 ** actions - 1)) | (1 << random.below(actions))) >>> 0;
  });
}

function randomActions(rows: number, actions: number): Float32Array {
  return Float32Array.from({ length: rows }, (_, i) => new Random(6, 1, i, 0).below(actions));
}

describe('categorical evaluation', () => {
  it('agrees with PyTorch', () => expectGolden('torch_distributions', torchDistributions));

  it.each([
    [0, 3],
    [1, 1],
    [63, 2],
    [64, 7],
    [65, 32],
    [130, 41],
  ])('agrees on both executors for %i rows of %i actions', async (rows, actions) => {
    const masked = Number(actions <= 31);
    const uniforms = { rows, actions, masked };
    const policy = {
      logits: normals(rows * actions, 1, 0, 3),
      masks: randomMasks(rows, actions),
      actions: randomActions(rows, actions),
    };
    if (masked) for (let i = 0; i < rows; i++) policy.masks[i]! |= 1 << policy.actions[i];
    const empty = () => new Float32Array(rows + 1);
    const written = await agree(
      categoricalEvaluate,
      { ...policy, log_probs: empty(), entropies: empty() },
      uniforms,
      tolerance,
    );
    expect([written.log_probs[rows], written.entropies[rows]]).toEqual([0, 0]);
    const gradients = { log_prob_gradient: normals(rows, 3), entropy_gradient: normals(rows, 4) };
    const logits_gradient = new Float32Array(rows * actions);
    await agree(categoricalBackward, { ...policy, ...gradients, logits_gradient }, uniforms, tolerance);
    const reference_logits = normals(rows * actions, 9, 0, 3);
    const { logits, masks } = policy;
    await agree(categoricalKl, { logits, reference_logits, masks, kl: empty(), logits_gradient }, uniforms, {
      rtol: 1e-4,
      atol: 1e-5,
    });
  });

  it('gives a masked action, or a logit of -∞, exactly 0 entropy and gradient (F4)', async () => {
    for (const executor of await executors())
      for (const [logits, masked] of [
        [[0, 0, Number.NEGATIVE_INFINITY], 0],
        [[0, 0, Number.NEGATIVE_INFINITY], 1],
        [[0, 0, 500], 1],
      ] as const) {
        const policy = { logits: Float32Array.from(logits), masks: Uint32Array.of(0b011), actions: Float32Array.of(1) };
        const uniforms = { rows: 1, actions: 3, masked };
        const values = { ...policy, log_probs: new Float32Array(1), entropies: new Float32Array(1) };
        const { log_probs, entropies } = await runOnce(executor, categoricalEvaluate, values, uniforms);
        expect(log_probs[0]).toBeCloseTo(-Math.LN2, 6);
        expect(entropies[0]).toBeCloseTo(Math.LN2, 6);
        const one = Float32Array.of(1);
        const gradients = {
          ...policy,
          log_prob_gradient: one,
          entropy_gradient: one,
          logits_gradient: new Float32Array(3),
        };
        const { logits_gradient } = await runOnce(executor, categoricalBackward, gradients, uniforms);
        expect(logits_gradient[0]).toBeCloseTo(-0.5, 6);
        expect(logits_gradient[1]).toBeCloseTo(0.5, 6);
        expect(logits_gradient[2]).toBe(0);
      }
  });

  it('log-softmax of extreme logits is exact (F20)', async () => {
    const logits = Float32Array.from([1000, 0, -1000, 1000, 0, -1000, 1000, 0, -1000]);
    const buffers = {
      logits,
      masks: none,
      actions: Float32Array.of(0, 1, 2),
      log_probs: new Float32Array(3),
      entropies: new Float32Array(3),
    };
    const { log_probs, entropies } = await agree(categoricalEvaluate, buffers, { rows: 3, actions: 3, masked: 0 });
    expect([...log_probs]).toEqual([0, -1000, -2000]);
    expect([...entropies]).toEqual([0, 0, 0]);
  });

  it('stays finite where no action is legal', async () => {
    const buffers = {
      logits: Float32Array.of(3, 4),
      masks: new Uint32Array(1),
      actions: new Float32Array(1),
      log_probs: new Float32Array(1),
      entropies: new Float32Array(1),
    };
    const { log_probs, entropies } = await agree(categoricalEvaluate, buffers, { rows: 1, actions: 2, masked: 1 });
    expect([...log_probs, ...entropies].every(Number.isFinite)).toBe(true);
  });

  it('KL of [0.9, 0.1] from [0.5, 0.5] is 0.3681 (F5)', async () => {
    const logits = Float32Array.of(Math.log(0.9), Math.log(0.1));
    const buffers = {
      logits,
      reference_logits: new Float32Array(2),
      masks: none,
      kl: new Float32Array(1),
      logits_gradient: new Float32Array(2),
    };
    const { kl } = await agree(categoricalKl, buffers, { rows: 1, actions: 2, masked: 0 });
    expect(kl[0]).toBeCloseTo(0.3681, 4);
  });
});

describe('categorical sampling', () => {
  it.each([
    [0, 3],
    [1, 1],
    [63, 2],
    [64, 7],
    [65, 31],
    [1001, 41],
  ])('chooses alike on both executors for %i rows of %i actions', async (rows, actions) => {
    for (const greedy of [0, 1]) {
      const masked = Number(actions <= 31);
      const buffers = {
        logits: normals(rows * actions, 1, 0, 2),
        masks: Uint32Array.of(0, ...randomMasks(rows, Math.min(actions, 31))),
        actions: new Float32Array(rows + 2),
        log_probs: new Float32Array(rows + 2),
      };
      const [cpu, gpu] = await Promise.all(
        (await executors()).map((executor) =>
          runOnce(executor, categoricalSample, buffers, { ...place, rows, actions, first: 1, greedy, masked }),
        ),
      );
      // A threshold within rounding of a sum may fall on either side of it.
      const differ = [...(cpu?.actions ?? [])].filter((action, i) => action !== gpu?.actions[i]).length;
      expect(differ).toBeLessThanOrEqual(greedy ? 0 : rows / 500);
      if (differ === 0)
        await agree(categoricalSample, buffers, { ...place, rows, actions, first: 1, greedy, masked }, tolerance);
      expect([gpu?.actions[0], gpu?.actions[rows + 1]]).toEqual([0, 0]);
    }
  });

  it('draws in proportion to the probabilities', async () => {
    const rows = 20_000;
    const probabilities = [0.1, 0.2, 0, 0.3, 0.4];
    const logits = Float32Array.from({ length: rows * 5 }, (_, i) => Math.log(probabilities[i % 5]));
    const buffers = { logits, masks: none, actions: new Float32Array(rows), log_probs: new Float32Array(rows) };
    const { actions } = await runOnce(await webGpuExecutor(), categoricalSample, buffers, {
      ...place,
      rows,
      actions: 5,
    });
    const counts = probabilities.map((_, a) => [...actions].filter((action) => action === a).length);
    expect(counts[2]).toBe(0);
    // Chi-square with 3 degrees of freedom: above 16.3 once in a thousand.
    const chi = probabilities.reduce(
      (sum, p, a) => (p === 0 ? sum : sum + (counts[a] - rows * p) ** 2 / (rows * p)),
      0,
    );
    expect(chi).toBeLessThan(16.3);
  });

  it('never takes a forbidden action, however likely its logit', async () => {
    const rows = 4096;
    const masks = randomMasks(rows, 8);
    const logits = Float32Array.from({ length: rows * 8 }, (_, i) => ((masks[i >> 3] >> (i & 7)) & 1 ? -50 : 50));
    for (const greedy of [0, 1]) {
      const buffers = { logits, masks, actions: new Float32Array(rows), log_probs: new Float32Array(rows) };
      const { actions, log_probs } = await runOnce(await webGpuExecutor(), categoricalSample, buffers, {
        ...place,
        rows,
        actions: 8,
        greedy,
        masked: 1,
      });
      expect([...actions].every((action, i) => (masks[i] >> action) & 1)).toBe(true);
      expect(log_probs.every(Number.isFinite)).toBe(true);
    }
  });

  it('greedy takes the first of equal logits', async () => {
    const buffers = {
      logits: Float32Array.of(9, 2, 5, 5),
      masks: Uint32Array.of(0b1110),
      actions: new Float32Array(1),
      log_probs: new Float32Array(1),
    };
    const { actions } = await agree(categoricalSample, buffers, {
      ...place,
      rows: 1,
      actions: 4,
      greedy: 1,
      masked: 1,
    });
    expect(actions[0]).toBe(2);
  });

  it('packs masks as bits', () => {
    expect([...packMasks([1, 0, 1, 0, 0, 1], 2, 3)]).toEqual([0b101, 0b100]);
  });
});
