/**
 * What a control environment must give to run as a kernel: its state layout, its dynamics in WGSL,
 * and the same dynamics in TypeScript. step.wgsl wraps any program with time limits, automatic
 * reset and the record of what happened; nothing there knows a particular environment.
 *
 * The WGSL of a program defines four functions (program.reset/step/observe/legal are their twins):
 *
 *   fn environment_reset(s: u32, random: ptr<function, Random>)
 *   fn environment_step(s: u32, a: u32, steps: u32, random: ptr<function, Random>) -> bool   // terminated?
 *   fn environment_observe(s: u32, o: u32, final_row: bool)
 *   fn environment_legal(s: u32) -> u32                       // bit i set: action i is legal
 *
 * They may use these module variables, which the wrapper declares:
 *   state: array<f32>      the copy's own numbers are state[s] … state[s + stateSize - 1]
 *   tables: array<f32>     program.tables, constant (a grid's layout, a transition table)
 *   actions: array<f32>    the chosen action is actions[a] (discrete: an index) or actions[a + i]
 *   signal: array<f32, SIGNALS> (private)   environment_step sets every entry
 *   steps                  is the number of this step within the episode, from 1
 * and write an observation with `emit(o + i, value, final_row)`.
 */
import type { Random } from '../random/threefry';

export type ActionSpace =
  | { readonly kind: 'discrete'; readonly count: number; readonly names: readonly string[] }
  | {
      readonly kind: 'continuous';
      readonly size: number;
      readonly low: readonly number[];
      readonly high: readonly number[];
    };

export interface EnvironmentProgram {
  /** Unique for its WGSL and sizes: pipelines are cached under it. */
  readonly name: string;
  readonly wgsl: string;
  /** Float32 words of state a copy. Whole numbers up to 2^24 are exact. */
  readonly stateSize: number;
  readonly observationSize: number;
  readonly action: ActionSpace;
  /**
   * Names of the numbers reported each step. The first is always `reward` (the environment's own
   * reward), the last always `success` (1 on the step at which the environment's own verdict is met).
   */
  readonly signals: readonly string[];
  readonly tables: Float32Array;
  /** The time limit: an episode is truncated after this many steps. 0: none. */
  readonly maxSteps: number;
  /** Whether environment_legal ever forbids an action. */
  readonly masksActions: boolean;

  reset(state: Float32Array, s: number, random: Random): void;
  /** Sets every entry of `signal`; returns whether the episode terminated. */
  step(
    state: Float32Array,
    s: number,
    actions: Float32Array,
    a: number,
    steps: number,
    random: Random,
    signal: Float32Array,
  ): boolean;
  observe(state: Float32Array, s: number, out: Float32Array, o: number): void;
  /** Bit i set: action i is legal. 0 is an error that names the state. */
  legal(state: Float32Array, s: number): number;
}

/** Words that the wrapper keeps before each copy's own state: steps so far, episodes so far. */
export const STATE_HEADER = 2;

/** Floats that one step's action takes in the `actions` buffer. */
export function actionSize(action: ActionSpace): number {
  return action.kind === 'discrete' ? 1 : action.size;
}

/** Numbers that the policy's actor puts out: one logit an action, or one mean a dimension. */
export function policyOutputs(action: ActionSpace): number {
  return action.kind === 'discrete' ? action.count : action.size;
}
