import { describe, expect, it } from 'vitest';
import { executors, runOnce, webGpuExecutor } from '../../src/engine/device/testing';
import { agree, expectGolden, normals } from '../agree';
import type { UniformValues } from '../kernel';
import { Random } from '../random/threefry';
import { cleanrlPpoLoss, sb3PpoLoss } from './golden';
import { LOSS_STATISTICS, type LossStatistic, lossStatistics, STATISTICS_SIZE } from './loss_statistics';
import { type Distribution, gradientSize, type ObjectiveName, policyLoss, statisticsSize } from './policy_loss';

const KINDS = (['categorical', 'gaussian'] as const).flatMap((distribution) =>
  (['ppo', 'policy_gradient'] as const).map((objective) => ({ distribution, objective })),
);
const coefficients = { clip: 0.2, value_clip: 0.3, clip_values: 1, value_coefficient: 0.5, entropy_coefficient: 0.01 };

/** A minibatch of `rows` samples, `first` rows into a batch whose rollout has twice as many. */
function minibatch(distribution: Distribution, rows: number, actions: number, first = 3) {
  const rollout = 2 * (rows + first) + 1;
  const below = (n: number, copy: number) => new Random(8, 1, copy, 0).below(n);
  const isCategorical = distribution === 'categorical';
  const chosen = Float32Array.from({ length: rollout }, (_, r) => below(actions, r));
  const samples = normals((rows + first) * 4, 1);
  for (let i = 0; i < rows + first; i++) samples[i * 4] -= isCategorical ? 1.5 : 1.5 * actions;
  return {
    outputs: normals(rows * actions, 2),
    values: normals(rows, 3),
    indices: Uint32Array.from({ length: rows + first }, (_, i) => below(rollout, 10_000 + i)),
    samples,
    actions: isCategorical ? chosen : normals(rollout * actions, 4),
    ...(isCategorical
      ? { masks: Uint32Array.from(chosen, (action, r) => (new Random(9, 1, r, 0).bits()[0] | (1 << action)) >>> 0) }
      : { parameters: normals(actions + 2, 5, -0.3, 0.3) }),
    gradient: new Float32Array(gradientSize(distribution, rows, actions) + 1),
    statistics: new Float32Array(statisticsSize(rows) + 1),
  };
}

function uniformsOf(
  distribution: Distribution,
  rows: number,
  actions: number,
  more: UniformValues = {},
): UniformValues {
  const own = distribution === 'categorical' ? { masked: 1 } : { log_std_offset: 2 };
  return { rows, first: 3, actions, ...coefficients, ...own, ...more };
}

async function meansOf(statistics: Float32Array | Uint32Array, rows: number): Promise<Record<LossStatistic, number>> {
  const partials = statisticsSize(rows) / STATISTICS_SIZE;
  const buffers = { statistics, statistics_out: new Float32Array(3 * STATISTICS_SIZE) };
  const { statistics_out } = await agree(
    lossStatistics,
    buffers,
    { partials, rows, row: 1 },
    { rtol: 1e-5, atol: 1e-6 },
  );
  expect([...statistics_out.slice(0, 8), ...statistics_out.slice(16)].every((x) => x === 0)).toBe(true);
  return Object.fromEntries(LOSS_STATISTICS.map((name, i) => [name, statistics_out[8 + i]])) as Record<
    LossStatistic,
    number
  >;
}

