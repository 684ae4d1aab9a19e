/**
 * The filters between the episodes and their advantages, in the order in which they work. They share one slot of the
 * pipeline: each has a switch of its own, so that they can be combined.
 */
import type { Random } from '../../../../kernels/random/threefry';
import { type AnyParameters, grouped, type Schema } from '../../parameters';
import type { Trajectory } from '../../text/trajectory';
import type { Described } from '../stage';
import { dynamicSampling } from './dynamic_sampling';
import type { Filter, FilterContext, Group } from './filter';
import { overlong } from './overlong';
import { rejection } from './rejection';
import { resample } from './resample';
import { successRange } from './success_range';
import { voidTurn } from './void_turn';

/** Whole groups first, while they are complete; then single episodes. */
const FILTERS = [
  dynamicSampling,
  successRange,
  resample,
  voidTurn,
  overlong,
  rejection,
] as unknown as readonly Filter[];

const parameters: Schema = Object.assign({}, ...FILTERS.map(({ title, parameters }) => grouped(title, parameters)));

/** The choices of the slot. */
export const FILTER_CHOICES: Readonly<Record<string, Described>> = {
  none: {
    id: 'none',
    title: 'No filter',
    summary: 'Every episode is learned from.',
    formula: '',
    source: '',
    parameters: {},
  },
  filters: {
    id: 'filters',
    title: 'Filters',
    summary: 'Leaves out groups and episodes that teach nothing, or nothing good.',
    formula: FILTERS.map(({ title, formula }) => `${title}: ${formula}`).join('\n'),
    source: FILTERS.map(({ title, source }) => `${title}: ${source}`).join('\n'),
    parameters,
    world: 'text',
  },
};

export interface Kept {
  readonly kept: readonly Trajectory[][];
  /** Times that an update may sample in all to have its groups full. */
  readonly rounds: number;
}

/** What the filters that are switched on leave of the groups. `settings` are those of either choice. */
export function keepGroups(
  groups: readonly Group[],
  settings: AnyParameters,
  random: Random,
  signals: FilterContext['signals'],
): Kept {
  const active = FILTERS.filter((filter) => filter.active(settings as never));
  const kept = groups
    .map((group) =>
      active.reduce(
        (left, filter) => (left.length === 0 ? left : filter.apply(left, settings as never, { signals, random })),
        group,
      ),
    )
    .filter((group) => group.length > 0)
    .map((group) => [...group]);
  const replaces = settings.dynamic_sampling === true || settings.success_range === true;
  return { kept, rounds: replaces ? Number(settings.max_rounds) : 1 };
}
