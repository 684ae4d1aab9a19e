/** The classic control tasks of Gymnasium, with its constants as defaults. */
import { ACROBOT, acrobot } from '../../../kernels/environment/acrobot';
import { CARTPOLE, cartPole } from '../../../kernels/environment/cartpole';
import {
  MOUNTAIN_CAR,
  MOUNTAIN_CAR_CONTINUOUS,
  mountainCar,
  mountainCarContinuous,
} from '../../../kernels/environment/mountain-car';
import { PENDULUM, pendulum } from '../../../kernels/environment/pendulum';
import { type AnyParameters, checkParameters, type NumberField, type Parameters, type Schema } from '../parameters';
import type { Built, ControlEnvironment, EnvironmentInstance } from './environment';

const GYMNASIUM = 'Farama-Foundation/Gymnasium gymnasium/envs/classic_control';

function number(label: string, initial: number, min: number, max: number, unit: string, help: string): NumberField {
  return { kind: 'number', label, default: initial, min, max, ...(unit ? { unit } : {}), help };
}

function timeLimit(steps: number): NumberField {
  return {
    kind: 'number',
    label: 'Time limit',
    default: steps,
    min: 1,
    max: 10_000,
    integer: true,
    unit: 'steps',
    help: 'An episode is truncated after so many steps: its future still counts, so the value of the last state stands in for it.',
  };
}

function clamp(value: number, limit: number): number {
  return Math.min(Math.max(value, -limit), limit);
}

/** Builds from checked parameters; the schema is all that can go wrong with these. */
function builder<S extends Schema>(schema: S, make: (parameters: Parameters<S>) => EnvironmentInstance) {
  return (given: AnyParameters, path: string): Built => {
    const { parameters, problems } = checkParameters(schema, given, path);
    return problems.length > 0 ? { problems } : { instance: make(parameters) };
  };
}

const cartPoleSchema = {
  gravity: number(
    'Gravity',
    CARTPOLE.gravity,
    0.1,
    50,
    'm/s²',
    'More of it makes the pole fall faster, so that the policy must react sooner.',
  ),
  cartMass: number('Cart mass', CARTPOLE.cartMass, 0.1, 10, 'kg', 'A heavier cart answers less to each push.'),
  poleMass: number('Pole mass', CARTPOLE.poleMass, 0.01, 5, 'kg', 'A heavier pole pulls the cart with it.'),
  halfLength: number(
    'Half length of the pole',
    CARTPOLE.halfLength,
    0.05,
    5,
    'm',
    'A longer pole falls more slowly and is easier to balance.',
  ),
  force: number(
    'Force of a push',
    CARTPOLE.force,
    0.1,
    100,
    'N',
    'Too weak and the pole is lost, too strong and control is coarse.',
  ),
  seconds: number(
    'Time between steps',
    CARTPOLE.seconds,
    0.001,
    0.1,
    's',
    'Longer steps leave the policy fewer chances to correct.',
  ),
  angleLimit: number(
    'Angle that ends it',
    CARTPOLE.angleLimit,
    0.01,
    1.5,
    'rad',
    'The episode terminates beyond this angle; a wider one forgives more.',
  ),
  positionLimit: number(
    'Position that ends it',
    CARTPOLE.positionLimit,
    0.1,
    100,
    'm',
    'The episode terminates beyond this distance from the centre.',
  ),
  maxSteps: timeLimit(CARTPOLE.maxSteps),
} satisfies Schema;

const cartpole: ControlEnvironment<typeof cartPoleSchema> = {
  id: 'cartpole',
  title: 'CartPole-v1',
  summary: 'Push a cart left or right so that the pole on it stays upright.',
  formula: 'reward 1 a step; success at 95 % of the time limit (475 of 500)',
  source: `${GYMNASIUM}/cartpole.py; Barto, Sutton, Anderson (1983)`,
  parameters: cartPoleSchema,
  build: builder(cartPoleSchema, (settings) => ({
    program: cartPole(settings),
    view: (state) => ({ kind: 'cartpole', position: state[0], angle: state[2] }),
    solvedAt: { value: Math.ceil(0.95 * settings.maxSteps), label: 'solved (Gymnasium)' },
  })),
};

