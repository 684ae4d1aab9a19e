/** Settings that a phase changes while it lasts, by path: `optimizer.learning_rate`. The policy stays what it was built as. */
import type { Field } from '../../engine/parameters';
import type { Phase, Scenario, Slot } from '../../engine/scenario';
import { REGISTRY } from '../../stores/registry';
import { slotsOf } from './state';

export interface PhaseSetting {
  readonly slot: Slot;
  readonly field: Field;
  /** What it is in the rest of the run. */
  readonly value: unknown;
}

/** The slots whose settings a phase may change. */
export const CHANGEABLE: readonly Slot[] = slotsOf('text').filter((slot) => slot !== 'policy');

/** The setting that a path names, with or without `slots.` and `parameters.`; undefined where there is none. */
export function settingAt(scenario: Scenario, path: string): PhaseSetting | undefined {
  const [head, key = ''] = path
    .replace(/^slots\./, '')
    .split('.')
    .filter((part) => part !== 'parameters');
  const slot = CHANGEABLE.find((one) => one === head);
  if (slot === undefined) return undefined;
  const { id, parameters } = scenario.slots[slot];
  const schema = REGISTRY[slot][id]?.parameters ?? {};
  const field = Object.hasOwn(schema, key) ? schema[key] : undefined;
  return field && { slot, field, value: Object.hasOwn(parameters, key) ? parameters[key] : field.default };
}

/** The settings of a slot that the phase leaves as they are. */
export function unchangedSettings(
  { slots }: Scenario,
  phase: Phase,
  slot: Slot,
): readonly { readonly path: string; readonly label: string }[] {
  return Object.entries(REGISTRY[slot][slots[slot].id]?.parameters ?? {})
    .filter(([, { kind }]) => kind !== 'data')
    .map(([key, { label }]) => ({ path: `${slot}.${key}`, label }))
    .filter(({ path }) => !Object.hasOwn(phase.with, path));
}
