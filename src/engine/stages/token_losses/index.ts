import type { TokenLossStage } from '../token_stage';
import { cispo } from './cispo';
import { crossEntropy } from './cross_entropy';
import { gmpo } from './gmpo';
import { gspo } from './gspo';
import { tokenPolicyGradient } from './policy_gradient';
import { sapo } from './sapo';
import { tokenPpo } from './token_ppo';

export const TOKEN_LOSSES = {
  'token-ppo': tokenPpo,
  gspo,
  gmpo,
  cispo,
  sapo,
  'token-policy-gradient': tokenPolicyGradient,
  'cross-entropy': crossEntropy,
} as unknown as Readonly<Record<string, TokenLossStage>>;
