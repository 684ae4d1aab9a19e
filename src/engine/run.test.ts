/** A run as a whole: the same numbers again, the same on both executors, and every switch of the pipeline. */
import { describe, expect, it } from 'vitest';
import { createCpuExecutor } from './device/cpu';
import type { Executor } from './device/executor';
import { executors, webGpuExecutor } from './device/testing';
import type { TuningMemory } from './device/tuning';
import { evaluate } from './evaluate';
import { type Report, Run } from './run';
import { type Changes, sha, smallScenario } from './testing';

const EXECUTORS = ['cpu', 'webgpu'] as const;

async function executorOf(kind: (typeof EXECUTORS)[number]): Promise<Executor> {
  return kind === 'cpu' ? createCpuExecutor('test') : webGpuExecutor();
}

/** The choice of tiles is part of what makes the bits, and is remembered for the adapter. */
let tuning: TuningMemory = {};

/** Trains a few updates from a seed and hands the run to `look` before it is destroyed. */
async function trained<T>(
  executor: Executor,
  changes: Changes,
  updates: number,
  look: (run: Run, reports: Report[]) => Promise<T>,
  preset = 'ppo',
  seed = 0,
): Promise<T> {
  const run = await Run.create(executor, smallScenario(preset, changes), seed, tuning);
  tuning = run.tuned.memory;
  try {
    const reports: Report[] = [];
    for (let i = 0; i < updates; i++) reports.push(await run.train());
    return await look(run, reports);
  } finally {
    run.destroy();
  }
}

const weightsOf = (run: Run) => run.weights();

function expectFinite(weights: Float32Array): void {
  expect(weights.every(Number.isFinite)).toBe(true);
}

describe.each(EXECUTORS)('seeds on %s', (kind) => {
  it('give the same weights bit for bit, 0 as well as any other (F7)', async () => {
    const executor = await executorOf(kind);
    const hash = (seed: number) => trained(executor, {}, 4, async (run) => sha(await run.weights()), 'ppo', seed);
    const [zero, again, one] = [await hash(0), await hash(0), await hash(1)];
    expect(again).toBe(zero);
    expect(one).not.toBe(zero);
  });

  it('give the same weights again after a reset in the same run', async () => {
    const executor = await executorOf(kind);
    await trained(
      executor,
      { rollout: { normalize_observations: true }, reward: { normalize: true } },
      3,
      async (run) => {
        const first = sha(await run.weights());
        run.reset(0);
        for (let i = 0; i < 3; i++) await run.train();
        expect(sha(await run.weights())).toBe(first);
      },
    );
  });
});

describe('CPU and WebGPU', () => {
  it.each([
    ['ppo', {}],
    ['ppo', { policy: { hidden: [10, 7], activation: 'gelu', trunk: 'shared' } }],
    ['a2c', { environment: { id: 'cartpole' }, policy: { hidden: [9], activation: 'relu' } }],
    ['reinforce-baseline', { environment: { id: 'cartpole' }, rollout: { steps: 40 } }],
    ['ppo-continuous', { environment: { id: 'pendulum' }, loss: { minibatches: 3, epochs: 2 } }],
  ] as const)('come to the same weights after an update of %s %j (F26)', async (preset, changes) => {
    const [cpu, gpu] = await executors();
    const [a, b] = [
      await trained(cpu, changes, 1, weightsOf, preset),
      await trained(gpu, changes, 1, weightsOf, preset),
    ];
    const gap = a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);
    const moved = await trained(
      cpu,
      changes,
      0,
      async (run) => (await run.weights()).reduce((most, value, i) => Math.max(most, Math.abs(value - a[i])), 0),
      preset,
    );
    expect(moved).toBeGreaterThan(1e-4);
    expect(gap).toBeLessThan(0.05 * moved);
  });
});

