/** The multi-armed bandit: which arm pays best, and what it costs to find out. */
import { ARMS_START, bandit as banditProgram } from '../../../kernels/environment/bandit';
import { type AnyParameters, checkParameters, type Schema } from '../parameters';
import type { Built, ControlEnvironment } from './environment';

const schema = {
  kind: {
    kind: 'choice',
    label: 'Arms',
    default: 'gaussian',
    options: [
      { value: 'gaussian', label: 'Gaussian', help: 'An arm pays its mean plus noise.' },
      { value: 'bernoulli', label: 'Bernoulli', help: 'An arm pays 1 with probability mean, else 0.' },
    ],
    help: 'What an arm pays.',
  },
  means: {
    kind: 'list',
    label: 'Means',
    default: [0.2, -0.8, 1.5, 0.4, 1.2, -1.5, -0.2, -1, 0.9, -0.5],
    min: -100,
    max: 100,
    minLength: 2,
    maxLength: 24,
    help: 'One an arm, as many as there are arms. Where means are redrawn only their number counts.',
  },
  redrawn: {
    kind: 'flag',
    label: 'New means each episode',
    default: false,
    help: 'Drawn standard normal (Gaussian) or evenly from 0 to 1 (Bernoulli): the policy must learn to explore, not which arm.',
  },
  noise: {
    kind: 'number',
    label: 'Noise',
    default: 1,
    min: 0,
    max: 100,
    help: 'Standard deviation of what a Gaussian arm pays; more noise needs more pulls to tell arms apart.',
  },
  drift: {
    kind: 'number',
    label: 'Drift',
    default: 0,
    min: 0,
    max: 10,
    help: 'Standard deviation of the random walk that every mean takes at each pull; what was best does not stay best.',
  },
  pulls: {
    kind: 'number',
    label: 'Pulls an episode',
    default: 1,
    min: 1,
    max: 10_000,
    integer: true,
    help: 'One: only what is known before counts. Many: exploring can pay off.',
  },
  memory: {
    kind: 'flag',
    label: 'Show what each arm paid',
    default: false,
    help: 'The observation tells average pay and share of pulls of each arm in this episode. Needed where means are redrawn.',
  },
} satisfies Schema;

export const bandit: ControlEnvironment<typeof schema> = {
  id: 'bandit',
  title: 'Multi-armed bandit',
  summary: 'Pull one of several arms; each pays from its own hidden distribution.',
  formula: 'reward ~ N(mean of the arm, noise²), or 1 with probability mean',
  source: 'Sutton and Barto, Reinforcement Learning (2nd ed.), chapter 2',
  parameters: schema,
  build(given: AnyParameters, path: string): Built {
    const { parameters, problems } = checkParameters(schema, given, path);
    const bernoulli = parameters.kind === 'bernoulli';
    if (bernoulli && !parameters.redrawn) {
      const bad = parameters.means.findIndex((mean) => mean < 0 || mean > 1);
      if (bad >= 0)
        problems.push({
          path: `${path}.means`,
          message: `entry ${bad + 1} must be 0 to 1 for a Bernoulli arm, not ${parameters.means[bad]}`,
        });
    }
    if (problems.length > 0) return { problems };
    const arms = parameters.means.map((_, arm) => arm);
    const best =
      parameters.redrawn || parameters.drift > 0
        ? {}
        : { solvedAt: { value: parameters.pulls * Math.max(...parameters.means), label: 'best possible on average' } };
    return {
      instance: {
        ...best,
        program: banditProgram({ ...parameters, kind: bernoulli ? 'bernoulli' : 'gaussian' }),
        view: (state, action, reward) => ({
          kind: 'bandit',
          means: arms.map((arm) => state[ARMS_START + 3 * arm]),
          lastArm: action?.[0] ?? -1,
          lastReward: reward ?? 0,
        }),
      },
    };
  },
};
