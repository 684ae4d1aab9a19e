/** Adam and AdamW. */
import type { Kernel } from '../../../../kernels/kernel';
import { adam as kernel } from '../../../../kernels/optimizer/adam';
import type { OptimizerStage } from '../stage';
import {
  ANNEAL,
  annealed,
  BETAS,
  CLIP_KERNELS,
  clipGradient,
  EPSILON,
  LEARNING_RATE,
  MAX_GRAD_NORM,
  WEIGHT_DECAY,
} from './shared';

const parameters = {
  learning_rate: LEARNING_RATE,
  anneal: ANNEAL,
  ...BETAS,
  epsilon: EPSILON,
  weight_decay: WEIGHT_DECAY,
  max_grad_norm: MAX_GRAD_NORM,
} as const;

function adamStage(
  id: string,
  title: string,
  summary: string,
  source: string,
  decoupled: boolean,
): OptimizerStage<typeof parameters> {
  return {
    id,
    title,
    summary,
    formula: decoupled ? 'θ ← (1 − α w) θ − α m̂ / (√v̂ + ε)' : 'θ ← θ − α m̂ / (√v̂ + ε)',
    source,
    parameters,
    kernels: [...CLIP_KERNELS, kernel as unknown as Kernel],
    moments: ['first moment', 'second moment'],
    learningRate: ({ learning_rate, anneal }, remaining) => annealed(learning_rate, anneal, remaining),
    apply(executor, pool, state, p) {
      clipGradient(executor, pool, state, p.max_grad_norm, p.beta1, p.beta2);
      const [first_moment, second_moment] = [
        pool.f32('first moment', state.count),
        pool.f32('second moment', state.count),
      ];
      executor.run(
        kernel,
        { parameters: state.parameters, gradient: state.gradient, first_moment, second_moment, control: state.control },
        {
          count: state.count,
          learning_rate: annealed(p.learning_rate, p.anneal, state.remaining),
          beta1: p.beta1,
          beta2: p.beta2,
          epsilon: p.epsilon,
          weight_decay: p.weight_decay,
          decoupled: Number(decoupled),
        },
      );
    },
  };
}

export const adam = adamStage(
  'adam',
  'Adam',
  'Steps of a size of their own for each weight, from running means of its gradient and its square.',
  'Kingma and Ba 2015, arXiv:1412.6980; torch.optim.Adam',
  false,
);
export const adamw = adamStage(
  'adamw',
  'AdamW',
  'Adam whose weight decay does not pass through the running means.',
  'Loshchilov and Hutter 2019, arXiv:1711.05101; torch.optim.AdamW',
  true,
);
