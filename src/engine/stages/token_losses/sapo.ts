/** SAPO: a gate that closes smoothly instead of a clip. */
import { COMMON, surrogateStage } from './shared';

const parameters = {
  tau_positive: {
    kind: 'number',
    label: 'τ of good tokens',
    help: 'How fast the gate closes for tokens with a positive advantage as their ratio leaves 1.',
    default: 1,
    min: 0.01,
    max: 100,
    step: 0.05,
    live: true,
  },
  tau_negative: {
    kind: 'number',
    label: 'τ of bad tokens',
    help: 'The same for a negative advantage; faster, since those gradients spread over all other tokens.',
    default: 1.05,
    min: 0.01,
    max: 100,
    step: 0.05,
    live: true,
  },
  ...COMMON,
  aggregation: { ...COMMON.aggregation, default: 'seq-mean-token-mean' },
} as const;

export const sapo = surrogateStage({
  id: 'sapo',
  title: 'SAPO',
  summary: 'Soft adaptive policy optimisation: the gradient fades as the ratio leaves 1, and never stops at once.',
  formula: 'L = Σ w · −A σ(τ (r − 1)) 4 / τ,  r = π / π_old',
  source: 'Gao et al. 2025, arXiv:2511.20347; verl compute_policy_loss_sapo',
  parameters,
  surrogate: 'sapo',
  uniforms: ({ tau_positive, tau_negative }) => ({ tau_positive, tau_negative }),
});
