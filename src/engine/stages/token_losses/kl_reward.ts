/** The KL penalty in the reward: every token pays for its distance to the reference, before advantages are made. */
import type { Kernel } from '../../../../kernels/kernel';
import { KL_ESTIMATORS, type KlEstimatorName } from '../../../../kernels/loss/kl_estimator';
import { klReward as kernel } from '../../../../kernels/loss/kl_reward';
import type { TokenLossPlan, TokenStageContext } from '../token_stage';

export const klReward = {
  kernels: [kernel as unknown as Kernel],
  /** Takes the penalty from `rewards`, for what the policy that sampled said of each token. */
  apply({ executor, rollout }: TokenStageContext, { coefficient, estimator }: TokenLossPlan['klReward']): void {
    const { mask, behaviourLogProbs, referenceLogProbs, rewards, sequences, length } = rollout;
    executor.run(
      kernel,
      { mask, log_probs: behaviourLogProbs, reference_log_probs: referenceLogProbs, rewards },
      {
        tokens: sequences * length,
        coefficient,
        estimator: KL_ESTIMATORS[estimator as KlEstimatorName].estimator,
      },
    );
  },
};
