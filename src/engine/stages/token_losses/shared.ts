/**
 * What the losses over tokens have in common: how tokens are averaged, epochs and minibatches, the terms that join any
 * surrogate (KL to a reference, entropy, critic), and the correction for tokens of an older policy.
 */
import type { Kernel } from '../../../../kernels/kernel';
import { entropyBonus } from '../../../../kernels/loss/entropy_bonus';
import { importanceWeights } from '../../../../kernels/loss/importance_weights';
import { KL_ESTIMATORS, type KlEstimatorName } from '../../../../kernels/loss/kl_estimator';
import type { SurrogateName } from '../../../../kernels/loss/surrogates';
import { tokenKl } from '../../../../kernels/loss/token_kl';
import { tokenSurrogate } from '../../../../kernels/loss/token_surrogate';
import { tokenValueLoss } from '../../../../kernels/loss/token_value_loss';
import { AGGREGATIONS, type AggregationName, tokenCounts, tokenWeights } from '../../../../kernels/loss/token_weights';
import type { DeviceBuffer } from '../../device/executor';
import { grouped, type Parameters, type Schema } from '../../parameters';
import type { Described } from '../stage';
import type { TokenLossContext, TokenLossPlan, TokenLossStage, TokenMinibatch } from '../token_stage';

export const EPOCHS = grouped('Steps', {
  epochs: {
    kind: 'number',
    label: 'Epochs',
    help: 'Passes over the episodes of an update; with one pass and one minibatch every ratio is 1.',
    default: 1,
    min: 1,
    max: 100,
    integer: true,
    live: true,
  },
  minibatches: {
    kind: 'number',
    label: 'Minibatches',
    help: 'Parts of the episodes, each with its own step of the optimiser.',
    default: 1,
    min: 1,
    max: 1024,
    integer: true,
  },
});

export const AGGREGATION = grouped('Averages', {
  aggregation: {
    kind: 'choice',
    label: 'Average over',
    help: 'How the losses of tokens become one number: it decides whether long episodes weigh more than short ones.',
    default: 'token-mean',
    options: [
      { value: 'token-mean', label: 'tokens', help: 'Every token weighs the same (DAPO).' },
      {
        value: 'seq-mean-token-mean',
        label: 'episodes of token means',
        help: 'Every episode weighs the same, so a token of a long one weighs less (GRPO).',
      },
      {
        value: 'seq-mean-token-sum',
        label: 'episodes of token sums',
        help: 'An episode weighs as much as it has tokens; the gradient grows with length.',
      },
      {
        value: 'seq-mean-token-sum-norm',
        label: 'episodes of token sums / constant',
        help: 'The same over a constant length, so that length has no effect on a token’s weight (Dr. GRPO).',
      },
    ],
    live: true,
  },
  norm_length: {
    kind: 'number',
    label: 'Constant length',
    help: 'What sums over tokens are divided by where the average asks for a constant.',
    default: 64,
    min: 1,
    max: 4096,
    integer: true,
    unit: 'tokens',
    live: true,
  },
});

/** Terms and corrections that any surrogate may have. */
export const TERMS = {
  ...grouped('What teaches', {
    observations_teach: {
      kind: 'flag',
      label: 'Observations teach',
      help: 'Tokens that the environment wrote enter the loss too, as if the policy had chosen them. Masking them is what keeps learning stable.',
      default: false,
      live: true,
    },
    normalize_advantage: {
      kind: 'flag',
      label: 'Normalise advantages',
      help: 'Mean 0 and deviation 1 over the tokens of each minibatch. Group-relative advantages come scaled already.',
      default: false,
      live: true,
    },
  }),
  ...grouped('KL to the reference', {
    kl_coefficient: {
      kind: 'number',
      label: 'KL coefficient',
      help: 'How strongly the policy is held to the reference, the policy as the phase began; 0 lets it go.',
      default: 0,
      min: 0,
      max: 100,
      step: 0.005,
      live: true,
    },
    kl_estimator: {
      kind: 'choice',
      label: 'KL estimator',
      help: 'How the distance is judged from the one token that was written.',
      default: 'k3',
      options: [
        {
          value: 'k1',
          label: 'k1',
          help: 'log π − log π_ref. Unbiased value, but in the loss its gradient is 0 on average.',
        },
        { value: 'k2', label: 'k2', help: 'Half its square. Small bias, unbiased gradient.' },
        { value: 'k3', label: 'k3', help: 'Never negative and unbiased in value (GRPO); at most 10.' },
        { value: 'abs', label: '|k1|', help: 'Its absolute value.' },
        { value: 'k1+', label: 'k1, gradient of k2', help: 'The value of k1 with the unbiased gradient.' },
        { value: 'k3+', label: 'k3, gradient of k2', help: 'The value of k3 with the unbiased gradient.' },
      ],
      live: true,
    },
    kl_place: {
      kind: 'choice',
      label: 'KL belongs to',
      help: 'The loss, where it pulls at each token alone, or the reward, where earlier tokens answer for later ones.',
      default: 'loss',
      options: [
        { value: 'loss', label: 'the loss' },
        { value: 'reward', label: 'the reward' },
      ],
      live: true,
    },
    reference_every: {
      kind: 'number',
      label: 'New reference every',
      help: 'Updates after which the reference becomes the policy of then; 0: it stays as the phase began.',
      default: 0,
      min: 0,
      max: 10_000,
      integer: true,
      unit: 'updates',
      live: true,
    },
  }),
  ...grouped('Entropy', {
    entropy_coefficient: {
      kind: 'number',
      label: 'Entropy coefficient',
      help: 'Bonus for staying undecided; 0 lets the policy settle, too much keeps it random.',
      default: 0,
      min: -1,
      max: 10,
      step: 0.005,
      live: true,
    },
  }),
  ...grouped('Critic', {
    value_coefficient: {
      kind: 'number',
      label: 'Value coefficient',
      help: 'Weight of the critic’s squared error; 0 where the advantage needs no critic.',
      default: 0,
      min: 0,
      max: 100,
      step: 0.1,
      live: true,
    },
    value_clip: {
      kind: 'number',
      label: 'Value clip',
      help: 'Keeps the new value within so much of the old one in the value loss; 0 does not.',
      default: 0,
      min: 0,
      max: 1000,
      step: 0.1,
      live: true,
    },
  }),
} as const satisfies Schema;

