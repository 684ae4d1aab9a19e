/** CartPole-v1 as a program; see cartpole.wgsl for formulas and source. */
import { wgsl } from '../kernel';
import code from './cartpole.wgsl?raw';
import { programName, wgslConstants } from './constants';
import type { EnvironmentProgram } from './program';
import trigonometry from './trigonometry.wgsl?raw';

/** Gymnasium's constants (SI units); a half-length, since Gymnasium's `length` is half the pole's. */
export const CARTPOLE = {
  gravity: 9.8,
  cartMass: 1,
  poleMass: 0.1,
  halfLength: 0.5,
  force: 10,
  seconds: 0.02,
  angleLimit: (12 * 2 * Math.PI) / 360,
  positionLimit: 2.4,
  maxSteps: 500,
};
export type CartPoleSettings = Readonly<typeof CARTPOLE>;

/** Gymnasium calls CartPole-v1 solved at a return of 475 of 500: success on the step that reaches it. */
const SOLVED_SHARE = 0.95;

export function cartPole(settings: CartPoleSettings = CARTPOLE): EnvironmentProgram {
  const { maxSteps, ...physics } = settings;
  const { gravity, cartMass, poleMass, halfLength, force, seconds, angleLimit, positionLimit } = physics;
  const solvedAt = Math.ceil(SOLVED_SHARE * maxSteps);
  const totalMass = cartMass + poleMass;
  const poleMoment = poleMass * halfLength;
  return {
    name: programName('cartpole', settings),
    wgsl: wgsl(trigonometry, wgslConstants(physics, { solvedAt }), code),
    stateSize: 4,
    observationSize: 4,
    action: { kind: 'discrete', count: 2, names: ['push left', 'push right'] },
    signals: ['reward', 'angle', 'position', 'success'],
    tables: new Float32Array(0),
    maxSteps,
    masksActions: false,

    reset(state, s, random) {
      for (let i = 0; i < 4; i++) state[s + i] = -0.05 + 0.1 * random.uniform();
    },
    step(state, s, actions, a, steps, _random, signal) {
      const [position, velocity, angle, spin] = state.subarray(s, s + 4);
      const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
      const push = actions[a] === 1 ? force : -force;

      const thrust = (push + poleMoment * spin ** 2 * sine) / totalMass;
      const spinRate =
        (gravity * sine - cosine * thrust) / (halfLength * (4 / 3 - (poleMass * cosine ** 2) / totalMass));
      const acceleration = thrust - (poleMoment * spinRate * cosine) / totalMass;

      state[s] = position + seconds * velocity;
      state[s + 1] = velocity + seconds * acceleration;
      state[s + 2] = angle + seconds * spin;
      state[s + 3] = spin + seconds * spinRate;

      signal[0] = 1;
      signal[1] = Math.abs(state[s + 2]);
      signal[2] = Math.abs(state[s]);
      signal[3] = Number(steps === solvedAt);
      return signal[2] > positionLimit || signal[1] > angleLimit;
    },
    observe(state, s, out, o) {
      out.set(state.subarray(s, s + 4), o);
    },
    legal: () => 0b11,
  };
}
