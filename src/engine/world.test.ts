/** Copies of an environment through the wrapper: what the record holds when episodes end and begin (F2). */
import { describe, expect, it } from 'vitest';
import { counter } from '../../kernels/environment/counter';
import { EPISODES, EPISODES_SIZE, RUNNING_SIZE } from '../../kernels/environment/episodes';
import { type EnvironmentProgram, STATE_HEADER } from '../../kernels/environment/program';
import type { Executor } from './device/executor';
import { BufferPool } from './device/pool';
import { executors } from './device/testing';
import { PLAIN } from './device/tuning';
import { Mlp } from './policies/mlp';
import { resolvedWith, smallScenario } from './testing';
import { World } from './world';

const COPIES = 3;
const STEPS = 7;

interface Made {
  readonly world: World;
  readonly executor: Executor;
  /** Records `STEPS` steps and counts the episodes. */
  rollout(episodeLimit?: number): Promise<Record<'observations' | 'terminated' | 'truncated' | 'signals', number[]>>;
}

/** Runs `test` with a world of `program` on each executor. */
async function onBoth(program: EnvironmentProgram, test: (made: Made) => Promise<void>): Promise<void> {
  for (const executor of await executors()) {
    const resolved = resolvedWith(program, smallScenario('ppo', { policy: { hidden: [4] } }));
    const pool = new BufferPool(executor);
    const mlp = new Mlp(resolved.policy, PLAIN, pool, Math.max(COPIES, STEPS));
    const parameters = pool.f32('parameters', mlp.layout.size);
    executor.upload(parameters, mlp.layout.initialize(0));
    const world = new World(pool, resolved, mlp, 'training', COPIES, STEPS, undefined);
    world.reset(0);
    let step = 0;
    const read = async (buffer: Parameters<Executor['download']>[0]) => [...(await executor.download(buffer))];
    await test({
      world,
      executor,
      async rollout(episodeLimit = 0) {
        world.continueFromLastRow();
        for (let t = 0; t < STEPS; t++) world.step(parameters, t, 0, step++, false, episodeLimit);
        world.countEpisodes(STEPS);
        const { observations, terminated, truncated, signals } = world;
        return {
          observations: await read(observations),
          terminated: await read(terminated),
          truncated: await read(truncated),
          signals: await read(signals),
        };
      },
    });
    pool.destroy();
  }
}

/** Puts copy c at count c, so that no two end at the same step. */
async function outOfPhase({ world, executor }: Made): Promise<void> {
  const state = (await executor.download(world.state)) as Float32Array;
  const size = state.length / COPIES;
  for (let copy = 0; copy < COPIES; copy++) {
    state[copy * size] = copy;
    state[copy * size + STATE_HEADER] = copy;
  }
  executor.upload(world.state, state);
  executor.upload(world.observations, Float32Array.of(0, 1, 2));
}

describe('the record of a rollout', () => {
  it('reads 0, 1, 2, 3, 4 in every episode of copies out of phase, across rollouts (F2)', async () => {
    await onBoth(counter(), async (made) => {
      await outOfPhase(made);
      const read: number[][][] = Array.from({ length: COPIES }, (_, copy) => [
        Array.from({ length: copy }, (__, i) => i),
      ]);
      for (let r = 0; r < 3; r++) {
        const { observations, terminated } = await made.rollout();
        for (let t = 0; t < STEPS; t++)
          for (let copy = 0; copy < COPIES; copy++) {
            const row = t * COPIES + copy;
            const episodes = read[copy];
            episodes[episodes.length - 1].push(observations[row]);
            if (terminated[row] === 0) continue;
            episodes[episodes.length - 1].push(observations[made.world.finalFirst + row]);
            episodes.push([]);
          }
      }
      for (const episodes of read) {
        expect(episodes.length).toBeGreaterThan(5);
        for (const episode of episodes.slice(0, -1)) expect(episode).toEqual([0, 1, 2, 3, 4]);
        const last = episodes[episodes.length - 1];
        expect(last).toEqual([0, 1, 2, 3].slice(0, last.length));
      }
    });
  });

  it('tells a time limit from an end, and keeps its last observation', async () => {
    await onBoth(counter(3), async (made) => {
      const { observations, terminated, truncated } = await made.rollout();
      expect(terminated).toEqual(new Array(STEPS * COPIES).fill(0));
      for (let t = 0; t < STEPS; t++)
        for (let copy = 0; copy < COPIES; copy++) {
          const row = t * COPIES + copy;
          expect(observations[row]).toBe(t % 3);
          expect(truncated[row]).toBe(Number(t % 3 === 2));
          if (truncated[row]) expect(observations[made.world.finalFirst + row]).toBe(3);
        }
    });
  });

  it('calls an end at the limit an end, not a time limit', async () => {
    await onBoth(counter(4), async (made) => {
      const { terminated, truncated } = await made.rollout();
      expect(terminated.filter((flag) => flag === 1).length).toBe(COPIES);
      expect(truncated).toEqual(new Array(STEPS * COPIES).fill(0));
    });
  });
});

