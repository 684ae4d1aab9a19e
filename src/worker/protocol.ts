/**
 * Every command that the page sends to the worker and every event that comes back. The page never
 * waits for the worker and the worker never waits for the page: commands are carried out in order,
 * events are joined so that at most ten of a kind come in a second.
 */
import type { TuningMemory } from '../engine/device/tuning';
import type { HealthCause, HealthNotice } from '../engine/health';
import type { Problem } from '../engine/parameters';
import type { PlayState } from '../engine/play';
import type { Scenario } from '../engine/scenario';
import type { Voice } from '../engine/text/environment';
import type { TryOut } from '../engine/text/run';
import type { Transcript, ValueMap } from '../engine/view';
import type { WatchedStep } from '../engine/watch';

export type { HealthCause, HealthNotice, TuningMemory };
/** One step of a watched copy: the state in which the action was taken, and what came of it. */
export type Frame = WatchedStep;

export type ExecutorChoice = 'auto' | 'webgpu' | 'cpu';

/** The page numbers the beginnings of a run, so that what is said of an earlier one is told apart. */
interface Begins {
  readonly run: number;
}

export type Command =
  /** Start the device (once) and build the run. Replaces the run before it. */
  | (Begins & {
      readonly type: 'load';
      readonly scenario: Scenario;
      readonly seed: number;
      readonly executor: ExecutorChoice;
      readonly tuning: TuningMemory;
    })
  | { readonly type: 'train' }
  | { readonly type: 'pause' }
  | { readonly type: 'one-update' }
  /** Back to the initial weights of this seed; same seed, same adapter: the same run bit for bit. */
  | (Begins & { readonly type: 'reset'; readonly seed: number })
  /** Takes the last reset back: weights, optimiser, environments and update as before it. A 'status' event answers. */
  | (Begins & { readonly type: 'undo-reset' })
  /** A live setting, such as `loss.parameters.clip`; takes effect at the next update. */
  | { readonly type: 'set'; readonly path: string; readonly value: unknown }
  | { readonly type: 'evaluate' }
  /**
   * How many copies the page shows; 0 stops the traces. `taught`: in a world of tokens, episodes that an update
   * has learned from, with their advantages, instead of those being written.
   */
  | {
      readonly type: 'watch';
      readonly copies: number;
      readonly valueMap: boolean;
      readonly taught?: boolean | undefined;
    }
  | { readonly type: 'play-start'; readonly seed: number }
  /** A discrete action's index, or one number a dimension; in a world of tokens, tokens to write next. */
  | { readonly type: 'play-act'; readonly action: readonly number[] }
  /** The policy's own choice for the state in play. */
  | { readonly type: 'play-hint' }
  /** In a world of tokens: takes the last token back. */
  | { readonly type: 'play-back' }
  | { readonly type: 'play-stop' }
  /** Lets the policy as it is now write episodes, aside from the run. A 'try-out' event answers, or 'no-try-out'. */
  | (TryOut & { readonly type: 'try-out' })
  /** The person prefers one shown episode to another of the same task: a pair for the phase `prefer`. */
  | { readonly type: 'prefer'; readonly chosen: number; readonly rejected: number }
  /** A shown episode becomes a demonstration for the phase `imitate`, or is one no longer. */
  | { readonly type: 'pick'; readonly episode: number }
  /** Drops every pair and demonstration that the person has gathered. */
  | { readonly type: 'forget' }
  /** After a health alarm: back to the last weights that were finite and healthy. */
  | { readonly type: 'restore-good' }
  | { readonly type: 'dismiss-health'; readonly cause: HealthCause }
  /** After the device was lost: go on from the last good weights. */
  | { readonly type: 'continue-on'; readonly executor: ExecutorChoice }
  /** For tests: destroys the device as a driver reset would. */
  | { readonly type: 'lose-device' }
  | { readonly type: 'kernels' };

export interface DeviceInfo {
  readonly kind: 'webgpu' | 'cpu';
  readonly description: string;
  /** Why not WebGPU, in a sentence; absent when WebGPU runs. */
  readonly reason?: string;
  readonly fingerprint: string;
}

/** One row a finished update. Names are CleanRL's where CleanRL has one. */
export interface MetricsRow {
  readonly update: number;
  readonly steps: number;
  /** Seconds of training, pauses and hidden gaps not counted. */
  readonly seconds: number;
  readonly values: Readonly<Record<string, number>>;
}

