/** What the losses have in common: their fields, and binding the loss kernel of either distribution. */
import type { Kernel } from '../../../../kernels/kernel';
import { type ObjectiveName, policyLoss } from '../../../../kernels/loss/policy_loss';
import type { Minibatch, PolicyOnDevice, StageContext } from '../stage';

export const VALUE_COEFFICIENT = {
  kind: 'number',
  label: 'Value coefficient',
  help: 'Weight of the critic’s squared error in the loss.',
  default: 0.5,
  min: 0,
  max: 100,
  step: 0.1,
  live: true,
} as const;
export const ENTROPY_COEFFICIENT = {
  kind: 'number',
  label: 'Entropy coefficient',
  help: 'Bonus for staying undecided; 0 lets the policy settle, too much keeps it random.',
  default: 0.01,
  min: -1,
  max: 10,
  step: 0.005,
  live: true,
} as const;
export const NORMALIZE_ADVANTAGE = {
  kind: 'flag',
  label: 'Normalise advantages',
  help: 'Zero mean and unit deviation within each minibatch, so that the learning rate means the same for any reward.',
  default: true,
  live: true,
} as const;

export function lossKernels(objective: ObjectiveName): (distribution: 'categorical' | 'gaussian') => Kernel {
  const made = {
    categorical: policyLoss({ distribution: 'categorical', objective }),
    gaussian: policyLoss({ distribution: 'gaussian', objective }),
  };
  return (distribution) => made[distribution];
}

export interface LossNumbers {
  readonly clip: number;
  readonly value_clip: number;
  readonly clip_values: number;
  readonly value_coefficient: number;
  readonly entropy_coefficient: number;
}

export function runLoss(
  kernel: Kernel,
  { executor, rollout }: StageContext,
  policy: PolicyOnDevice,
  minibatch: Minibatch,
  numbers: LossNumbers,
): void {
  const { rows, indices, samples, outputs, values, gradient, statistics } = minibatch;
  const common = { outputs, values, indices, samples, actions: rollout.actions, gradient, statistics };
  const uniforms = { rows: rows.count, first: rows.first, actions: policy.mlp.shape.outputs, ...numbers };
  if (policy.distribution === 'categorical')
    executor.run(kernel, { ...common, masks: rollout.masks }, { ...uniforms, masked: Number(policy.masked) });
  else
    executor.run(
      kernel,
      { ...common, parameters: policy.parameters },
      { ...uniforms, log_std_offset: policy.mlp.logStdOffset },
    );
}
