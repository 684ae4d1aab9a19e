/** What a reward over episodes of tokens is: what each turn earns, at once or when its whole group has ended. */
import type { Parameters, Schema } from '../../parameters';
import type { TextEnvironment } from '../../text/environment';
import type { Trajectory } from '../../text/trajectory';
import type { Described } from '../stage';

export interface TextRewardStage<S extends Schema = Schema> extends Described<S> {
  /** What each turn of an episode earns by itself. */
  turns(trajectory: Trajectory, environment: TextEnvironment, parameters: Parameters<S>): number[];
  /** What each turn of each episode of a group earns, where that hangs on the others; absent: on none. */
  group?(group: readonly Trajectory[], parameters: Parameters<S>): number[][];
}
