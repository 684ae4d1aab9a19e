/**
 * What the stages of a text run work on: whole episodes of tokens, [S, L], right-padded. Entry (s, t) of
 * every array belongs to token t of sequence s: its log-probability, its advantage, the value of the state
 * before it was written. Only tokens with mask 1 teach.
 */
import type { Kernel } from '../../../kernels/kernel';
import type { DeviceBuffer, Executor } from '../device/executor';
import type { BufferPool } from '../device/pool';
import type { Parameters, Schema } from '../parameters';
import type { Described } from './stage';

/** Episodes of one update on the device, after the filters. */
export interface TokenRollout {
  readonly sequences: number;
  readonly length: number;
  /** f32 [S, L]: 1 where the policy wrote the token and it is to teach. */
  readonly mask: DeviceBuffer;
  /** u32 [S, L]: index of the turn that the token belongs to, within its episode. */
  readonly turns: DeviceBuffer;
  /** u32 [S]: episodes of the same task share a number; need not be contiguous. */
  readonly groups: DeviceBuffer;
  /** u32 [S, L]: what the policy saw before the turn, as a number: equal within a group where the observation was the same. */
  readonly anchors: DeviceBuffer;
  /** f32 [S, L]: the reward of a turn on its last action token. */
  readonly rewards: DeviceBuffer;
  /** f32 [S, L]; all 0 without a critic. */
  readonly values: DeviceBuffer;
  /** f32 [S]: V after the last token where the episode was truncated, else 0. */
  readonly finalValues: DeviceBuffer;
  /** f32 [S]: reward of a greedy episode of the same task (ReMax); all 0 unless a stage needs it. */
  readonly baselines: DeviceBuffer;
  /** f32 [S, L]: of the policy that sampled, and of the one at the start of this update (they differ when rollouts are asynchronous). */
  readonly behaviourLogProbs: DeviceBuffer;
  readonly proximalLogProbs: DeviceBuffer;
  /** f32 [S, L]: of the reference policy; 0 unless the loss needs them. */
  readonly referenceLogProbs: DeviceBuffer;
  /** f32 [S, L]: written by the advantage stage. */
  readonly advantages: DeviceBuffer;
  readonly returns: DeviceBuffer;
}

export interface TokenStageContext {
  readonly executor: Executor;
  /** Scratch buffers by name; names of a stage begin with its id. */
  readonly pool: BufferPool;
  readonly rollout: TokenRollout;
}

/** What a stage can only work with: said before training starts, at the setting that causes it. */
export type Need = 'critic' | 'groups' | 'greedy-baseline';

export interface TokenAdvantageStage<S extends Schema = Schema> extends Described<S> {
  readonly kernels: readonly Kernel[];
  needs(parameters: Parameters<S>): readonly Need[];
  /** Writes rollout.advantages and rollout.returns. */
  apply(context: TokenStageContext, parameters: Parameters<S>): void;
}

/** Some of the rollout's sequences, with what the policy says of them now. All [S, L] unless said otherwise. */
export interface TokenMinibatch {
  readonly sequences: number;
  readonly length: number;
  readonly mask: DeviceBuffer;
  readonly advantages: DeviceBuffer;
  readonly returns: DeviceBuffer;
  readonly behaviourLogProbs: DeviceBuffer;
  readonly proximalLogProbs: DeviceBuffer;
  readonly referenceLogProbs: DeviceBuffer;
  readonly oldValues: DeviceBuffer;
  /** Just computed. */
  readonly logProbs: DeviceBuffer;
  readonly entropies: DeviceBuffer;
  readonly values: DeviceBuffer;
  /** Where the stage writes the derivative of the loss by log-probability, entropy and value of each token; 0 where the mask is 0. */
  readonly logProbGradient: DeviceBuffer;
  readonly entropyGradient: DeviceBuffer;
  readonly valueGradient: DeviceBuffer;
  /** f32 [S, TOKEN_STATISTICS]: sums over the sequence's tokens (kernels/loss/token_statistics.ts). */
  readonly statistics: DeviceBuffer;
}

export interface TokenLossPlan {
  readonly epochs: number;
  readonly minibatches: number;
  /** Stop the epochs where the approximate KL passes this; 0: never. */
  readonly targetKl: number;
  readonly normalizeAdvantage: boolean;
  readonly klReward: { readonly coefficient: number; readonly estimator: string };
  /** Whether log-probabilities of the reference policy are needed. */
  readonly needsReference: boolean;
  /** Updates after which the reference becomes the policy of then; 0: it stays as the phase began. */
  readonly referenceEvery: number;
  /** Tokens that the environment wrote teach as well (what masking is there to prevent). */
  readonly observationsTeach: boolean;
}

export interface TokenLossStage<S extends Schema = Schema> extends Described<S> {
  readonly kernels: readonly Kernel[];
  needs(parameters: Parameters<S>): readonly Need[];
  plan(parameters: Parameters<S>): TokenLossPlan;
  apply(context: TokenLossContext, parameters: Parameters<S>): void;
}

export interface TokenLossContext {
  readonly executor: Executor;
  readonly pool: BufferPool;
  readonly minibatch: TokenMinibatch;
}

/** Pairs of episodes of one task: sequence 2i is preferred to sequence 2i + 1. All [2 · pairs, L] unless said otherwise. */
export interface PreferenceLossContext {
  readonly executor: Executor;
  readonly pool: BufferPool;
  readonly pairs: number;
  readonly length: number;
  readonly mask: DeviceBuffer;
  readonly logProbs: DeviceBuffer;
  readonly referenceLogProbs: DeviceBuffer;
  /** Where the stage writes the derivative of the loss; 0 where the mask is 0. */
  readonly logProbGradient: DeviceBuffer;
  /** f32 [2 · pairs, TOKEN_STATISTICS]: a pair's stand in the row of its preferred episode. */
  readonly statistics: DeviceBuffer;
}

export interface PreferenceLossStage<S extends Schema = Schema> extends Described<S> {
  readonly kernels: readonly Kernel[];
  apply(context: PreferenceLossContext, parameters: Parameters<S>): void;
}
