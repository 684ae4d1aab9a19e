/** Pendulum-v1 as a program; see pendulum.wgsl for formulas and source. */
import { wgsl } from '../kernel';
import { programName, wgslConstants } from './constants';
import code from './pendulum.wgsl?raw';
import type { EnvironmentProgram } from './program';
import trigonometry from './trigonometry.wgsl?raw';

/** Gymnasium's constants (SI units). Success is ours: upright within `holdAngle` for `holdSteps` steps on end. */
export const PENDULUM = {
  gravity: 10,
  mass: 1,
  length: 1,
  maxTorque: 2,
  maxSpeed: 8,
  seconds: 0.05,
  holdAngle: 0.25,
  holdSteps: 50,
  maxSteps: 200,
};
export type PendulumSettings = Readonly<typeof PENDULUM>;

export function pendulum(settings: PendulumSettings = PENDULUM): EnvironmentProgram {
  const { maxSteps, holdSteps, ...physics } = settings;
  const { gravity, mass, length, maxTorque, maxSpeed, seconds, holdAngle } = physics;
  return {
    name: programName('pendulum', settings),
    wgsl: wgsl(trigonometry, wgslConstants(physics, { holdSteps }), code),
    stateSize: 3,
    observationSize: 3,
    action: { kind: 'continuous', size: 1, low: [-maxTorque], high: [maxTorque] },
    signals: ['reward', 'angle', 'speed', 'torque', 'success'],
    tables: new Float32Array(0),
    maxSteps,
    masksActions: false,

    reset(state, s, random) {
      state[s] = Math.PI * (2 * random.uniform() - 1);
      state[s + 1] = 2 * random.uniform() - 1;
      state[s + 2] = 0;
    },
    step(state, s, actions, a, _steps, _random, signal) {
      const torque = Math.min(Math.max(actions[a], -maxTorque), maxTorque);
      const [before, velocity, held] = state.subarray(s, s + 3);
      signal[0] = -(wrapAngle(before) ** 2 + 0.1 * velocity ** 2 + 0.001 * torque ** 2);

      const push = ((3 * gravity) / (2 * length)) * Math.sin(before) + (3 / (mass * length ** 2)) * torque;
      const next = Math.min(Math.max(velocity + push * seconds, -maxSpeed), maxSpeed);
      const angle = before + next * seconds;
      const tilt = Math.abs(wrapAngle(angle));
      state[s] = angle;
      state[s + 1] = next;
      state[s + 2] = tilt < holdAngle ? held + 1 : 0;

      signal[1] = tilt;
      signal[2] = Math.abs(next);
      signal[3] = Math.abs(torque);
      signal[4] = Number(state[s + 2] === holdSteps);
      return false;
    },
    observe(state, s, out, o) {
      const [angle, velocity] = state.subarray(s, s + 2);
      out.set([Math.cos(angle), Math.sin(angle), velocity], o);
    },
    legal: () => 0b1,
  };
}

/** The same angle in [-pi, pi). */
function wrapAngle(angle: number): number {
  return angle - 2 * Math.PI * Math.floor((angle + Math.PI) / (2 * Math.PI));
}
