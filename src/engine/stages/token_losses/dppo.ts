/** DPPO: a token keeps its gradient while its probability has not moved too far. */
import { COMMON, surrogateStage } from './shared';

const parameters = {
  divergence: {
    kind: 'choice',
    label: 'Distance',
    help: 'How far the probability of a token has moved is measured by its difference or by its KL divergence.',
    default: 'tv',
    options: [
      { value: 'tv', label: 'total variation', help: '|p − q|, of the token against all others.' },
      { value: 'kl', label: 'KL', help: 'KL(q ‖ p), of the token against all others.' },
    ],
    live: true,
  },
  limit: {
    kind: 'number',
    label: 'Limit',
    help: 'Distance from which a token that moves on in the same direction loses its gradient.',
    default: 0.15,
    min: 0,
    max: 10,
    step: 0.05,
    live: true,
  },
  ratio_cap: {
    kind: 'number',
    label: 'Ratio cap',
    help: 'Largest weight that a token’s ratio may give it.',
    default: 20,
    min: 1,
    max: 1000,
    live: true,
  },
  ...COMMON,
} as const;

export const dppo = surrogateStage({
  id: 'dppo',
  title: 'DPPO',
  summary:
    'Bounds how far a probability moves instead of its ratio, so that rare tokens are not clipped for a small change.',
  formula: 'L = Σ w · −sg(min(π / π_old, cap)) A log π, where D(π_old, π) ≤ limit or A pulls back',
  source: 'arXiv:2602.04879; verl compute_policy_loss_dppo_tv and _kl',
  parameters,
  surrogate: 'dppo',
  uniforms: ({ limit, ratio_cap, divergence }) => ({
    limit_low: limit,
    limit_high: limit,
    ratio_cap,
    divergence: Number(divergence === 'kl'),
  }),
});
