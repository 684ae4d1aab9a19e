/** GMPO: the geometric mean of clipped token ratios. */
import { EPOCHS, OFF_POLICY, surrogateStage, TARGET_KL, TERMS } from './shared';

const parameters = {
  clip_low: {
    kind: 'number',
    label: 'Clip low',
    help: 'How far the log-ratio of a token may fall before it stops counting (paper: 0.4).',
    default: 0.4,
    min: 0,
    max: 20,
    step: 0.1,
    live: true,
  },
  clip_high: {
    kind: 'number',
    label: 'Clip high',
    help: 'How far it may rise.',
    default: 0.4,
    min: 0,
    max: 20,
    step: 0.1,
    live: true,
  },
  ...TERMS,
  ...OFF_POLICY,
  ...EPOCHS,
  ...TARGET_KL,
} as const;

export const gmpo = surrogateStage({
  id: 'gmpo',
  title: 'GMPO',
  summary:
    'The geometric mean of an episode’s clipped ratios: single outliers hardly move it, so the range can be wide.',
  formula: 'L = mean over episodes of −A · exp(mean over tokens of clipped log π / π_old)',
  source: 'Zhao et al. 2025, arXiv:2507.20673; verl compute_policy_loss_geo_mean',
  parameters,
  surrogate: 'gmpo',
  // The loss is a mean over all episodes by definition, as verl has it.
  aggregation: 'all-seq-mean-token-mean',
  uniforms: ({ clip_low, clip_high }) => ({ clip_low, clip_high }),
});
