/** MountainCar-v0 and MountainCarContinuous-v0 as programs; see mountain-car*.wgsl for formulas and source. */
import { wgsl } from '../kernel';
import { programName, wgslConstants } from './constants';
import hillCode from './mountain-car.wgsl?raw';
import continuousCode from './mountain-car-continuous.wgsl?raw';
import discreteCode from './mountain-car-discrete.wgsl?raw';
import type { ActionSpace, EnvironmentProgram } from './program';
import trigonometry from './trigonometry.wgsl?raw';

/** Gymnasium's constants of mountain_car.py; `power` is what it calls force. */
export const MOUNTAIN_CAR = {
  gravity: 0.0025,
  power: 0.001,
  minPosition: -1.2,
  maxPosition: 0.6,
  maxSpeed: 0.07,
  goalPosition: 0.5,
  maxSteps: 200,
};
/** Gymnasium's constants of continuous_mountain_car.py. */
export const MOUNTAIN_CAR_CONTINUOUS = { ...MOUNTAIN_CAR, power: 0.0015, goalPosition: 0.45, maxSteps: 999 };
export type MountainCarSettings = Readonly<typeof MOUNTAIN_CAR>;

export function mountainCar(settings: MountainCarSettings = MOUNTAIN_CAR): EnvironmentProgram {
  const drive = hill(settings);
  return {
    ...car('mountain-car', settings, discreteCode, {
      kind: 'discrete',
      count: 3,
      names: ['push left', 'no push', 'push right'],
    }),
    step(state, s, actions, a, _steps, _random, signal) {
      signal[0] = -1;
      return drive(state, s, (actions[a] - 1) * settings.power, signal);
    },
  };
}

export function mountainCarContinuous(settings: MountainCarSettings = MOUNTAIN_CAR_CONTINUOUS): EnvironmentProgram {
  const drive = hill(settings);
  return {
    ...car('mountain-car-continuous', settings, continuousCode, { kind: 'continuous', size: 1, low: [-1], high: [1] }),
    step(state, s, actions, a, _steps, _random, signal) {
      const action = actions[a];
      const arrived = drive(state, s, clamp(action, -1, 1) * settings.power, signal);
      signal[0] = (arrived ? 100 : 0) - 0.1 * action ** 2;
      return arrived;
    },
  };
}

function car(
  id: string,
  settings: MountainCarSettings,
  stepCode: string,
  action: ActionSpace,
): Omit<EnvironmentProgram, 'step'> {
  const { maxSteps, ...physics } = settings;
  return {
    name: programName(id, settings),
    wgsl: wgsl(trigonometry, wgslConstants(physics), hillCode, stepCode),
    stateSize: 2,
    observationSize: 2,
    action,
    signals: ['reward', 'height', 'speed', 'success'],
    tables: new Float32Array(0),
    maxSteps,
    masksActions: false,
    reset(state, s, random) {
      state[s] = -0.6 + 0.2 * random.uniform();
      state[s + 1] = 0;
    },
    observe(state, s, out, o) {
      out.set(state.subarray(s, s + 2), o);
    },
    legal: () => 0b111,
  };
}

/** One step of the hill: the twin of `drive` in mountain-car.wgsl. */
function hill({ gravity, minPosition, maxPosition, maxSpeed, goalPosition }: MountainCarSettings) {
  return (state: Float32Array, s: number, acceleration: number, signal: Float32Array): boolean => {
    const [before, speed] = state.subarray(s, s + 2);
    let velocity = clamp(speed + acceleration - gravity * Math.cos(3 * before), -maxSpeed, maxSpeed);
    const position = clamp(before + velocity, minPosition, maxPosition);
    if (position === minPosition && velocity < 0) velocity = 0;
    state[s] = position;
    state[s + 1] = velocity;

    const arrived = position >= goalPosition && velocity >= 0;
    signal[1] = 0.45 * Math.sin(3 * position) + 0.55;
    signal[2] = Math.abs(velocity);
    signal[3] = Number(arrived);
    return arrived;
  };
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
