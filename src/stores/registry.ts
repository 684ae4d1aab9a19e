/**
 * The choices that exist and the named points in their space, for pages and components: data of the engine,
 * unchanged, and what of it fits a scenario's world.
 */
import { PRESETS, REGISTRY } from '../engine/registry';
import type { Scenario, Slot } from '../engine/scenario';
import type { Described } from '../engine/stages/stage';

export { PRESETS, REGISTRY };
export const PRESET_IDS: readonly string[] = Object.keys(PRESETS);

export type World = NonNullable<Described['world']>;

/** The kind of world that a scenario's environment is: all else must fit it. */
export function worldOf({ slots: { environment } }: Pick<Scenario, 'slots'>): World {
  return REGISTRY.environment[environment.id]?.world ?? 'control';
}

/** The choices of a slot, or kinds of phases, that work with such a world. */
export function choicesFor(slot: Slot | 'phase', world: World): readonly Described[] {
  return Object.values(REGISTRY[slot]).filter((one) => fitsWorld(slot, one, world));
}

/** The presets all of whose choices work with such a world. */
export function presetsFor(world: World) {
  return Object.values(PRESETS).filter(({ slots }) =>
    Object.entries(slots).every(([slot, { id }]) => {
      const described = REGISTRY[slot as Slot][id];
      return described !== undefined && fitsWorld(slot as Slot, described, world);
    }),
  );
}

/** An environment of no named kind is one of control; any other choice of no named kind fits both. */
function fitsWorld(slot: Slot | 'phase', { world: own }: Described, world: World): boolean {
  return (own ?? (slot === 'environment' ? 'control' : world)) === world;
}