function mountainCarSchema(defaults: typeof MOUNTAIN_CAR) {
  return {
    gravity: number(
      'Gravity',
      defaults.gravity,
      0,
      0.01,
      '',
      'Pull of the hill on the car, in position a step squared; more makes it harder.',
    ),
    power: number(
      'Power',
      defaults.power,
      0.0001,
      0.01,
      '',
      'Push of the engine in position a step squared; with much more the car drives straight up.',
    ),
    minPosition: number('Left end', defaults.minPosition, -1.5, -0.6, '', 'The car stops there, without bouncing.'),
    maxPosition: number('Right end', defaults.maxPosition, 0.5, 1, '', 'The car gets no further than this.'),
    maxSpeed: number(
      'Top speed',
      defaults.maxSpeed,
      0.01,
      0.5,
      '',
      'Position a step; a lower one takes the swing out of the car.',
    ),
    goalPosition: number(
      'Flag',
      defaults.goalPosition,
      -0.3,
      0.5,
      '',
      'Arriving there terminates the episode with success.',
    ),
    maxSteps: timeLimit(defaults.maxSteps),
  } satisfies Schema;
}
const mountainCarDiscreteSchema = mountainCarSchema(MOUNTAIN_CAR);
const mountainCarContinuousSchema = mountainCarSchema(MOUNTAIN_CAR_CONTINUOUS);

const mountainCarDiscrete: ControlEnvironment<typeof mountainCarDiscreteSchema> = {
  id: 'mountain-car',
  title: 'MountainCar-v0',
  summary: 'An engine too weak for the hill: swing back to gain speed, then up to the flag.',
  formula: 'reward -1 a step until the flag',
  source: `${GYMNASIUM}/mountain_car.py; Moore (1990)`,
  parameters: mountainCarDiscreteSchema,
  build: builder(mountainCarDiscreteSchema, (settings) => ({
    program: mountainCar(settings),
    view: (state) => ({ kind: 'mountain-car', position: state[0], goal: settings.goalPosition }),
    solvedAt: { value: -110, label: 'solved (Gymnasium)' },
  })),
};

const mountainCarForce: ControlEnvironment<typeof mountainCarContinuousSchema> = {
  id: 'mountain-car-continuous',
  title: 'MountainCarContinuous-v0',
  summary: 'The mountain car with a force that can be dosed, and that costs.',
  formula: 'reward 100 at the flag, less 0.1 action² a step',
  source: `${GYMNASIUM}/continuous_mountain_car.py`,
  parameters: mountainCarContinuousSchema,
  build: builder(mountainCarContinuousSchema, (settings) => ({
    program: mountainCarContinuous(settings),
    view: (state) => ({ kind: 'mountain-car', position: state[0], goal: settings.goalPosition }),
    solvedAt: { value: 90, label: 'solved (Gymnasium)' },
  })),
};

const acrobotSchema = {
  gravity: number('Gravity', ACROBOT.gravity, 0.1, 50, 'm/s²', 'More of it makes the arm heavier to swing up.'),
  length_1: number(
    'Length of link 1',
    ACROBOT.length_1,
    0.1,
    5,
    'm',
    'Enters the dynamics only; the height counts links of 1 m, as in Gymnasium.',
  ),
  mass_1: number('Mass of link 1', ACROBOT.mass_1, 0.1, 10, 'kg', 'A heavier upper link needs more swings.'),
  mass_2: number('Mass of link 2', ACROBOT.mass_2, 0.1, 10, 'kg', 'A heavier lower link needs more swings.'),
  centre_1: number(
    'Centre of mass, link 1',
    ACROBOT.centre_1,
    0.05,
    5,
    'm',
    'Distance from the pivot; further out is heavier to lift.',
  ),
  centre_2: number(
    'Centre of mass, link 2',
    ACROBOT.centre_2,
    0.05,
    5,
    'm',
    'Distance from the joint; further out is heavier to lift.',
  ),
  inertia: number(
    'Moment of inertia',
    ACROBOT.inertia,
    0.1,
    10,
    'kg m²',
    'Of each link; more of it makes every motion slower.',
  ),
  maxVelocity_1: number(
    'Top velocity, link 1',
    ACROBOT.maxVelocity_1,
    1,
    100,
    'rad/s',
    'Faster motion is cut off here.',
  ),
  maxVelocity_2: number(
    'Top velocity, link 2',
    ACROBOT.maxVelocity_2,
    1,
    100,
    'rad/s',
    'Faster motion is cut off here.',
  ),
  seconds: number(
    'Time between steps',
    ACROBOT.seconds,
    0.01,
    0.5,
    's',
    'Shorter steps need more of them for the same swing.',
  ),
  goalHeight: number(
    'Height of the line',
    ACROBOT.goalHeight,
    -1.9,
    1.9,
    'm',
    'The free end must get above it, measured from the pivot.',
  ),
  maxSteps: timeLimit(ACROBOT.maxSteps),
} satisfies Schema;