describe('policy loss', () => {
  it("agrees with CleanRL's PPO", () => expectGolden('cleanrl_ppo_loss', cleanrlPpoLoss));
  it("agrees with Stable-Baselines3's PPO", () => expectGolden('sb3_ppo_loss', sb3PpoLoss));
  it('does not normalise a minibatch of one', () =>
    expectGolden('nonfinite_reference', cleanrlPpoLoss, (testCase) => testCase.function === 'cleanrl_ppo_loss'));

  for (const { distribution, objective } of KINDS)
    it.each([
      [0, 3],
      [1, 1],
      [7, 2],
      [63, 2],
      [64, 4],
      [65, 5],
      [1037, 7],
    ])(`agrees on both executors: ${distribution}, ${objective}, %i samples of %i`, async (rows, actions) => {
      const kernel = policyLoss({ distribution, objective });
      for (const clip_values of [0, 1, 2]) {
        const written = await agree(
          kernel,
          minibatch(distribution, rows, actions),
          uniformsOf(distribution, rows, actions, { clip_values }),
          {
            rtol: 1e-4,
            atol: 2e-5,
          },
        );
        expect([written.gradient.at(-1), written.statistics.at(-1)]).toEqual([0, 0]);
      }
    });

  it.each(KINDS)('has the gradient of its loss: $distribution, $objective', ({ distribution, objective }) => {
    const [rows, actions] = [5, 3];
    for (const clip_values of [0, 1, 2]) {
      const uniforms = uniformsOf(distribution, rows, actions, { clip_values });
      const lossOf = doubleLoss(distribution, objective, uniforms);
      const { loss, gradient, buffers } = lossOf();
      expect(Number.isFinite(loss)).toBe(true);
      for (let k = 0; k < rows * actions; k++) expect(gradient[k]).toBeCloseTo(slope(lossOf, buffers.outputs, k), 6);
      for (let i = 0; i < rows; i++)
        expect(gradient[rows * actions + i]).toBeCloseTo(slope(lossOf, buffers.values, i), 6);
      for (let d = 0; distribution === 'gaussian' && d < actions; d++) {
        let sum = 0;
        for (let i = 0; i < rows; i++) sum += gradient[rows * (actions + 1) + i * actions + d];
        expect(sum).toBeCloseTo(slope(lossOf, buffers.parameters, 2 + d), 6);
      }
    }
  });

  it('of an impossible ratio stays finite, and leaves the other samples alone (F6)', async () => {
    const rows = 3;
    const kernel = policyLoss({ distribution: 'categorical', objective: 'ppo' });
    const uniforms = uniformsOf('categorical', rows, 2, { first: 0, masked: 0, entropy_coefficient: 0 });
    for (const executor of await executors())
      for (const advantage of [-1, 0, 1]) {
        const gradients: number[][] = [];
        for (const oldLogProb of [-200, -0.7]) {
          const { gradient, statistics } = await runOnce(
            executor,
            kernel,
            {
              outputs: Float32Array.of(0.3, -0.4, 0.8, -0.8, 0.5, 1),
              values: new Float32Array(rows),
              indices: Uint32Array.of(0, 1, 2),
              samples: Float32Array.of(-0.5, 1, 0, 0, oldLogProb, advantage, 0, 0, -0.9, -1, 0, 0),
              actions: new Float32Array(rows),
              masks: new Uint32Array(rows),
              gradient: new Float32Array(gradientSize('categorical', rows, 2)),
              statistics: new Float32Array(statisticsSize(rows)),
            },
            uniforms,
          );
          expect([...gradient, ...statistics].every(Number.isFinite)).toBe(true);
          expect(statistics[LOSS_STATISTICS.indexOf('bounded')]).toBe(oldLogProb === -200 ? 1 : 0);
          gradients.push([...gradient]);
          if (oldLogProb === -200) expect([gradient[2], gradient[3]].map(Math.abs)).toEqual([0, 0]);
        }
        const others = [0, 1, 4, 5, 6, 7, 8];
        expect(others.map((k) => gradients[0]?.[k])).toEqual(others.map((k) => gradients[1]?.[k]));
      }
  });

  it('gives the forbidden logits gradient 0, and counts what is clipped', async () => {
    const [rows, actions] = [200, 5];
    const buffers = minibatch('categorical', rows, actions);
    const masks = (buffers as { masks?: Uint32Array }).masks ?? new Uint32Array(0);
    const { gradient, statistics } = await agree(
      policyLoss({ distribution: 'categorical', objective: 'ppo' }),
      buffers,
      uniformsOf('categorical', rows, actions),
      {
        rtol: 1e-4,
        atol: 2e-5,
      },
    );
    for (let i = 0; i < rows; i++)
      for (let a = 0; a < actions; a++)
        if (!((masks[buffers.indices[3 + i]] >> a) & 1)) expect(gradient[i * actions + a]).toBe(0);
    const means = await meansOf(statistics, rows);
    expect(means.clipped).toBeGreaterThan(0.2);
    expect(means.clipped).toBeLessThan(1);
    expect(means.approx_kl).toBeGreaterThan(0);
    expect(means.bounded).toBe(0);
  });

  it('is bitwise repeatable', async () => {
    const [rows, actions] = [1000, 4];
    const run = async () =>
      runOnce(
        await webGpuExecutor(),
        policyLoss({ distribution: 'gaussian', objective: 'ppo' }),
        minibatch('gaussian', rows, actions),
        uniformsOf('gaussian', rows, actions),
      );
    const [a, b] = [await run(), await run()];
    expect(a.gradient).toEqual(b.gradient);
    expect(a.statistics).toEqual(b.statistics);
  });
});

type Doubles = Record<'outputs' | 'values' | 'parameters' | 'gradient' | 'statistics', Float64Array>;

/** The reference in double precision, for differences: returns the whole loss and the gradient. */
function doubleLoss(distribution: Distribution, objective: ObjectiveName, uniforms: UniformValues) {
  const single = minibatch(distribution, uniforms.rows, uniforms.actions);
  const buffers = Object.fromEntries(
    Object.entries(single).map(([name, data]) => [name, data instanceof Float32Array ? Float64Array.from(data) : data]),
  ) as unknown as Doubles;
  const kernel = policyLoss({ distribution, objective });
  return () => {
    kernel.reference(buffers as unknown as Record<string, Float32Array>, uniforms);
    const mean = (name: LossStatistic) => buffers.statistics[LOSS_STATISTICS.indexOf(name)] / uniforms.rows;
    const loss =
      mean('policy_loss') +
      uniforms.value_coefficient * mean('value_loss') -
      uniforms.entropy_coefficient * mean('entropy');
    return { loss, gradient: buffers.gradient.slice(), buffers };
  };
}

function slope(lossOf: () => { loss: number }, data: Float64Array, k: number): number {
  const x = data[k];
  data[k] = x + 1e-5;
  const above = lossOf().loss;
  data[k] = x - 1e-5;
  const below = lossOf().loss;
  data[k] = x;
  return (above - below) / 2e-5;
}
