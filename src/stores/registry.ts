/**
 * The choices that exist and the named points in their space, for pages and components: data of the engine,
 * unchanged, and what of it fits a scenario's world.
 */
import { PHASES } from '../engine/phases';
import { PRESETS, REGISTRY, type World, worldOf } from '../engine/registry';
import type { Slot } from '../engine/scenario';
import type { Described } from '../engine/stages/stage';

export { PHASES as PHASE_KINDS, PRESETS, REGISTRY, type World, worldOf };
export const PRESET_IDS: readonly string[] = Object.keys(PRESETS);

/** The choices of a slot, or kinds of phases, that work with such a world. */
export function choicesFor(slot: Slot | 'phase', world: World): readonly Described[] {
  return Object.values(REGISTRY[slot]).filter((one) => (one.world ?? world) === world);
}

/** The presets that train in such a world. */
export function presetsFor(world: World) {
  return Object.values(PRESETS).filter((preset) => preset.world === world);
}
