import { describe, expect, it } from 'vitest';
import { executors, runOnce } from '../../src/engine/device/testing';
import { agree, expectGolden, flags, normals } from '../agree';
import type { TypedArray } from '../kernel';
import { adam } from './adam';
import { chunkNorms, clipNorm, NORM_PARTIALS_SIZE } from './clip';
import { CONTROL, CONTROL_SIZE } from './control';
import { nonfiniteGradient, torchGradClip, torchOptim } from './golden';
import { rmsprop } from './rmsprop';
import { sgd } from './sgd';
import { targetKl } from './target_kl';

const SIZES = [0, 1, 63, 64, 65, 1001];

function controlWith(values: Partial<Record<keyof typeof CONTROL, number>>): Float32Array {
  const control = new Float32Array(CONTROL_SIZE);
  for (const [name, value] of Object.entries(values)) control[CONTROL[name as keyof typeof CONTROL]] = value;
  return control;
}

/** A control word in the middle of training. */
const ready = controlWith({ scale: 0.5, step: 3, correction1: 0.271, correction2: 0.002997 });

async function prepare(gradient: Float32Array, control: TypedArray = new Float32Array(CONTROL_SIZE), max_norm = 0.5) {
  const norms = await agree(
    chunkNorms,
    { gradient, partials: new Float32Array(NORM_PARTIALS_SIZE) },
    { count: gradient.length },
  );
  const result = await agree(clipNorm, { partials: norms.partials, control }, { max_norm, beta1: 0.9, beta2: 0.999 });
  return result.control;
}

describe('golden vectors', () => {
  it('torch_optim', () => expectGolden('torch_optim', torchOptim));
  it('torch_grad_clip', () => expectGolden('torch_grad_clip', torchGradClip));
  it('takes no step for an infinite gradient', () =>
    expectGolden('nonfinite_reference', nonfiniteGradient, (testCase) => testCase.function === 'clip_grad_norm_'));
});

