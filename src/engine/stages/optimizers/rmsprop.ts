/** RMSprop, the optimiser of the first A3C and A2C. */
import type { Kernel } from '../../../../kernels/kernel';
import { rmsprop as kernel } from '../../../../kernels/optimizer/rmsprop';
import type { OptimizerStage } from '../stage';
import {
  ANNEAL,
  annealed,
  CLIP_KERNELS,
  clipGradient,
  EPSILON,
  LEARNING_RATE,
  MAX_GRAD_NORM,
  WEIGHT_DECAY,
} from './shared';

const parameters = {
  learning_rate: { ...LEARNING_RATE, default: 7e-4 },
  anneal: ANNEAL,
  alpha: {
    kind: 'number',
    label: 'α',
    help: 'Memory of the running mean of squared gradients.',
    default: 0.99,
    min: 0,
    max: 0.99999,
    step: 0.01,
    live: true,
  },
  epsilon: EPSILON,
  weight_decay: WEIGHT_DECAY,
  max_grad_norm: MAX_GRAD_NORM,
} as const;

export const rmsprop: OptimizerStage<typeof parameters> = {
  id: 'rmsprop',
  title: 'RMSprop',
  summary: 'Divides each weight’s gradient by a running mean of its size.',
  formula: 'v ← α v + (1 − α) g²,  θ ← θ − η g / (√v + ε)',
  source: 'Tieleman and Hinton 2012; torch.optim.RMSprop',
  parameters,
  kernels: [...CLIP_KERNELS, kernel as unknown as Kernel],
  moments: ['mean square'],
  learningRate: ({ learning_rate, anneal }, remaining) => annealed(learning_rate, anneal, remaining),
  apply(executor, pool, state, p) {
    clipGradient(executor, pool, state, p.max_grad_norm, 0, 0);
    executor.run(
      kernel,
      {
        parameters: state.parameters,
        gradient: state.gradient,
        second_moment: pool.f32('mean square', state.count),
        control: state.control,
      },
      {
        count: state.count,
        learning_rate: annealed(p.learning_rate, p.anneal, state.remaining),
        alpha: p.alpha,
        epsilon: p.epsilon,
        weight_decay: p.weight_decay,
      },
    );
  },
};
