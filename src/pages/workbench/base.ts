/** What the marks of a slot compare with: “changed” with the scenario as it was opened, the other with its preset. */
import { defaultsOf } from '../../engine/parameters';
import type { Choice, Scenario, Slot } from '../../engine/scenario';
import { PRESETS, REGISTRY } from '../../stores/registry';
import { same, useScenario } from '../../stores/scenario';

export function baseOf(scenario: Scenario, slot: Slot): Choice {
  return useScenario.getState().opened?.slots[slot] ?? scenario.slots[slot];
}

/** Whether the slot's choice or any of its settings was changed since the scenario was opened. */
export function isChanged(scenario: Scenario, slot: Slot): boolean {
  const choice = scenario.slots[slot];
  const base = baseOf(scenario, slot);
  return base.id !== choice.id || keysUnlike(choice, base).length > 0;
}

/** “not as in GRPO”, where the preset has another value here: of one setting, of `id`, or of anything in the slot. */
export function unlikePreset(scenario: Scenario, slot: Slot, key?: string): string | undefined {
  const preset = PRESETS[scenario.preset];
  const wanted = preset?.slots[slot];
  const schema = wanted === undefined ? undefined : REGISTRY[slot][wanted.id]?.parameters;
  if (preset === undefined || wanted === undefined || schema === undefined) return undefined;
  const choice = scenario.slots[slot];
  const unlike =
    choice.id === wanted.id
      ? keysUnlike(choice, { ...wanted, parameters: { ...defaultsOf(schema), ...wanted.parameters } })
      : ['id'];
  return (key === undefined ? unlike.length > 0 : unlike.includes(key)) ? `not as in ${preset.title}` : undefined;
}

function keysUnlike(choice: Choice, other: Choice): string[] {
  return Object.keys(choice.parameters).filter((key) => !same(choice.parameters[key], other.parameters[key]));
}
