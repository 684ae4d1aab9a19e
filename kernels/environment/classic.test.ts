import { describe, expect, it } from 'vitest';
import { executors } from '../../src/engine/device/testing';
import { Random } from '../random/threefry';
import { cartPole } from './cartpole';
import { takeSteps } from './golden';
import { MOUNTAIN_CAR, mountainCar } from './mountain-car';
import { PENDULUM, pendulum } from './pendulum';

describe('classic control', () => {
  it('has cosine and sine to single precision on every executor, far from 0 too', async () => {
    const angles = Array.from({ length: 2001 }, (_, i) => (i - 1000) * 0.1);
    const program = pendulum({ ...PENDULUM, gravity: 0, maxSpeed: 8 });
    const steps = angles.map((angle) => ({ state: [angle, 0, 0], action: [0], number: 1 }));
    for (const executor of await executors()) {
      const worst = (await takeSteps(program, steps, executor)).map(({ state, observation }) =>
        Math.max(Math.abs(observation[0] - Math.cos(state[0])), Math.abs(observation[1] - Math.sin(state[0]))),
      );
      expect(Math.max(...worst), executor.kind).toBeLessThan(3e-7);
    }
  });

  it('CartPole succeeds on step 475, once', async () => {
    const steps = [474, 475, 476].map((number) => ({ state: [0, 0, 0, 0], action: [1], number }));
    for (const executor of await executors())
      expect((await takeSteps(cartPole(), steps, executor)).map(({ signals }) => signals[3])).toEqual([0, 1, 0]);
  });

  it('CartPole terminates beyond 12° and 2.4 m', async () => {
    const steps = [
      [0, 0, 0.2094, 0],
      [0, 0, 0.2095, 0],
      [2.399, 0, 0, 0],
      [2.401, 0, 0, 0],
      [-2.401, 0, 0, 0],
    ];
    for (const executor of await executors()) {
      const taken = await takeSteps(
        cartPole(),
        steps.map((state) => ({ state, action: [0], number: 1 })),
        executor,
      );
      expect(taken.map(({ terminated }) => terminated)).toEqual([false, true, false, true, true]);
    }
  });

  it('MountainCar stops dead at the left end', async () => {
    for (const executor of await executors()) {
      const [{ state, terminated }] = await takeSteps(
        mountainCar(),
        [{ state: [-1.19, -0.06], action: [0], number: 1 }],
        executor,
      );
      expect(state[0]).toBeCloseTo(MOUNTAIN_CAR.minPosition, 6);
      expect(state[1]).toBe(0);
      expect(terminated).toBe(false);
    }
  });

  it('Pendulum succeeds once it was held upright for 50 steps on end', () => {
    const program = pendulum();
    const state = Float32Array.of(0, 0, 0);
    const signal = new Float32Array(5);
    const successes: number[] = [];
    for (let number = 1; number <= 120; number++) {
      program.step(state, 0, Float32Array.of(0), 0, number, new Random(0, 0, 0, 0), signal);
      if (signal[4] === 1) successes.push(number);
      if (number === 60) state[0] = Math.PI; // knocked over
      if (number === 61) state.set([0, 0]);
    }
    expect(successes).toEqual([50, 111]);
  });
});
