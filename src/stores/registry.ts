/** The choices that exist and the named points in their space, for pages and components: data of the engine, unchanged. */
import { PRESETS, REGISTRY } from '../engine/registry';

export { PRESETS, REGISTRY };
export const PRESET_IDS: readonly string[] = Object.keys(PRESETS);