describe.each(EXECUTORS)('an update on %s', (kind) => {
  it('begins where the policy is that acted: ratio 1 on the first minibatch', async () => {
    for (const changes of [
      {},
      { environment: { id: 'pendulum' }, rollout: { normalize_observations: true } },
    ] as Changes[])
      await trained(
        await executorOf(kind),
        { ...changes, loss: { epochs: 1, minibatches: 1 } },
        3,
        async (_run, reports) => {
          for (const { metrics } of reports) {
            expect(metrics['losses/approx_kl']).toBeLessThan(1e-6);
            expect(Math.abs(metrics['losses/old_approx_kl'])).toBeLessThan(1e-5);
            expect(metrics['losses/clipfrac']).toBe(0);
          }
        },
      );
  });

  it('reads back once', async () => {
    const executor = await executorOf(kind);
    await trained(executor, {}, 2, async (run) => {
      const before = executor.counters.readbacks;
      await run.train();
      await run.train();
      expect(executor.counters.readbacks - before).toBe(2);
    });
  });

  it('takes a live setting at the next update, not before', async () => {
    await trained(await executorOf(kind), { optimizer: { anneal: false } }, 1, async (run, [first]) => {
      expect(first.metrics['charts/learning_rate']).toBe(2.5e-4);
      let set = false;
      const second = await run.train(() => {
        if (!set) expect(run.set('slots.optimizer.parameters.learning_rate', 0)).toBeUndefined();
        set = true;
      });
      expect(second.metrics['charts/learning_rate']).toBe(2.5e-4);
      const before = sha(await run.weights());
      expect((await run.train()).metrics['charts/learning_rate']).toBe(0);
      expect(sha(await run.weights())).toBe(before);
    });
  });

  it('stops its epochs at the target KL', async () => {
    const steps = async (target_kl: number) =>
      trained(
        await executorOf(kind),
        { loss: { epochs: 8, minibatches: 2, target_kl }, optimizer: { learning_rate: 0.05, anneal: false } },
        1,
        async (run) => {
          const { buffers } = await run.snapshot('learned');
          return buffers.control[2];
        },
      );
    expect(await steps(0)).toBe(16);
    expect(await steps(1e-6)).toBe(2);
  });
});

describe('the pipeline', () => {
  const cpu = createCpuExecutor('test');

  it('survives a last minibatch of one (F3)', async () => {
    for (const executor of await executors())
      for (const normalize_advantage of [true, false])
        await trained(
          executor,
          { rollout: { copies: 5, steps: 13 }, loss: { minibatches: 9, normalize_advantage } },
          2,
          async (run, [report]) => {
            expect([run.resolved.batch, run.resolved.minibatch, run.resolved.batch % run.resolved.minibatch]).toEqual([
              65, 8, 1,
            ]);
            expect(report.nonfinite).toBe(false);
            expectFinite(await run.weights());
          },
        );
  });

  it('survives a single step of a single copy, and rewards that are all equal (F3)', async () => {
    for (const executor of await executors())
      for (const changes of [
        { rollout: { copies: 1, steps: 1 }, loss: { minibatches: 1 } },
        { reward: { scale: 0 } },
      ] as Changes[])
        await trained(executor, changes, 3, async (run, reports) => {
          expect(reports.some(({ nonfinite }) => nonfinite)).toBe(false);
          expectFinite(await run.weights());
        });
  });

  it.each([
    { policy: { hidden: [] } },
    { policy: { hidden: [], trunk: 'shared' } },
    { policy: { hidden: [8, 8], trunk: 'shared' } },
    { policy: { activation: 'relu' } },
    { policy: { activation: 'gelu' } },
    { policy: { activation: 'gelu_tanh', hidden: [5, 6, 7] } },
    { optimizer: { id: 'adamw', weight_decay: 0.01 } },
    { optimizer: { id: 'sgd', momentum: 0.9 } },
    { optimizer: { id: 'rmsprop' } },
    { advantage: { id: 'monte-carlo', tail: 'bootstrap' } },
    { advantage: { id: 'monte-carlo', tail: 'end', baseline: false }, loss: { value_coefficient: 0 } },
    { loss: { id: 'policy-gradient', minibatches: 3 } },
    { reward: { normalize: true } },
    { rollout: { normalize_observations: true } },
    { environment: { id: 'minigrid', level: 'doorkey', size: 5, mask: true } },
    { environment: { id: 'bandit' } },
  ] as Changes[])('trains with %j: every weight finite, some moved', async (changes) => {
    await trained(cpu, changes, 2, async (run, reports) => {
      const start = run.mlp.layout.initialize(0);
      const weights = await run.weights();
      expectFinite(weights);
      expect(weights.some((weight, i) => weight !== start[i])).toBe(true);
      for (const { metrics } of reports)
        for (const [name, value] of Object.entries(metrics))
          if (name !== 'losses/explained_variance') expect(value, name).toSatisfy(Number.isFinite);
    });
  });

  it('shares a trunk when told to: fewer weights, other gradients', async () => {
    const size = (trunk: string) =>
      trained(cpu, { policy: { hidden: [8, 8], trunk } }, 0, async (run) => run.mlp.layout.size);
    const tower = (16 + 1) * 8 + (8 + 1) * 8;
    expect(await size('separate')).toBe(2 * tower + (8 + 1) * 5);
    expect(await size('shared')).toBe(tower + (8 + 1) * 5);
  });

  it('moves the log-deviation of a continuous policy', async () => {
    for (const executor of await executors())
      await trained(
        executor,
        { environment: { id: 'pendulum' }, optimizer: { learning_rate: 0.01 } },
        2,
        async (run, reports) => {
          expect(reports[1].metrics['charts/log_std_0']).not.toBe(0);
          expectFinite(await run.weights());
        },
        'ppo-continuous',
      );
  });

  it('bounds the reward by its running deviation', async () => {
    const reward = (normalize: boolean) =>
      trained(
        cpu,
        { environment: { id: 'pendulum' }, reward: { normalize } },
        5,
        async (_run, reports) => Math.abs(reports[4].metrics['charts/reward']),
        'ppo-continuous',
      );
    expect(await reward(false)).toBeGreaterThan(2);
    expect(await reward(true)).toBeLessThan(2);
  });
});

