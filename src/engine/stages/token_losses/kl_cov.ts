/** KL-Cov: a KL penalty on the few tokens that take the entropy away. */
import { covarianceSelection } from '../../../../kernels/loss/covariance_selection';
import { KL_ESTIMATORS } from '../../../../kernels/loss/kl_estimator';
import { tokenKl } from '../../../../kernels/loss/token_kl';
import { tokenSurrogate } from '../../../../kernels/loss/token_surrogate';
import type { TokenLossStage } from '../token_stage';
import { COMMON, ids, planOf, runSurrogate, runTerms, shapeOf, TERM_KERNELS, weighAsChosen } from './shared';

const parameters = {
  share: {
    kind: 'number',
    label: 'Share held',
    help: 'Share of tokens, those whose advantage and log-probability are high together, that are held back.',
    default: 0.02,
    min: 0,
    max: 1,
    step: 0.01,
    live: true,
  },
  hold: {
    kind: 'number',
    label: 'Hold',
    help: 'How strongly they are held to their old probability.',
    default: 1,
    min: 0,
    max: 100,
    step: 0.1,
    live: true,
  },
  ...COMMON,
} as const;

const ID = 'kl-cov';
const kernel = tokenSurrogate('clip');
/** A clip that never bites. */
const UNCLIPPED = { clip_low: 1, clip_high: 1e30, dual_clip: 0 };

export const klCov: TokenLossStage<typeof parameters> = {
  id: ID,
  title: 'KL-Cov',
  summary: 'No clip at all; only the tokens that would cost the most entropy are held to their old probability.',
  formula: 'L = Σ w · (−A r + hold · |log r| for the share of tokens with the largest (A − Ā)(log π − mean log π))',
  source: 'Cui et al. 2025, arXiv:2505.22617; verl compute_policy_loss_kl_cov',
  parameters,
  kernels: [kernel, ...ids([covarianceSelection]), ...TERM_KERNELS],
  needs: () => [],
  plan: planOf,
  apply(context, p) {
    const { executor, pool, minibatch } = context;
    const { mask, logProbs: log_probs, advantages, logProbGradient, statistics } = minibatch;
    const old = p.off_policy === 'none' ? minibatch.behaviourLogProbs : minibatch.proximalLogProbs;
    const shape = shapeOf(minibatch);
    const tokens = shape.sequences * shape.length;
    const weights = weighAsChosen(context, ID, p);
    runSurrogate(context, ID, kernel, weights, UNCLIPPED, p);
    const held = pool.f32(`${ID} held`, tokens);
    executor.run(
      covarianceSelection,
      { mask, weights, log_probs, advantages, weights_out: held },
      { tokens, share: p.share },
    );
    executor.run(
      tokenKl,
      {
        mask,
        weights: held,
        log_probs,
        reference_log_probs: old,
        log_prob_gradient: logProbGradient,
        statistics,
      },
      { ...shape, coefficient: p.hold, report: 0, ...KL_ESTIMATORS.abs },
    );
    runTerms(context, weights, p);
  },
};
