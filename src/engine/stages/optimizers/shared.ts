/** What the optimisers have in common: fields, and gradient clipping before the step. */
import type { Kernel } from '../../../../kernels/kernel';
import { chunkNorms, clipNorm, NORM_PARTIALS_SIZE } from '../../../../kernels/optimizer/clip';
import type { Executor } from '../../device/executor';
import type { BufferPool } from '../../device/pool';
import type { OptimizerState } from '../stage';

export const LEARNING_RATE = {
  kind: 'number',
  label: 'Learning rate',
  help: 'Size of a step; too large and the policy breaks, too small and nothing happens.',
  default: 2.5e-4,
  min: 0,
  max: 100,
  logarithmic: true,
  step: 2,
  live: true,
} as const;
export const ANNEAL = {
  kind: 'flag',
  label: 'Anneal',
  help: 'Lower the learning rate in a straight line to 0 at the end of the plan. Training on after it draws a longer line, so the rate rises again.',
  default: true,
  live: true,
} as const;
export const MAX_GRAD_NORM = {
  kind: 'number',
  label: 'Max gradient norm',
  help: 'Longer gradients are shortened to this; 0 leaves them as they are.',
  default: 0.5,
  min: 0,
  max: 1e6,
  step: 0.1,
  live: true,
} as const;
export const WEIGHT_DECAY = {
  kind: 'number',
  label: 'Weight decay',
  help: 'Pulls all weights towards 0.',
  default: 0,
  min: 0,
  max: 1,
  logarithmic: true,
  step: 2,
  live: true,
} as const;
export const BETAS = {
  beta1: {
    kind: 'number',
    label: 'β₁',
    help: 'Memory of the running mean of gradients.',
    default: 0.9,
    min: 0,
    max: 0.9999,
    step: 0.01,
    live: true,
  },
  beta2: {
    kind: 'number',
    label: 'β₂',
    help: 'Memory of the running mean of squared gradients.',
    default: 0.999,
    min: 0,
    max: 0.99999,
    step: 0.001,
    live: true,
  },
} as const;
/** Added after the bias-corrected root (F13); CleanRL uses 1e-5, PyTorch’s default is 1e-8. */
export const EPSILON = {
  kind: 'number',
  label: 'ε',
  help: 'Added to the root in the denominator: bounds the step where gradients are tiny.',
  default: 1e-5,
  min: 1e-12,
  max: 1,
  logarithmic: true,
  step: 10,
  live: true,
} as const;

export const CLIP_KERNELS = [chunkNorms, clipNorm] as unknown as Kernel[];

export function annealed(rate: number, anneal: boolean, remaining: number): number {
  return anneal ? rate * remaining : rate;
}

/** Global norm into the control word, and the next t; what each optimiser step begins with. */
export function clipGradient(
  executor: Executor,
  pool: BufferPool,
  { gradient, control, count }: OptimizerState,
  max_norm: number,
  beta1: number,
  beta2: number,
): void {
  const partials = pool.f32('norm partials', NORM_PARTIALS_SIZE);
  executor.run(chunkNorms, { gradient, partials }, { count });
  executor.run(clipNorm, { partials, control }, { max_norm, beta1, beta2 });
}