describe('time limits', () => {
  it('bootstrap from the value of the real last observation (F1, F2)', async () => {
    const gamma = 0.9;
    const changes: Changes = {
      environment: { id: 'pendulum' },
      rollout: { copies: 3, steps: 201 },
      advantage: { gamma, lambda: 0.8 },
      loss: { epochs: 1, minibatches: 1 },
    };
    for (const executor of await executors())
      await trained(executor, { ...changes, optimizer: { learning_rate: 0 } }, 1, async (run) => {
        const { world, scratch } = run;
        const read = async (name: string) => (await executor.download(scratch.f32(name, 0))) as Float32Array;
        const [advantages, rewards, values, finals] = [
          await read('advantages'),
          await read('rewards'),
          await read('values'),
          await read('final values'),
        ];
        const truncated = await executor.download(world.truncated);
        const observations = await executor.download(world.observations);
        const row = 199 * 3 + 1;
        expect(truncated[row]).toBe(1);
        // The critic on the kept observation: what final_values must hold.
        const kept = executor.createBuffer('kept', 'f32', 3);
        executor.upload(kept, observations.slice((world.finalFirst + row) * 3, (world.finalFirst + row + 1) * 3));
        const value = executor.createBuffer('value', 'f32', 1);
        run.mlp.critic(run.parameters, { observations: kept, first: 0, count: 1 }, value);
        const [expected] = await executor.download(value);
        executor.destroyBuffer(kept);
        executor.destroyBuffer(value);
        expect(finals[row]).toBeCloseTo(expected, 5);
        expect(Math.abs(expected - values[row + 3])).toBeGreaterThan(1e-3);
        expect(advantages[row]).toBeCloseTo(rewards[row] + gamma * expected - values[row], 4);
      });
  });
});

describe('evaluation', () => {
  it.each(EXECUTORS)('changes nothing of the run and gives the same score again, on %s (F11)', async (kind) => {
    const changes: Changes = {
      environment: { id: 'cartpole' },
      rollout: { normalize_observations: true },
      policy: { hidden: [8] },
    };
    await trained(await executorOf(kind), changes, 2, async (run) => {
      const before = await run.snapshot('all');
      const first = await evaluate(run, 10, false, 0);
      const second = await evaluate(run, 10, false, 0);
      expect(second).toEqual(first);
      expect(first?.returnMean).toBeGreaterThan(5);
      expect(await run.snapshot('all')).toEqual(before);
      expect(before.buffers.normalizer[8]).toBeGreaterThan(200);
    });
  });

  it('reports the environment’s own reward, not the shaped one (F11)', async () => {
    const score = (reward: Record<string, unknown>) =>
      trained(
        createCpuExecutor(),
        { environment: { id: 'cartpole' }, reward, optimizer: { learning_rate: 0 } },
        1,
        async (run) => (await evaluate(run, 10, true, 0))?.returns,
      );
    expect(await score({ scale: 100, normalize: true })).toEqual(await score({}));
  });

  it('may ask for fewer episodes than before', async () => {
    await trained(createCpuExecutor(), { environment: { id: 'pendulum' }, policy: { hidden: [4] } }, 0, async (run) => {
      const many = await evaluate(run, 20, true, 0);
      const few = await evaluate(run, 5, true, 0);
      expect(few?.returns).toEqual(many?.returns.slice(0, 5));
      expect(few?.length).toBe(200);
    });
  });
});

