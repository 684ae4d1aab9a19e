/** Acrobot-v1 as a program; see acrobot.wgsl for formulas and source. */
import { wgsl } from '../kernel';
import code from './acrobot.wgsl?raw';
import { programName, wgslConstants } from './constants';
import type { EnvironmentProgram } from './program';
import trigonometry from './trigonometry.wgsl?raw';

/** Gymnasium's constants (SI units): LINK_LENGTH, LINK_MASS, LINK_COM_POS, LINK_MOI, MAX_VEL, dt. */
export const ACROBOT = {
  gravity: 9.8,
  length_1: 1,
  mass_1: 1,
  mass_2: 1,
  centre_1: 0.5,
  centre_2: 0.5,
  inertia: 1,
  maxVelocity_1: 4 * Math.PI,
  maxVelocity_2: 9 * Math.PI,
  seconds: 0.2,
  goalHeight: 1,
  maxSteps: 500,
};
export type AcrobotSettings = Readonly<typeof ACROBOT>;

type Four = readonly [number, number, number, number];

export function acrobot(settings: AcrobotSettings = ACROBOT): EnvironmentProgram {
  const { maxSteps, ...physics } = settings;
  const { maxVelocity_1, maxVelocity_2, seconds, goalHeight } = physics;
  return {
    name: programName('acrobot', settings),
    wgsl: wgsl(trigonometry, wgslConstants(physics), code),
    stateSize: 4,
    observationSize: 6,
    action: { kind: 'discrete', count: 3, names: ['torque left', 'no torque', 'torque right'] },
    signals: ['reward', 'height', 'success'],
    tables: new Float32Array(0),
    maxSteps,
    masksActions: false,

    reset(state, s, random) {
      for (let i = 0; i < 4; i++) state[s + i] = -0.1 + 0.2 * random.uniform();
    },
    step(state, s, actions, a, _steps, _random, signal) {
      const torque = actions[a] - 1;
      const start = Array.from(state.subarray(s, s + 4)) as unknown as Four;
      const next = rungeKutta(start, seconds, (now) => rate(now, torque, physics));

      state[s] = wrapAngle(next[0]);
      state[s + 1] = wrapAngle(next[1]);
      state[s + 2] = Math.min(Math.max(next[2], -maxVelocity_1), maxVelocity_1);
      state[s + 3] = Math.min(Math.max(next[3], -maxVelocity_2), maxVelocity_2);

      const height = -Math.cos(next[0]) - Math.cos(next[0] + next[1]);
      const arrived = height > goalHeight;
      signal[0] = arrived ? 0 : -1;
      signal[1] = height;
      signal[2] = Number(arrived);
      return arrived;
    },
    observe(state, s, out, o) {
      const [first, second, velocity1, velocity2] = state.subarray(s, s + 4);
      out.set([Math.cos(first), Math.sin(first), Math.cos(second), Math.sin(second), velocity1, velocity2], o);
    },
    legal: () => 0b111,
  };
}

/** Time derivative of (angle 1, angle 2, velocity 1, velocity 2): `acrobot_rate` in acrobot.wgsl. */
function rate(
  [angle1, angle2, velocity1, velocity2]: Four,
  torque: number,
  p: Omit<AcrobotSettings, 'maxSteps'>,
): Four {
  const [cosine, sine] = [Math.cos(angle2), Math.sin(angle2)];
  const coupling = p.mass_2 * p.length_1 * p.centre_2;
  const d1 =
    p.mass_1 * p.centre_1 ** 2 +
    p.mass_2 * (p.length_1 ** 2 + p.centre_2 ** 2 + 2 * p.length_1 * p.centre_2 * cosine) +
    2 * p.inertia;
  const d2 = p.mass_2 * (p.centre_2 ** 2 + p.length_1 * p.centre_2 * cosine) + p.inertia;
  const phi2 = p.mass_2 * p.centre_2 * p.gravity * Math.sin(angle1 + angle2);
  const phi1 =
    -coupling * velocity2 ** 2 * sine -
    2 * coupling * velocity2 * velocity1 * sine +
    (p.mass_1 * p.centre_1 + p.mass_2 * p.length_1) * p.gravity * Math.sin(angle1) +
    phi2;
  const rate2 =
    (torque + (d2 / d1) * phi1 - coupling * velocity1 ** 2 * sine - phi2) /
    (p.mass_2 * p.centre_2 ** 2 + p.inertia - d2 ** 2 / d1);
  return [velocity1, velocity2, -(d2 * rate2 + phi1) / d1, rate2];
}

/** One step of the classical fourth-order Runge-Kutta method. */
function rungeKutta(start: Four, seconds: number, rateOf: (now: Four) => Four): Four {
  const plus = (step: number, slope: Four): Four => start.map((value, i) => value + step * slope[i]) as unknown as Four;
  const k1 = rateOf(start);
  const k2 = rateOf(plus(seconds / 2, k1));
  const k3 = rateOf(plus(seconds / 2, k2));
  const k4 = rateOf(plus(seconds, k3));
  const mean = k1.map((_, i) => (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]) / 6);
  return plus(seconds, mean as unknown as Four);
}

/** The same angle in [-pi, pi). */
function wrapAngle(angle: number): number {
  return angle - 2 * Math.PI * Math.floor((angle + Math.PI) / (2 * Math.PI));
}
