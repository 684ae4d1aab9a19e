/** Stochastic gradient descent with momentum. */
import type { Kernel } from '../../../../kernels/kernel';
import { sgd as kernel } from '../../../../kernels/optimizer/sgd';
import type { OptimizerStage } from '../stage';
import { ANNEAL, annealed, CLIP_KERNELS, clipGradient, LEARNING_RATE, MAX_GRAD_NORM, WEIGHT_DECAY } from './shared';

const parameters = {
  learning_rate: { ...LEARNING_RATE, default: 0.01 },
  anneal: ANNEAL,
  momentum: {
    kind: 'number',
    label: 'Momentum',
    help: 'How much of the last step goes into the next.',
    default: 0,
    min: 0,
    max: 0.9999,
    step: 0.1,
    live: true,
  },
  weight_decay: WEIGHT_DECAY,
  max_grad_norm: MAX_GRAD_NORM,
} as const;

export const sgd: OptimizerStage<typeof parameters> = {
  id: 'sgd',
  title: 'SGD',
  summary: 'A step straight down the gradient, with momentum if wanted.',
  formula: 'u ← μ u + g,  θ ← θ − α u',
  source: 'torch.optim.SGD',
  parameters,
  kernels: [...CLIP_KERNELS, kernel as unknown as Kernel],
  moments: ['velocity'],
  learningRate: ({ learning_rate, anneal }, remaining) => annealed(learning_rate, anneal, remaining),
  apply(executor, pool, state, p) {
    clipGradient(executor, pool, state, p.max_grad_norm, 0, 0);
    executor.run(
      kernel,
      {
        parameters: state.parameters,
        gradient: state.gradient,
        velocity: pool.f32('velocity', state.count),
        control: state.control,
      },
      {
        count: state.count,
        learning_rate: annealed(p.learning_rate, p.anneal, state.remaining),
        momentum: p.momentum,
        weight_decay: p.weight_decay,
      },
    );
  },
};