describe.each(EXECUTORS)('a snapshot on %s', (kind) => {
  const changes: Changes = {
    environment: { id: 'minigrid', level: 'empty', size: 5, mask: true },
    rollout: { copies: 4, steps: 8, normalize_observations: true },
    reward: { normalize: true },
  };

  it('goes on bit for bit, in the same run and in another', async () => {
    const executor = await executorOf(kind);
    await trained(executor, changes, 3, async (run) => {
      const snapshot = await run.snapshot('all');
      const go = async (on: Run) => {
        const reports = [await on.train(), await on.train()];
        return { reports, weights: sha(await on.weights()) };
      };
      const straight = await go(run);
      run.restore(snapshot, 0);
      expect(await go(run)).toEqual(straight);
      run.reset(7);
      run.restore(snapshot, 0);
      expect(await go(run)).toEqual(straight);
      await trained(executor, changes, 0, async (other) => {
        other.restore(snapshot, 0);
        expect(await go(other)).toEqual(straight);
      });
    });
  });

  it('of what was learned begins new episodes on another device, whose first row is real', async () => {
    const executor = await executorOf(kind);
    const snapshot = await trained(executor, changes, 3, (run) => run.snapshot('learned'));
    await trained(executor, changes, 0, async (other) => {
      const size = other.resolved.environment.program.observationSize;
      const first = await executor.download(other.world.observations, 0, 4 * size);
      other.restore(snapshot, 0);
      await other.train();
      expect(await executor.download(other.world.observations, 0, 4 * size)).toEqual(first);
      expect(other.update).toBe(4);
    });
  });

  it('in the middle of a rollout keeps the observation that belongs to the state', async () => {
    const executor = await executorOf(kind);
    await trained(executor, { environment: { id: 'cartpole' }, rollout: { copies: 3, steps: 8 } }, 2, async (run) => {
      let gates = 0;
      await run
        .train(() => {
          if (++gates === 5) throw new Error('left');
        })
        .catch(() => {});
      const snapshot = await run.snapshot('all');
      run.reset(9);
      run.restore(snapshot, 0);
      const state = snapshot.buffers.state;
      await run.train();
      const observations = await executor.download(run.world.observations, 0, 12);
      for (let copy = 0; copy < 3; copy++)
        for (let i = 0; i < 4; i++) expect(observations[copy * 4 + i]).toBe(state[copy * 6 + 2 + i]);
    });
  });
});

describe('memory', () => {
  it.each(EXECUTORS)('on %s is level over 200 updates with looks between, and empty afterwards (F24)', async (kind) => {
    const executor = await executorOf(kind);
    const atFirst = { ...executor.counters };
    const run = await Run.create(
      executor,
      smallScenario('ppo', {
        environment: { id: 'pendulum' },
        policy: { hidden: [8] },
        rollout: { copies: 2, steps: 8, normalize_observations: true },
        loss: { epochs: 1, minibatches: 2 },
      }),
      0,
    );
    const warm = async () => {
      for (let i = 0; i < 2; i++) await run.train();
      await run.snapshot('all');
      await evaluate(run, 4, true, 0);
    };
    await warm();
    const { liveBuffers, liveBytes } = executor.counters;
    for (let i = 0; i < 200; i++) {
      await run.train();
      if (i % 50 === 0) await warm();
    }
    expect([executor.counters.liveBuffers, executor.counters.liveBytes]).toEqual([liveBuffers, liveBytes]);
    run.destroy();
    expect([executor.counters.liveBuffers, executor.counters.liveBytes]).toEqual([
      atFirst.liveBuffers,
      atFirst.liveBytes,
    ]);
  });

  it('of a run that was refused is empty too', async () => {
    const executor = createCpuExecutor();
    await expect(Run.create(executor, smallScenario('ppo', { rollout: { copies: 1_000_000_000 } }), 0)).rejects.toThrow(
      'copies',
    );
    expect(executor.counters.liveBuffers).toBe(0);
  });
});

describe('a live setting', () => {
  it('is refused with a reason where the run cannot take it', async () => {
    await trained(createCpuExecutor(), {}, 0, async (run) => {
      expect(run.set('weather.parameters.rain', 1)).toMatch(/not a stage/);
      expect(run.set('loss.parameters.rain', 1)).toMatch(/not a setting of loss/);
      expect(run.set('loss.parameters.constructor', 1)).toMatch(/not a setting of loss/);
      expect(run.set('policy.parameters.hidden', [4])).toMatch(/reset/);
      expect(run.set('loss.parameters.clip', -1)).toMatch(/0 to 10/);
      expect(run.set('reward.parameters.weights', new Array(30).fill(1))).toMatch(/signals may be rewarded/);
      expect(run.set('loss.parameters.clip', 0.1)).toBeUndefined();
    });
    await trained(
      createCpuExecutor(),
      {},
      0,
      async (run) => expect(run.set('loss.parameters.value_coefficient', 1)).toMatch(/critic/),
      'reinforce',
    );
  });
});
