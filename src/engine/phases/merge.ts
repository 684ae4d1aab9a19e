/** Merging: the weights become a mixture of those that two earlier phases ended with. */
import type { Kernel } from '../../../kernels/kernel';
import { interpolate } from '../../../kernels/optimizer/interpolate';
import type { PhaseKind } from './phase';

const parameters = {
  first: {
    kind: 'number',
    label: 'First phase',
    help: 'Number of the phase whose last weights are the first ingredient, counted from 1.',
    default: 1,
    min: 1,
    max: 12,
    integer: true,
  },
  second: {
    kind: 'number',
    label: 'Second phase',
    help: 'Number of the phase whose last weights are the second ingredient.',
    default: 2,
    min: 1,
    max: 12,
    integer: true,
  },
  alpha: {
    kind: 'number',
    label: 'α',
    help: '0 is the first ingredient, 1 the second.',
    default: 0.5,
    min: 0,
    max: 1,
    step: 0.05,
  },
} as const;

export const merge: PhaseKind<typeof parameters> = {
  id: 'merge',
  title: 'Merge',
  summary: 'Interpolates the weights of two specialists that grew from the same start.',
  formula: 'θ = (1 − α) θ₁ + α θ₂',
  source: 'Wortsman et al. 2022, arXiv:2203.05482; UI-TARS-2, arXiv:2509.02544',
  parameters,
  world: 'text',
  kernels: [interpolate as unknown as Kernel],
  sequences: () => 1,
  async update(run, { first, second, alpha }) {
    run.merge(first, second, alpha);
    return {};
  },
};
