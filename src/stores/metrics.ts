/**
 * The metrics that the page knows: plain name, CleanRL's name, and how its axis runs. One line adds a curve to runs of
 * control; runs of tokens show theirs in groups.
 */

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
  /** A second line in the same chart: a metric of the same kind, reported in the same updates. */
  readonly beside?: {
    readonly name: string;
    readonly title: string;
    readonly help: string;
    /** What the first line is called beside the second; default: the metric’s title. */
    readonly first?: string;
  };
  /** Only runs of tokens have it. */
  readonly world?: 'text';
  /** Shown from the start only where the scenario has such a phase; `late`: once it was reported. */
  readonly shown?: 'imitate' | 'prefer' | 'late';
}

const METRICS: readonly Metric[] = [
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
  {
    name: 'rollout/pass_at_1',
    title: 'pass@1',
    help: 'Share of the training episodes that met the environment’s own verdict; pass@k: of the groups in which at least one did, k episodes each',
    axis: [0, 1],
    world: 'text',
    beside: {
      name: 'rollout/pass_at_k',
      title: 'pass@k',
      help: 'Share of the groups in which at least one episode succeeded',
    },
  },
  {
    name: 'rollout/tokens',
    title: 'Tokens an episode',
    help: 'Mean tokens that the policy wrote in an episode',
    unit: 'tokens',
    axis: 'zero',
    world: 'text',
  },
  {
    name: 'rollout/turns',
    title: 'Turns an episode',
    help: 'Mean turns of the episodes that ended in this update',
    unit: 'turns',
    axis: 'zero',
    world: 'text',
  },
  {
    name: 'rollout/tool_calls',
    title: 'Tool calls',
    help: 'Mean calls of a tool an episode',
    unit: 'calls',
    axis: 'zero',
    world: 'text',
  },
  {
    name: 'rollout/length_right',
    title: 'Length when right',
    help: 'Mean tokens that the policy wrote in an episode with success',
    unit: 'tokens',
    axis: 'zero',
    world: 'text',
  },
  {
    name: 'rollout/length_wrong',
    title: 'Length when wrong',
    help: 'Mean tokens that the policy wrote in an episode without success',
    unit: 'tokens',
    axis: 'zero',
    world: 'text',
  },
  {
    name: 'rollout/groups_without_signal',
    title: 'Groups without signal',
    help: 'Share of the groups whose episodes all earned the same: they teach a group-relative estimator nothing',
    axis: [0, 1],
    world: 'text',
  },
  {
    name: 'rollout/masked_share',
    title: 'Masked share',
    help: 'Share of the tokens that the environment wrote, which do not teach',
    axis: [0, 1],
    world: 'text',
  },
  {
    name: 'rollout/samples',
    title: 'Samples used',
    help: 'Episodes that were written for this update, those that were filtered out included',
    unit: 'episodes',
    axis: 'zero',
    world: 'text',
  },
  {
    name: 'rollout/kept',
    title: 'Kept by the filter',
    help: 'Episodes that this update learned from',
    unit: 'episodes',
    axis: 'zero',
    world: 'text',
  },
  {
    name: 'rollout/truncated',
    title: 'Cut by a limit',
    help: 'Share of the episodes that a limit of turns or tokens ended',
    axis: [0, 1],
    world: 'text',
  },
  {
    name: 'rollout/staleness',
    title: 'Staleness',
    help: 'Updates between the policy that wrote a turn and the one that learns from it, mean',
    unit: 'updates',
    axis: 'zero',
    world: 'text',
    shown: 'late',
  },
  {
    name: 'rollout/idle_share',
    title: 'Idle share',
    help: 'Share of the sampler’s places that had nothing to write',
    axis: [0, 1],
    world: 'text',
  },
  {
    name: 'losses/reference_kl',
    title: 'KL to the reference',
    help: 'Distance of the policy from the reference that it is held to',
    unit: 'nats',
    axis: 'zero',
    world: 'text',
    shown: 'late',
  },
  {
    name: 'losses/imitation_loss',
    title: 'Imitation loss',
    help: 'Mean negative log-probability of what the demonstrations wrote',
    unit: 'nats',
    axis: 'zero',
    world: 'text',
    shown: 'imitate',
  },
  {
    name: 'losses/preference_loss',
    title: 'Preference loss',
    help: 'How badly the policy tells the better episode of a pair from the worse',
    axis: 'zero',
    world: 'text',
    shown: 'prefer',
  },
  {
    name: 'losses/chosen_log_prob',
    title: 'Log-probability, preferred',
    help: 'Log-probability of the better episodes of the pairs, mean',
    unit: 'nats',
    axis: 'free',
    beside: {
      name: 'losses/rejected_log_prob',
      title: 'worse',
      help: 'Log-probability of the worse episodes of the pairs, mean',
      first: 'better',
    },
    world: 'text',
    shown: 'prefer',
  },
  {
    name: 'losses/preference_accuracy',
    title: 'Preference accuracy',
    help: 'Share of the pairs whose better episode is the likelier one, against the reference',
    axis: [0, 1],
    world: 'text',
    shown: 'prefer',
  },
  {
    name: 'losses/preference_margin',
    title: 'Preference margin',
    help: 'By how much the better episode of a pair is likelier, against the reference',
    axis: 'free',
    world: 'text',
    shown: 'prefer',
  },
  {
    name: 'rollout/pairs',
    title: 'Pairs',
    help: 'Pairs of a better and a worse episode that this update could draw from',
    unit: 'pairs',
    axis: 'zero',
    world: 'text',
    shown: 'late',
  },
];