export type RunStatus =
  | 'empty'
  | 'loading'
  | 'ready'
  | 'training'
  | 'paused'
  | 'finished'
  | 'stopped'
  | 'device-lost'
  | 'failed';

export interface Shapes {
  readonly parameterCount: number;
  readonly observationSize: number;
  readonly actionCount: number;
  readonly actionNames: readonly string[];
  readonly continuous: boolean;
  readonly actionLow: readonly number[];
  readonly actionHigh: readonly number[];
  readonly signals: readonly string[];
  readonly batch: number;
  readonly minibatch: number;
  readonly gpuBytes: number;
  /** Only where the world is one of tokens. */
  readonly text?: TextShapes;
}

export interface TextShapes {
  /** Names of the tokens; 0 is padding. */
  readonly vocabulary: readonly string[];
  /** What each of the signals says, in their order. */
  readonly signalHelp: readonly string[];
  /** What each token is to the reader. */
  readonly voices: readonly Voice[];
  readonly turns: number;
  readonly turnTokens: number;
  readonly context: number;
  /** Tasks there are; a task's number is below it. */
  readonly tasks: number;
}

/** An event, and the number of the run that it is about: 0 before the first. */
export type Message = Event & { readonly run: number };

export type Event =
  | { readonly type: 'progress'; readonly what: string; readonly done: number; readonly total: number }
  | { readonly type: 'ready'; readonly device: DeviceInfo; readonly shapes: Shapes; readonly tuning: TuningMemory }
  | { readonly type: 'status'; readonly status: RunStatus; readonly update: number; readonly steps: number }
  | { readonly type: 'metrics'; readonly rows: readonly MetricsRow[] }
  | {
      readonly type: 'evaluation';
      readonly update: number;
      readonly episodes: number;
      readonly returnMean: number;
      readonly returnDeviation: number;
      readonly success: number;
      readonly length: number;
    }
  /** Steps of the watched copies in order: `frames[i][copy]`. */
  | { readonly type: 'world'; readonly update: number; readonly frames: readonly (readonly Frame[])[] }
  /** Episodes as they are being written, or as they ended, or that are imitated; the first `copies` watched ones. */
  | { readonly type: 'transcripts'; readonly update: number; readonly transcripts: readonly Transcript[] }
  /** Training enters a phase: its place in the scenario's list (0 where the list is empty), its id. */
  | { readonly type: 'phase'; readonly index: number; readonly id: string; readonly update: number }
  | { readonly type: 'try-out'; readonly update: number; readonly transcripts: readonly Transcript[] }
  /** The try-out cannot be: why. */
  | { readonly type: 'no-try-out'; readonly message: string }
  /** The person's episode in a world of tokens: what was written, and which tokens may follow now (none when it is over). */
  | { readonly type: 'text-play'; readonly transcript: Transcript; readonly legal: readonly number[] }
  /** What the person has gathered; `picked`: numbers of this run's episodes that are demonstrations. */
  | {
      readonly type: 'collected';
      readonly pairs: number;
      readonly demonstrations: number;
      readonly picked: readonly number[];
      /** The last wish named an episode that the run no longer keeps. */
      readonly missed: boolean;
    }
  | { readonly type: 'value-map'; readonly update: number; readonly map: ValueMap }
  | ({ readonly type: 'play' } & PlayState)
  | { readonly type: 'play-hint'; readonly probabilities: readonly number[] }
  | { readonly type: 'health'; readonly notice: HealthNotice }
  | { readonly type: 'restored'; readonly update: number }
  | { readonly type: 'device-lost'; readonly reason: string; readonly update: number }
  /** The scenario cannot run: every problem with its place. The work in the page is untouched. */
  | { readonly type: 'refused'; readonly problems: readonly Problem[] }
  | { readonly type: 'failed'; readonly what: string; readonly message: string; readonly advice: string }
  /** A setting was not taken; the value before stays in force. */
  | { readonly type: 'not-set'; readonly path: string; readonly message: string }
  | {
      readonly type: 'kernels';
      readonly kernels: readonly { readonly name: string; readonly wgsl: string; readonly form: string }[];
    };