describe('episode accounting', () => {
  it('carries an episode across rollouts', async () => {
    await onBoth(counter(), async (made) => {
      await outOfPhase(made);
      const sums = [0, 0, 0, 0, 0];
      for (let r = 0; r < 2; r++) {
        await made.rollout();
        const totals = await made.executor.download(made.world.episodeTotals);
        for (let i = 0; i < sums.length; i++) sums[i] += totals[i];
      }
      // 14 steps of copies that began at 0, 1 and 2: the first episode of each is short of what came before.
      const ended = Math.floor(14 / 4) + Math.floor(15 / 4) + Math.floor(16 / 4);
      const steps = 4 * ended - 0 - 1 - 2;
      expect(sums[EPISODES.ended]).toBe(ended);
      expect(sums[EPISODES.returns]).toBe(steps);
      expect(sums[EPISODES.lengths]).toBe(steps);
      expect(sums[EPISODES.successes]).toBe(ended);
      const running = await made.executor.download(made.world.running);
      expect([0, 1, 2].map((copy) => running[copy * RUNNING_SIZE + 1])).toEqual([14 % 4, 15 % 4, 16 % 4]);
    });
  });

  it('counts what was recorded when a rollout is left in the middle', async () => {
    await onBoth(counter(), async ({ world, executor }) => {
      const parameters = executor.createBuffer('parameters', 'f32', 100);
      for (let t = 0; t < 3; t++) world.step(parameters, t, 0, t, false, 0);
      world.continueFromLastRow();
      world.step(parameters, 0, 0, 3, false, 0);
      world.countEpisodes(1);
      const totals = await executor.download(world.episodeTotals);
      expect([totals[EPISODES.ended], totals[EPISODES.returns]]).toEqual([COPIES, 4 * COPIES]);
      executor.destroyBuffer(parameters);
    });
  });

  it('lets a copy rest after its episodes: no reward, no end, no step', async () => {
    await onBoth(counter(), async (made) => {
      const { signals, terminated } = await made.rollout(1);
      expect(terminated.filter((flag) => flag === 1).length).toBe(COPIES);
      expect(signals.filter((_, i) => i % 2 === 0).reduce((sum, reward) => sum + reward, 0)).toBe(4 * COPIES);
      const table = await made.executor.download(made.world.episodes);
      for (let copy = 0; copy < COPIES; copy++)
        expect([...table.slice(copy * EPISODES_SIZE, copy * EPISODES_SIZE + 2)]).toEqual([1, 4]);
    });
  });

  it('names the first state without a legal action', async () => {
    const wgsl = counter().wgsl.replace('return 1u;', 'return select(1u, 0u, state[s] == 2.0);');
    const stuck: EnvironmentProgram = {
      ...counter(),
      name: 'stuck',
      wgsl,
      masksActions: true,
      legal: (state, s) => Number(state[s] !== 2),
    };
    await onBoth(stuck, async (made) => {
      await made.rollout();
      const table = await made.executor.download(made.world.episodes);
      expect(table[EPISODES.illegal]).toBe(3);
    });
  });
});