describe('global norm', () => {
  it.each([...SIZES, 100_000])('of %i entries', async (count) => {
    const control = await prepare(new Float32Array(count).fill(2));
    expect(control[CONTROL.norm] / Math.max(2 * Math.sqrt(count), 1)).toBeCloseTo(count === 0 ? 0 : 1, 4);
    expect(control[CONTROL.step]).toBe(1);
  });

  it('neither overflows nor vanishes where squares do', async () => {
    for (const size of [1e-25, 1e25]) {
      const control = await prepare(Float32Array.of(3 * size, 0, -4 * size));
      expect(control[CONTROL.norm] / size).toBeCloseTo(5, 4);
    }
    const control = await prepare(Float32Array.of(1e-40));
    expect(control[CONTROL.norm]).toBeLessThan(1e-30);
    expect(control[CONTROL.nonfinite]).toBe(0);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    'flags %d, and takes no further step',
    async (bad) => {
      const gradient = normals(700);
      gradient[699] = bad;
      const flagged = await prepare(gradient, controlWith({ step: 5 }));
      expect(flagged[CONTROL.nonfinite]).toBe(1);
      expect(flagged[CONTROL.step]).toBe(5);
      const later = await prepare(normals(700), flagged);
      expect(later).toEqual(flagged);
    },
  );

  it('counts no step once the KL target stopped the update', async () => {
    const control = await prepare(normals(10), controlWith({ stopped: 1, step: 7 }));
    expect(control[CONTROL.step]).toBe(7);
  });

  it.each([1, 2, 10, 1000, 1e6])('bias corrections are exact at t = %i', async (t) => {
    for (const [beta1, beta2] of [
      [0.9, 0.999],
      [0.5, 0.95],
      [0, 0.99],
      [0.3, 0.9999],
    ] as const) {
      for (const executor of await executors()) {
        const buffers = { partials: new Float32Array(NORM_PARTIALS_SIZE), control: controlWith({ step: t - 1 }) };
        const { control } = await runOnce(executor, clipNorm, buffers, { max_norm: 0, beta1, beta2 });
        const exact = [beta1, beta2].map((beta) => 1 - Math.fround(beta) ** t);
        expect(control[CONTROL.correction1] / exact[0]).toBeCloseTo(1, 5);
        expect(control[CONTROL.correction2] / exact[1]).toBeCloseTo(1, 5);
      }
    }
  });
});

describe('optimisers', () => {
  const rates = { learning_rate: 0.01, weight_decay: 0.1 };

  it.each([...SIZES, 65_535 * 64 + 1])('agree on %i parameters', async (count) => {
    const long = (source: Float32Array) => {
      const repeated = new Float32Array(count);
      for (let at = 0; at < count; at += source.length) repeated.set(source.subarray(0, count - at), at);
      return repeated;
    };
    const buffers = { parameters: long(normals(5000, 1)), gradient: long(normals(4999, 2)), control: ready };
    const moment = long(normals(4998, 3).map(Math.abs));
    for (const decoupled of [0, 1]) {
      const both = { ...buffers, first_moment: long(normals(4997, 4)), second_moment: moment };
      await agree(adam, both, { ...rates, count, beta1: 0.9, beta2: 0.999, epsilon: 1e-5, decoupled });
    }
    await agree(sgd, { ...buffers, velocity: moment }, { ...rates, count, momentum: 0.9 });
    await agree(rmsprop, { ...buffers, second_moment: moment }, { ...rates, count, alpha: 0.99, epsilon: 1e-5 });
  });

  it.each(['stopped', 'nonfinite'] as const)('change nothing when %s', async (flag) => {
    const control = ready.slice();
    control[CONTROL[flag]] = 1;
    const parameters = normals(65, 1);
    const buffers = { parameters, gradient: flags(65, 0.5), control };
    const zeros = new Float32Array(65);
    const results = [
      await agree(
        adam,
        { ...buffers, first_moment: zeros, second_moment: zeros },
        { ...rates, count: 65, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, decoupled: 1 },
      ),
      await agree(sgd, { ...buffers, velocity: zeros }, { ...rates, count: 65, momentum: 0.9 }),
      await agree(rmsprop, { ...buffers, second_moment: zeros }, { ...rates, count: 65, alpha: 0.99, epsilon: 1e-8 }),
    ];
    for (const result of results) expect(result.parameters).toEqual(parameters);
  });

  it.each([
    [1e-8, 9.9e-4],
    [1e-5, 9.09e-5],
  ])("Adam's first step for a gradient of 1e-6 with epsilon %d is %d (F13)", async (epsilon, step) => {
    const gradient = Float32Array.of(1e-6);
    const control = await prepare(gradient, undefined, 0);
    const zero = new Float32Array(1);
    const buffers = { parameters: zero, gradient, first_moment: zero, second_moment: zero, control };
    const settings = {
      count: 1,
      learning_rate: 1e-3,
      beta1: 0.9,
      beta2: 0.999,
      epsilon,
      weight_decay: 0,
      decoupled: 0,
    };
    const { parameters } = await agree(adam, buffers, settings);
    expect(-parameters[0] / step).toBeCloseTo(1, 3);
  });
});

describe('a weight at the end of the range', () => {
  const rates = { count: 2, learning_rate: 100, weight_decay: 1 };
  const buffers = () => ({
    parameters: Float32Array.of(-3e38, 1),
    gradient: Float32Array.of(0, 1),
    control: controlWith({ scale: 1, step: 1, correction1: 1, correction2: 1 }),
  });
  const zeros = new Float32Array(2);

  it('keeps its value rather than become infinite, and the others take their step (F34)', async () => {
    const results = [
      await agree(
        adam,
        { ...buffers(), first_moment: zeros, second_moment: zeros },
        { ...rates, beta1: 0.9, beta2: 0.999, epsilon: 1e-5, decoupled: 1 },
      ),
      await agree(sgd, { ...buffers(), velocity: zeros }, { ...rates, momentum: 0 }),
    ];
    for (const { parameters } of results) {
      expect(parameters[0]).toBe(Math.fround(-3e38));
      expect(parameters[1]).not.toBe(1);
      expect(Number.isFinite(parameters[1])).toBe(true);
    }
  });

  it('is not approached by a gradient whose square overflows: flagged unless clipped', async () => {
    const gradient = Float32Array.of(1e20, 0);
    expect((await prepare(gradient, undefined, 0))[CONTROL.nonfinite]).toBe(1);
    expect((await prepare(gradient, undefined, 0.5))[CONTROL.nonfinite]).toBe(0);
  });
});

describe('target KL', () => {
  const statistics = normals(24).fill(0.5);
  statistics[12] = 0.03;

  it.each([
    [1, 0.02, 0, 1],
    [1, 0.03, 0, 0],
    [1, 0.04, 1, 1],
    [0, 0.04, 0, 1],
    [1, 0, 1, 0],
  ])('row %i, limit %d: flag %i becomes %i', async (row, limit, before, after) => {
    const { control } = await agree(
      targetKl,
      { statistics, control: controlWith({ stopped: before }) },
      { row, limit },
    );
    expect(control[CONTROL.stopped]).toBe(after);
  });
});
