/** What a filter between the episodes and their advantages is: of each group of episodes it says which are left. */
import type { Random } from '../../../../kernels/random/threefry';
import type { Parameters, Schema } from '../../parameters';
import { ROLE, type Trajectory } from '../../text/trajectory';
import type { Described } from '../stage';

export type Group = readonly Trajectory[];

export interface FilterContext {
  /** Names of the numbers in a turn's `signals`. */
  readonly signals: readonly { readonly name: string }[];
  /** For choices that are made by lot. */
  readonly random: Random;
}

export interface Filter<S extends Schema = Schema> extends Described<S> {
  /** Whether it is switched on. */
  active(parameters: Parameters<S>): boolean;
  /** The episodes of a group that are left; none: the group is. */
  apply(group: Group, parameters: Parameters<S>, context: FilterContext): Group;
}

/**
 * The episode as one that teaches nothing: it stays in its group, where the others are compared with it, but none
 * of its tokens enters the loss.
 */
export function mute(trajectory: Trajectory): Trajectory {
  return { ...trajectory, roles: trajectory.roles.map(() => ROLE.padding) };
}

/** Sum over an episode's turns of the signal of a name; 0 where the environment has none of this name. */
export function signalSum({ turns }: Trajectory, name: string, { signals }: FilterContext): number {
  const index = signals.findIndex((signal) => signal.name === name);
  return index < 0 ? 0 : turns.reduce((sum, turn) => sum + turn.signals[index], 0);
}
