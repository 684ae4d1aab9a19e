import type { TokenLossStage } from '../token_stage';
import { cispo } from './cispo';
import { crossEntropy } from './cross_entropy';
import { dppo } from './dppo';
import { gmpo } from './gmpo';
import { gspo } from './gspo';
import { klCov } from './kl_cov';
import { tokenPolicyGradient } from './policy_gradient';
import { sapo } from './sapo';
import { tokenPpo } from './token_ppo';
import { vespo } from './vespo';

export const TOKEN_LOSSES = {
  'token-ppo': tokenPpo,
  gspo,
  gmpo,
  cispo,
  sapo,
  dppo,
  vespo,
  'kl-cov': klCov,
  'token-policy-gradient': tokenPolicyGradient,
  'cross-entropy': crossEntropy,
} as unknown as Readonly<Record<string, TokenLossStage>>;
