/**
 * A control environment as the page and the engine choose it: what it is, its settings, and what they
 * build. A new environment is one file in this folder and one line in index.ts.
 */
import type { EnvironmentProgram } from '../../../kernels/environment/program';
import type { AnyParameters, Problem, Schema } from '../parameters';
import type { Described } from '../stages/stage';
import type { ValueMap, View } from '../view';

export interface ControlEnvironment<S extends Schema = Schema> extends Described<S> {
  /** The world for these parameters, or everything that is wrong with them, each with its place below `path`. */
  build(parameters: AnyParameters, path: string): Built;
}

export type Built = { readonly instance: EnvironmentInstance } | { readonly problems: readonly Problem[] };

export interface EnvironmentInstance {
  readonly program: EnvironmentProgram;
  /** The picture of one copy: its own `stateSize` words, and the action and reward that led to them. */
  view(state: Float32Array, action?: readonly number[], reward?: number): View;
  /** States whose values and action probabilities make the heat map, as seen from `state`. */
  probes?(state: Float32Array): Probes;
  /** Optimal values by state number, from value iteration, where there are any; terminal transitions do not bootstrap. */
  exactValues?(gamma: number): Float32Array | undefined;
  /** The return from which the task counts as solved, and who says so: a reference line for the curve. */
  readonly solvedAt?: { readonly value: number; readonly label: string };
}

/** Probe states and the board on which their values are drawn. */
export interface Probes {
  /** [probes, stateSize] */
  readonly rows: Float32Array;
  /** Board cell of each probe, `y * width + x`; cells without a probe stay empty. */
  readonly cells: readonly number[];
  /** State number of each probe, to look up `exactValues`. */
  readonly states?: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly directions: ValueMap['directions'];
}
