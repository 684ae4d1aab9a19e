/** GSPO: PPO’s clip with one ratio a sequence. */
import { COMMON, surrogateStage } from './shared';

const parameters = {
  clip_low: {
    kind: 'number',
    label: 'Clip ε low',
    help: 'How far the episode’s ratio, a mean over its tokens, may fall; such means move little (paper: 0.0003).',
    default: 0.0003,
    min: 0,
    max: 1,
    step: 0.0001,
    live: true,
  },
  clip_high: {
    kind: 'number',
    label: 'Clip ε high',
    help: 'How far it may rise (paper: 0.0004); tiny models move further in a step and need a wider range.',
    default: 0.0004,
    min: 0,
    max: 100,
    step: 0.0001,
    live: true,
  },
  ...COMMON,
  aggregation: { ...COMMON.aggregation, default: 'seq-mean-token-mean' },
} as const;

export const gspo = surrogateStage({
  id: 'gspo',
  title: 'GSPO',
  summary:
    'One ratio for a whole episode, the geometric mean of its tokens’, so that all its tokens are clipped or none.',
  formula: 'L = Σ w · max(−A s, −A clip(s, 1 − ε_low, 1 + ε_high)),  s = exp(mean over tokens of log π / π_old)',
  source: 'Zheng et al. 2025, arXiv:2507.18071; verl compute_policy_loss_gspo',
  parameters,
  surrogate: 'clip',
  uniforms: ({ clip_low, clip_high }) => ({ clip_low, clip_high, dual_clip: 0, sequence_ratio: 1 }),
});
