/** How experience is gathered. */
import type { Described } from '../stage';
import { ASYNCHRONOUS, TOGETHER } from './turns';

export const SYNCHRONOUS = {
  id: 'synchronous',
  title: 'Synchronous rollout',
  summary: 'All copies of the world take the same number of steps with the current policy before each update.',
  formula: 'batch = copies × steps',
  source: 'Mnih et al. 2016, arXiv:1602.01783 (A2C); CleanRL ppo.py: num_envs, num_steps',
  world: 'control',
  parameters: {
    copies: {
      kind: 'number',
      label: 'Copies',
      help: 'Worlds that run side by side; more make the gradient smoother and fill the GPU.',
      default: 32,
      min: 1,
      max: 65_536,
      integer: true,
      unit: 'copies',
    },
    steps: {
      kind: 'number',
      label: 'Steps',
      help: 'Steps of each copy between two updates; longer looks further ahead, shorter updates more often.',
      default: 128,
      min: 1,
      max: 4096,
      integer: true,
      unit: 'steps',
    },
    normalize_observations: {
      kind: 'flag',
      label: 'Normalise observations',
      help: 'Divide each observation by its running deviation; helps where scales differ. Frozen in evaluation.',
      default: false,
    },
    observation_clip: {
      kind: 'number',
      label: 'Observation clip',
      help: 'Normalised observations are kept within ± this.',
      default: 10,
      min: 0.1,
      max: 1000,
    },
  },
} as const satisfies Described;

export const ROLLOUTS = { synchronous: SYNCHRONOUS, turns: TOGETHER, asynchronous: ASYNCHRONOUS };
