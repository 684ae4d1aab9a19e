/**
 * Each algorithm learns a small task from a seed, and does not when what makes it learn is taken away: a test
 * that a broken update would fail.
 */
import { describe, expect, it } from 'vitest';
import { createCpuExecutor } from './device/cpu';
import type { Executor } from './device/executor';
import { webGpuExecutor } from './device/testing';
import { type Evaluation, evaluate } from './evaluate';
import { Run } from './run';
import { type Changes, smallScenario } from './testing';

async function learn(executor: Executor, preset: string, changes: Changes, updates: number): Promise<Evaluation> {
  const run = await Run.create(executor, smallScenario(preset, changes, { updates }), 1);
  try {
    while (!run.finished) await run.train();
    return (await evaluate(run, 20, false, 0)) as Evaluation;
  } finally {
    run.destroy();
  }
}

const cpu = createCpuExecutor('test');

describe('FrozenLake 4×4 without slipping', () => {
  const lake: Changes = {
    environment: { id: 'frozen-lake', slippery: false },
    rollout: { copies: 16, steps: 64 },
    optimizer: { learning_rate: 0.02, anneal: false },
  };

  it.each<[string, Changes, number]>([
    ['reinforce', { ...lake, loss: { entropy_coefficient: 0.01 } }, 60],
    ['reinforce-baseline', lake, 60],
    ['a2c', { ...lake, rollout: { copies: 16, steps: 16 }, loss: { entropy_coefficient: 0.01 } }, 120],
    ['ppo', lake, 30],
  ])('is learned by %s, unless what is good is called bad', async (preset, changes, updates) => {
    expect((await learn(cpu, preset, changes, updates)).success).toBeGreaterThanOrEqual(0.9);
    expect((await learn(cpu, preset, { ...changes, reward: { scale: -1 } }, updates)).success).toBeLessThanOrEqual(0.1);
  });
});

describe('CartPole', () => {
  const cartpole: Changes = {
    environment: { id: 'cartpole' },
    policy: { hidden: [32] },
    rollout: { copies: 16, steps: 64 },
    optimizer: { learning_rate: 5e-3, anneal: false },
  };

  it('is learned by PPO on both executors: a pole held for longer than chance', async () => {
    for (const executor of [cpu, await webGpuExecutor()])
      expect((await learn(executor, 'ppo', cartpole, 24)).returnMean).toBeGreaterThan(100);
    expect((await learn(cpu, 'ppo', { ...cartpole, optimizer: { learning_rate: 0 } }, 24)).returnMean).toBeLessThan(40);
  });
});

describe('Pendulum', () => {
  it('is learned by PPO with continuous actions', async () => {
    const changes: Changes = {
      environment: { id: 'pendulum' },
      policy: { hidden: [32] },
      rollout: { copies: 32, steps: 64 },
      advantage: { gamma: 0.9 },
      loss: { epochs: 10, minibatches: 8 },
      optimizer: { learning_rate: 3e-3, anneal: false },
    };
    expect((await learn(cpu, 'ppo-continuous', changes, 0)).returnMean).toBeLessThan(-1000);
    expect((await learn(cpu, 'ppo-continuous', changes, 32)).returnMean).toBeGreaterThan(-750);
  });
});