const acrobotSwing: ControlEnvironment<typeof acrobotSchema> = {
  id: 'acrobot',
  title: 'Acrobot-v1',
  summary: 'Swing the free end of a two-link arm above the line, with a motor at the joint in the middle.',
  formula: 'reward -1 a step, 0 on the step that gets above the line',
  source: `${GYMNASIUM}/acrobot.py (book dynamics, RK4); Sutton (1996)`,
  parameters: acrobotSchema,
  build: builder(acrobotSchema, (settings) => ({
    program: acrobot(settings),
    view: (state) => ({ kind: 'acrobot', angles: [state[0], state[1]] }),
    solvedAt: { value: -100, label: 'solved (Gymnasium)' },
  })),
};

const pendulumSchema = {
  gravity: number(
    'Gravity',
    PENDULUM.gravity,
    0.1,
    50,
    'm/s²',
    'With more of it the motor must swing the pendulum more often.',
  ),
  mass: number('Mass', PENDULUM.mass, 0.1, 10, 'kg', 'A heavier pendulum answers less to the motor.'),
  length: number('Length', PENDULUM.length, 0.1, 5, 'm', 'A longer pendulum moves more slowly and is heavier to lift.'),
  maxTorque: number(
    'Most torque',
    PENDULUM.maxTorque,
    0.1,
    50,
    'N m',
    'With enough of it the pendulum goes straight up and no swing is needed.',
  ),
  maxSpeed: number('Top speed', PENDULUM.maxSpeed, 1, 50, 'rad/s', 'Faster motion is cut off here.'),
  seconds: number(
    'Time between steps',
    PENDULUM.seconds,
    0.001,
    0.2,
    's',
    'Longer steps leave the policy fewer chances to correct.',
  ),
  holdAngle: number(
    'Held upright within',
    PENDULUM.holdAngle,
    0.01,
    1.5,
    'rad',
    'For success only: how far from upright still counts as held.',
  ),
  holdSteps: {
    kind: 'number',
    label: 'Held for',
    default: PENDULUM.holdSteps,
    min: 1,
    max: 10_000,
    integer: true,
    unit: 'steps',
    help: 'For success only: how many steps on end it must be held.',
  },
  maxSteps: timeLimit(PENDULUM.maxSteps),
} satisfies Schema;

const pendulumSwing: ControlEnvironment<typeof pendulumSchema> = {
  id: 'pendulum',
  title: 'Pendulum-v1',
  summary: 'Swing a pendulum up with a weak motor and hold it there.',
  formula: 'reward -(angle² + 0.1 velocity² + 0.001 torque²) a step',
  source: `${GYMNASIUM}/pendulum.py; success is ours, Gymnasium has none`,
  parameters: pendulumSchema,
  build: builder(pendulumSchema, (settings) => ({
    program: pendulum(settings),
    view: (state, action) => ({
      kind: 'pendulum',
      angle: state[0],
      torque: clamp(action?.[0] ?? 0, settings.maxTorque),
    }),
  })),
};

export const CLASSIC: readonly ControlEnvironment[] = [
  cartpole,
  mountainCarDiscrete,
  mountainCarForce,
  acrobotSwing,
  pendulumSwing,
];
