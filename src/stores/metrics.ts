/** The metrics that the page knows: plain name, CleanRL's name, and how its axis runs. One line adds a curve. */

export interface Metric {
  readonly name: string;
  readonly title: string;
  /** What it says, one line for the table and the summary. */
  readonly help: string;
  readonly unit?: string;
  /** The axis starts at 0 (shares, counts) or holds these ends. */
  readonly axis: 'zero' | 'free' | readonly [number, number];
  /** Each value is a mean over many episodes already; the line goes through the values themselves. */
  readonly plain?: true;
}

export const METRICS: readonly Metric[] = [
  {
    name: 'eval/success',
    title: 'Success',
    help: 'Share of evaluation episodes that met the environment’s own verdict',
    axis: [0, 1],
    plain: true,
  },
  {
    name: 'eval/episodic_return',
    title: 'Return',
    help: 'Mean sum of the environment’s reward an evaluation episode',
    axis: 'free',
    plain: true,
  },
  {
    name: 'losses/entropy',
    title: 'Entropy',
    help: 'How undecided the policy is, mean over the batch',
    unit: 'nats',
    axis: 'zero',
  },
  {
    name: 'losses/approx_kl',
    title: 'KL of the update',
    help: 'How far this update moved the policy',
    unit: 'nats',
    axis: 'zero',
  },
  {
    name: 'losses/explained_variance',
    title: 'Value fit',
    help: 'Share of the returns’ variance that the critic explains; 1 is perfect',
    axis: 'free',
  },
  {
    name: 'charts/episodic_return',
    title: 'Training return',
    help: 'Mean sum of reward over the episodes that ended in this update',
    axis: 'free',
  },
  {
    name: 'charts/success',
    title: 'Training success',
    help: 'Share of the episodes that ended in this update with success',
    axis: [0, 1],
  },
  {
    name: 'charts/reward',
    title: 'Reward a step',
    help: 'Mean reward of a step, as the policy was given it',
    axis: 'free',
  },
  {
    name: 'charts/episodic_length',
    title: 'Length',
    help: 'Mean steps of the episodes that ended in this update',
    unit: 'steps',
    axis: 'zero',
  },
  { name: 'losses/value_loss', title: 'Value loss', help: 'Squared error of the critic', axis: 'zero' },
  {
    name: 'losses/policy_loss',
    title: 'Policy loss',
    help: 'Surrogate loss of the actor; its level says little, its jumps do',
    axis: 'free',
  },
  {
    name: 'losses/clipfrac',
    title: 'Clip fraction',
    help: 'Share of samples whose ratio left the clip range',
    axis: 'zero',
  },
  {
    name: 'losses/grad_norm',
    title: 'Gradient norm',
    help: 'Length of the gradient before it is limited',
    axis: 'zero',
  },
  {
    name: 'losses/bounded_ratios',
    title: 'Bounded ratios',
    help: 'Samples whose log-ratio was bounded before exp, because the policy had moved too far',
    axis: 'zero',
  },
  {
    name: 'charts/log_std_0',
    title: 'Action spread',
    help: 'Log deviation of the first action dimension; falls as the policy decides',
    axis: 'free',
  },
  { name: 'charts/learning_rate', title: 'Learning rate', help: 'Size of the optimiser’s step now', axis: 'zero' },
  {
    name: 'charts/SPS',
    title: 'Speed',
    help: 'Environment steps a second, learning included',
    unit: 'steps/s',
    axis: 'zero',
  },
];