/** For losses with a ratio: which of the older policies it is taken against. */
export const OFF_POLICY = grouped('Tokens of an older policy', {
  off_policy: {
    kind: 'choice',
    label: 'Older tokens',
    help: 'What is done about tokens that an older policy wrote, in asynchronous rollouts.',
    default: 'none',
    options: [
      { value: 'none', label: 'nothing', help: 'The ratio is taken against the policy that wrote the token.' },
      {
        value: 'decoupled',
        label: 'decoupled, capped',
        help: 'The ratio is taken against the policy as the update began, and what lies between weighs the token, up to the cap.',
      },
      {
        value: 'decoupled-drop',
        label: 'decoupled, left out',
        help: 'The same, but above the cap the token is left out (AReaL).',
      },
    ],
    live: true,
  },
  off_policy_cap: {
    kind: 'number',
    label: 'Cap',
    help: 'Largest weight that an older token may have.',
    default: 5,
    min: 0,
    max: 1000,
    step: 0.5,
    live: true,
  },
});

export const TARGET_KL = grouped('Steps', {
  target_kl: {
    kind: 'number',
    label: 'Target KL',
    help: 'Stop the epochs of an update once the policy has moved this far; 0 never stops.',
    default: 0,
    min: 0,
    max: 10,
    step: 0.005,
    live: true,
  },
});

/** Everything a loss with a ratio has besides its own settings. */
export const COMMON = { ...TERMS, ...AGGREGATION, ...OFF_POLICY, ...EPOCHS, ...TARGET_KL } as const satisfies Schema;

type Epochs = Parameters<typeof EPOCHS>;
type Averages = Parameters<typeof AGGREGATION>;
type Terms = Parameters<typeof TERMS>;
type OffPolicy = Parameters<typeof OFF_POLICY>;

/** Kernels of any kind as a list of stages’ kernels. */
export const ids = (kernels: readonly unknown[]) => kernels as readonly Kernel[];
export const TERM_KERNELS = ids([tokenCounts, tokenWeights, importanceWeights, tokenKl, entropyBonus, tokenValueLoss]);

/** The plan of an update from the common settings. */
export function planOf(p: Epochs & Terms & Partial<Parameters<typeof TARGET_KL>>): TokenLossPlan {
  const inReward = p.kl_place === 'reward';
  return {
    epochs: p.epochs,
    minibatches: p.minibatches,
    targetKl: p.target_kl ?? 0,
    normalizeAdvantage: p.normalize_advantage,
    klReward: { coefficient: inReward ? p.kl_coefficient : 0, estimator: p.kl_estimator },
    needsReference: p.kl_coefficient > 0,
    referenceEvery: p.reference_every,
    observationsTeach: p.observations_teach,
  };
}

/** Weights [S, L] of the tokens for one way of averaging. `id` names the stage's scratch. */
export function weigh(
  { executor, pool, minibatch }: TokenLossContext,
  id: string,
  aggregation: AggregationName,
  divisor: number,
): DeviceBuffer {
  const { mask } = minibatch;
  const shape = shapeOf(minibatch);
  const counts = pool.f32(`${id} counts`, shape.sequences);
  const weights = pool.f32(`${id} weights`, shape.sequences * shape.length);
  executor.run(tokenCounts, { mask, counts }, shape);
  executor.run(tokenWeights, { mask, counts, weights }, { ...shape, ...AGGREGATIONS[aggregation], divisor });
  return weights;
}

