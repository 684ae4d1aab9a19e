import type { LossStage } from '../stage';
import { policyGradient } from './policy_gradient';
import { ppoClip } from './ppo_clip';

export const LOSSES = { 'ppo-clip': ppoClip, 'policy-gradient': policyGradient } as unknown as Readonly<
  Record<string, LossStage>
>;
