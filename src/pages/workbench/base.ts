/** What “changed” compares with: the preset's choice for the slot, else the scenario as it was opened. */
import { defaultsOf } from '../../engine/parameters';
import type { Choice, Scenario, Slot } from '../../engine/scenario';
import { PRESETS, REGISTRY } from '../../stores/registry';
import { useScenario } from '../../stores/scenario';

export function baseOf(scenario: Scenario, slot: Slot): Choice {
  const opened = useScenario.getState().opened?.slots[slot] ?? scenario.slots[slot];
  const preset = PRESETS[scenario.preset]?.slots[slot];
  const schema = preset === undefined ? undefined : REGISTRY[slot][preset.id]?.parameters;
  return preset === undefined || schema === undefined
    ? opened
    : { id: preset.id, parameters: { ...defaultsOf(schema), ...preset.parameters } };
}
