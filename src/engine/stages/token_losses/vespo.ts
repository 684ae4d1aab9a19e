/** VESPO: a smooth weight for each whole sequence. */
import type { NumberField } from '../../parameters';
import { COMMON, surrogateStage } from './shared';

const shapeField = (label: string, help: string, value: number): NumberField => ({
  kind: 'number',
  label,
  help,
  default: value,
  min: 0,
  max: 20,
  step: 0.5,
  live: true,
});

const RISE = 'How the weight rises with the episode’s ratio where it is below 1.';
const FALL = 'How fast it falls where the ratio is above 1.';

const parameters = {
  k_positive: shapeField('k of good episodes', RISE, 2),
  lambda_positive: shapeField('λ of good episodes', FALL, 3),
  k_negative: shapeField('k of bad episodes', RISE, 3),
  lambda_negative: shapeField('λ of bad episodes', FALL, 2),
  ...COMMON,
} as const;

export const vespo = surrogateStage({
  id: 'vespo',
  title: 'VESPO',
  summary:
    'Weighs an episode by a smooth hump over the product of its tokens’ ratios: off-policy ones fade out both ways.',
  formula: 'L = Σ w · −sg(φ(W)) A log π,  log φ = λ + k log W − λ W,  W = Π π / π_old over the episode',
  source: 'TRL GRPOTrainer, loss_type vespo',
  parameters,
  surrogate: 'vespo',
  uniforms: ({ k_positive, lambda_positive, k_negative, lambda_negative }) => ({
    k_positive,
    lambda_positive,
    k_negative,
    lambda_negative,
  }),
});
