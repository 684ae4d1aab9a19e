/** Cross-entropy: imitation of the episodes, whatever their advantages. */
import { tokenLikelihood } from '../../../../kernels/loss/token_likelihood';
import type { TokenLossStage } from '../token_stage';
import { AGGREGATION, EPOCHS, ids, planOf, runTerms, shapeOf, TERM_KERNELS, TERMS, weighAsChosen } from './shared';

const parameters = {
  observations_teach: TERMS.observations_teach,
  entropy_coefficient: TERMS.entropy_coefficient,
  ...AGGREGATION,
  ...EPOCHS,
} as const;

/** Terms that imitation has none of. */
const NO_TERMS = {
  normalize_advantage: false,
  kl_coefficient: 0,
  kl_estimator: 'k3',
  kl_place: 'loss',
  reference_every: 0,
  value_coefficient: 0,
  value_clip: 0,
} as const;

const ID = 'cross-entropy';

export const crossEntropy: TokenLossStage<typeof parameters> = {
  id: ID,
  title: 'Cross-entropy',
  summary:
    'Raises the probability of every token that is left after the filter: with only successes kept, rejection sampling.',
  formula: 'L = Σ w · −log π',
  source: 'Rejection-sampling fine-tuning: Zelikman et al. 2022 (STaR), arXiv:2203.14465; RAFT, arXiv:2304.06767',
  parameters,
  kernels: [...ids([tokenLikelihood]), ...TERM_KERNELS],
  needs: () => [],
  plan: (p) => planOf({ ...NO_TERMS, ...p }),
  apply(context, p) {
    const { executor, minibatch } = context;
    const weights = weighAsChosen(context, ID, p);
    const { mask, logProbs: log_probs, logProbGradient: log_prob_gradient, statistics } = minibatch;
    executor.run(tokenLikelihood, { mask, weights, log_probs, log_prob_gradient, statistics }, shapeOf(minibatch));
    runTerms(context, weights, { ...NO_TERMS, ...p });
  },
};