/** The curves of a run of tokens, in the order in which they are read. */
const TEXT_GROUPS: readonly { readonly title: string; readonly names: readonly string[] }[] = [
  {
    title: 'Success',
    names: ['eval/success', 'rollout/pass_at_1', 'rollout/pass_at_k', 'charts/episodic_return', 'eval/episodic_return'],
  },
  {
    title: 'Demonstrations and pairs',
    names: [
      'losses/imitation_loss',
      'losses/preference_accuracy',
      'losses/chosen_log_prob',
      'losses/preference_margin',
      'losses/preference_loss',
      'rollout/pairs',
    ],
  },
  {
    title: 'Length and turns',
    names: [
      'rollout/turns',
      'rollout/tokens',
      'rollout/tool_calls',
      'rollout/length_right',
      'rollout/length_wrong',
      'rollout/truncated',
    ],
  },
  {
    title: 'What teaches',
    names: [
      'rollout/groups_without_signal',
      'rollout/masked_share',
      'rollout/samples',
      'rollout/kept',
      'rollout/staleness',
      'rollout/idle_share',
    ],
  },
  {
    title: 'The update',
    names: [
      'losses/grad_norm',
      'losses/entropy',
      'losses/approx_kl',
      'losses/reference_kl',
      'losses/clipfrac',
      'losses/policy_loss',
      'losses/value_loss',
      'losses/explained_variance',
      'losses/bounded_ratios',
      'charts/learning_rate',
      'charts/SPS',
    ],
  },
];

/** Reported by every update that reinforces: once it is there, what is not there will not come. */
const OF_EVERY_ROLLOUT = 'rollout/tokens';

export interface CurveGroup {
  readonly title: string;
  readonly metrics: readonly Metric[];
}

/**
 * The groups of a run of tokens with the curves that have data, or that a scenario with such phases will have; and one
 * of the environment's signals, of which `wanted` are those of episodes with success.
 */
export function textCurves(
  reported: Iterable<string>,
  phases: readonly string[],
  wanted: readonly string[] = [],
  signalHelp: Readonly<Record<string, string>> = {},
): readonly CurveGroup[] {
  const all = new Set(reported);
  // Without a plan a run reinforces from the start.
  const reinforces = phases.length === 0 || phases.includes('reinforce');
  const expected = ({ name, shown }: Metric) => {
    if (shown === 'late') return false;
    if (shown !== undefined) return phases.includes(shown);
    return name.startsWith('eval/') || (reinforces && !all.has(OF_EVERY_ROLLOUT));
  };
  const groups = TEXT_GROUPS.map(({ title, names }) => ({
    title,
    metrics: names
      .flatMap((name) => METRICS.filter((metric) => metric.name === name))
      .filter((metric) => all.has(metric.name) || expected(metric))
      .map((metric) => (metric.name === 'charts/SPS' ? TURN_SPEED : metric)),
  }));
  const signals = [...all].filter((name) => name.startsWith('signals/') && name !== 'signals/success');
  const ofRight = wanted.filter((name) => name.startsWith('signals_right/') && all.has(name));
  return [
    ...groups,
    {
      title: 'Signals of the environment',
      metrics: [...ofRight, ...signals].map((name) => signalMetric(name, signalHelp)),
    },
  ].filter(({ metrics }) => metrics.length > 0);
}

const TURN_SPEED: Metric = {
  name: 'charts/SPS',
  title: 'Speed',
  help: 'Turns a second, learning included',
  unit: 'turns/s',
  axis: 'zero',
};

function signalMetric(name: string, explained: Readonly<Record<string, string>>): Metric {
  const [kind, signal = ''] = name.split('/');
  const right = kind === 'signals_right';
  return {
    name,
    title: right ? `${signal} when right` : signal,
    help: `${explained[signal] ?? `The signal “${signal}”.`} Sum over an episode${right ? ' with success' : ''}, mean`,
    axis: 'free',
    world: 'text',
  };
}

/** The curves of a run of control: all until the first update tells which there are. */
export function controlCurves(has: ((name: string) => boolean) | undefined): readonly Metric[] {
  return METRICS.filter(
    ({ name, world }) => world === undefined && (has === undefined || has(name) || name.startsWith('eval/')),
  );
}
