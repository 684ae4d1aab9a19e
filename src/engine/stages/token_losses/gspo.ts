/** GSPO: PPO’s clip with one ratio a sequence. */
import { tokenSurrogate } from '../../../../kernels/loss/token_surrogate';
import type { TokenLossStage } from '../token_stage';
import { COMMON, planOf, runSurrogate, runTerms, TERM_KERNELS, weighAsChosen } from './shared';

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

const ID = 'gspo';
const kernel = tokenSurrogate('clip');

export const gspo: TokenLossStage<typeof parameters> = {
  id: ID,
  title: 'GSPO',
  summary:
    'One ratio for a whole episode, the geometric mean of its tokens’, so that all its tokens are clipped or none.',
  formula: 'L = Σ w · max(−A s, −A clip(s, 1 − ε_low, 1 + ε_high)),  s = exp(mean over tokens of log π / π_old)',
  source: 'Zheng et al. 2025, arXiv:2507.18071; verl compute_policy_loss_gspo',
  parameters,
  kernels: [kernel, ...TERM_KERNELS],
  needs: () => [],
  plan: planOf,
  apply(context, p) {
    const weights = weighAsChosen(context, ID, p);
    const { clip_low, clip_high } = p;
    runSurrogate(context, ID, kernel, weights, { clip_low, clip_high, dual_clip: 0, sequence_ratio: 1 }, p);
    runTerms(context, weights, p);
  },
};
