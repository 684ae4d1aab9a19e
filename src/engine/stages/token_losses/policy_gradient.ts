/** The policy gradient over tokens, without a ratio. */
import { AGGREGATION, EPOCHS, surrogateStage, TERMS } from './shared';

const parameters = { ...TERMS, ...AGGREGATION, ...EPOCHS } as const;

export const tokenPolicyGradient = surrogateStage({
  id: 'token-policy-gradient',
  title: 'Policy gradient over tokens',
  summary: 'Raises the log-probability of each token in proportion to its advantage; exact only for the first step.',
  formula: 'L = Σ w · −A log π',
  source: 'Williams 1992; GPG, arXiv:2504.02546',
  parameters,
  surrogate: 'none',
  uniforms: () => ({}),
});
