/**
 * What every choice in the pipeline says about itself, and what a stage works on. A choice is
 * registered by its id in the index of its folder; its form, help, validation and documentation follow
 * from `parameters`. A published algorithm is a preset over these choices (presets.ts), not a file.
 */
import type { Kernel } from '../../../kernels/kernel';
import type { DeviceBuffer, Executor } from '../device/executor';
import type { BufferPool } from '../device/pool';
import type { Parameters, Schema } from '../parameters';
import type { Mlp, Rows } from '../policies/mlp';

export interface Described<S extends Schema = Schema> {
  readonly id: string;
  readonly title: string;
  /** One sentence for the card's editor. */
  readonly summary: string;
  /** Plain-text formula, or '' where there is none. */
  readonly formula: string;
  /** Paper or reference implementation. */
  readonly source: string;
  readonly parameters: S;
  /** The kind of world that it works with; absent: either. */
  readonly world?: 'control' | 'text';
}

/** One rollout on the device: T steps of N copies, time-major, row = t · N + copy. */
export interface Rollout {
  readonly steps: number;
  readonly copies: number;
  readonly signalCount: number;
  readonly signals: DeviceBuffer;
  readonly rewards: DeviceBuffer;
  /** [T + 1, N]: V of what the policy saw; row T follows the last step. */
  readonly values: DeviceBuffer;
  /** [T, N]: V of the real last observation where an episode was truncated, else 0. */
  readonly finalValues: DeviceBuffer;
  readonly terminated: DeviceBuffer;
  readonly truncated: DeviceBuffer;
  readonly actions: DeviceBuffer;
  readonly logProbs: DeviceBuffer;
  readonly masks: DeviceBuffer;
  readonly advantages: DeviceBuffer;
  /** [T, N]: 1; 0 where the advantage stage left a step out of what teaches. */
  readonly weights: DeviceBuffer;
  readonly returns: DeviceBuffer;
}

export interface StageContext {
  readonly executor: Executor;
  /** Scratch buffers by name; names of a stage begin with its id. */
  readonly pool: BufferPool;
  readonly rollout: Rollout;
}

export interface RewardStage<S extends Schema = Schema> extends Described<S> {
  readonly kernels: readonly Kernel[];
  /** Puts its memory, if it has one, to the beginning. */
  begin(context: StageContext, parameters: Parameters<S>): void;
  /** Buffers that must survive with the run, by name. */
  memory(pool: BufferPool, rollout: Rollout, parameters: Parameters<S>): Readonly<Record<string, DeviceBuffer>>;
  apply(context: StageContext, parameters: Parameters<S>): void;
}

export interface AdvantageStage<S extends Schema = Schema> extends Described<S> {
  readonly kernels: readonly Kernel[];
  /** Whether it reads values: then the policy has a critic. */
  needsCritic(parameters: Parameters<S>): boolean;
  /** Writes rollout.advantages and rollout.returns, and rollout.weights if it leaves steps out. */
  apply(context: StageContext, parameters: Parameters<S>): void;
}

/** A minibatch: rows first … first + count - 1 of the permuted batch of all epochs. */
export interface Minibatch {
  readonly rows: Rows;
  readonly indices: DeviceBuffer;
  readonly samples: DeviceBuffer;
  /** [B, A] and [B], just computed by the policy. */
  readonly outputs: DeviceBuffer;
  readonly values: DeviceBuffer;
  /** Where the gradient with respect to both goes. */
  readonly gradient: DeviceBuffer;
  /** Partial sums of the loss statistics. */
  readonly statistics: DeviceBuffer;
}

export interface LossStage<S extends Schema = Schema> extends Described<S> {
  kernel(distribution: 'categorical' | 'gaussian'): Kernel;
  /** Epochs and minibatches of one update, and the KL at which it stops early (0: never). */
  plan(parameters: Parameters<S>): {
    epochs: number;
    minibatches: number;
    targetKl: number;
    normalizeAdvantage: boolean;
  };
  valueCoefficient(parameters: Parameters<S>): number;
  apply(context: StageContext, policy: PolicyOnDevice, minibatch: Minibatch, parameters: Parameters<S>): void;
}

export interface PolicyOnDevice {
  readonly mlp: Mlp;
  readonly parameters: DeviceBuffer;
  readonly distribution: 'categorical' | 'gaussian';
  readonly masked: boolean;
}

export interface OptimizerState {
  readonly parameters: DeviceBuffer;
  readonly gradient: DeviceBuffer;
  readonly control: DeviceBuffer;
  readonly count: number;
  /** 1 at the first update, falling to 0 at the end of the plan. */
  readonly remaining: number;
}

export interface OptimizerStage<S extends Schema = Schema> extends Described<S> {
  readonly kernels: readonly Kernel[];
  learningRate(parameters: Parameters<S>, remaining: number): number;
  /** Names of the moment buffers, each as long as the parameters, in the pool. */
  readonly moments: readonly string[];
  apply(executor: Executor, pool: BufferPool, state: OptimizerState, parameters: Parameters<S>): void;
}