/** The same as the person chose it. */
export function weighAsChosen(
  context: TokenLossContext,
  id: string,
  { aggregation, norm_length }: Averages,
): DeviceBuffer {
  const divisor = aggregation === 'seq-mean-token-sum-norm' ? norm_length : 1;
  return weigh(context, id, aggregation as AggregationName, divisor);
}

export function shapeOf({ sequences, length }: TokenMinibatch) {
  return { sequences, length };
}

/** Runs a surrogate with a ratio, or without one, where all its tokens weigh `weights`; begins the statistics. */
export function runSurrogate(
  { executor, pool, minibatch }: TokenLossContext,
  id: string,
  kernel: Kernel,
  weights: DeviceBuffer,
  uniforms: Readonly<Record<string, number>>,
  { off_policy, off_policy_cap }: OffPolicy,
): void {
  const { mask, logProbs, proximalLogProbs, behaviourLogProbs, advantages, logProbGradient, statistics } = minibatch;
  const shape = shapeOf(minibatch);
  const tokens = shape.sequences * shape.length;
  const decoupled = off_policy !== 'none';
  const important = decoupled ? pool.f32(`${id} importance`, tokens) : weights;
  if (decoupled)
    executor.run(
      importanceWeights,
      {
        weights,
        proximal_log_probs: proximalLogProbs,
        behaviour_log_probs: behaviourLogProbs,
        weights_out: important,
      },
      { tokens, cap: off_policy_cap, drop: Number(off_policy === 'decoupled-drop') },
    );
  executor.run(
    kernel,
    {
      mask,
      weights: important,
      log_probs: logProbs,
      old_log_probs: decoupled ? proximalLogProbs : behaviourLogProbs,
      advantages,
      log_prob_gradient: logProbGradient,
      statistics,
    },
    { ...shape, sequence_ratio: 0, ...uniforms },
  );
}

/** The terms that join the surrogate: KL, entropy and critic. Writes their gradients where there is no such term too. */
export function runTerms({ executor, minibatch }: TokenLossContext, weights: DeviceBuffer, p: Terms): void {
  const { mask, statistics } = minibatch;
  const shape = shapeOf(minibatch);
  if (p.kl_coefficient > 0 && p.kl_place === 'loss')
    executor.run(
      tokenKl,
      {
        mask,
        weights,
        log_probs: minibatch.logProbs,
        reference_log_probs: minibatch.referenceLogProbs,
        log_prob_gradient: minibatch.logProbGradient,
        statistics,
      },
      { ...shape, coefficient: p.kl_coefficient, report: 1, ...KL_ESTIMATORS[p.kl_estimator as KlEstimatorName] },
    );
  executor.run(
    entropyBonus,
    { mask, weights, entropies: minibatch.entropies, entropy_gradient: minibatch.entropyGradient, statistics },
    { ...shape, coefficient: p.entropy_coefficient },
  );
  executor.run(
    tokenValueLoss,
    {
      mask,
      weights,
      values: minibatch.values,
      old_values: minibatch.oldValues,
      returns: minibatch.returns,
      value_gradient: minibatch.valueGradient,
      statistics,
    },
    { ...shape, coefficient: p.value_coefficient, value_clip: p.value_clip },
  );
}

/** Settings that every loss made by `surrogateStage` has; those it leaves out of its schema are off. */
type Shared = Epochs & Terms & Partial<OffPolicy & Parameters<typeof TARGET_KL>>;

/** What a surrogate has of its own: its words, its schema, its kernel and what that is told. */
interface SurrogateStage<S extends Schema> extends Omit<Described<S>, 'world'> {
  readonly surrogate: SurrogateName;
  /** Weights of the tokens where the surrogate’s definition fixes them; else as the person chose. */
  readonly aggregation?: AggregationName;
  uniforms(parameters: Parameters<S>): Readonly<Record<string, number>>;
}

/** A loss that is one surrogate and the terms that may join any. */
export function surrogateStage<S extends Schema & typeof EPOCHS & typeof TERMS>({
  surrogate,
  aggregation,
  uniforms,
  ...described
}: SurrogateStage<S>): TokenLossStage<S> {
  const kernel = tokenSurrogate(surrogate);
  const { id } = described;
  return {
    ...described,
    kernels: [kernel, ...TERM_KERNELS],
    needs: () => [],
    plan: (p) => planOf(p as unknown as Shared),
    apply(context, p) {
      const shared = p as unknown as Shared & Averages;
      const weights = aggregation ? weigh(context, id, aggregation, 1) : weighAsChosen(context, id, shared);
      const { off_policy = 'none', off_policy_cap = 0 } = shared;
      runSurrogate(context, id, kernel, weights, uniforms(p), { off_policy, off_policy_cap });
      runTerms(context, weights, shared);
    },
  };
}
