/** The policy gradient over tokens, without a ratio. */
import { tokenSurrogate } from '../../../../kernels/loss/token_surrogate';
import type { TokenLossStage } from '../token_stage';
import { AGGREGATION, EPOCHS, planOf, runSurrogate, runTerms, TERM_KERNELS, TERMS, weighAsChosen } from './shared';

const parameters = { ...EPOCHS, ...AGGREGATION, ...TERMS } as const;

const ID = 'token-policy-gradient';
const kernel = tokenSurrogate('none');

export const tokenPolicyGradient: TokenLossStage<typeof parameters> = {
  id: ID,
  title: 'Policy gradient over tokens',
  summary: 'Raises the log-probability of each token in proportion to its advantage; exact only for the first step.',
  formula: 'L = Σ w · −A log π',
  source: 'Williams 1992; GPG, arXiv:2504.02546',
  parameters,
  kernels: [kernel, ...TERM_KERNELS],
  needs: () => [],
  plan: planOf,
  apply(context, p) {
    const weights = weighAsChosen(context, ID, p);
    runSurrogate(context, ID, kernel, weights, {});
    runTerms(context, weights, p);
  },
};
