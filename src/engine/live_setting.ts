/** A setting that the person changes while a run goes on, by its path: `loss.parameters.clip`. */
import { checkField } from './parameters';
import { REGISTRY } from './registry';
import { type Scenario, SLOTS, type Slot } from './scenario';

export interface LiveSetting {
  readonly slot: Slot;
  readonly key: string;
  /** As the form names it. */
  readonly label: string;
}

/** The setting that a path names, or the reason why it cannot become `value` now. */
export function liveSetting({ slots }: Scenario, path: string, value: unknown): LiveSetting | string {
  const [slot, , key] = path.replace(/^slots\./, '').split('.') as [Slot, string, string];
  if (!SLOTS.includes(slot)) return `"${slot}" is not a stage`;
  const schema = REGISTRY[slot][slots[slot].id].parameters;
  const field = Object.hasOwn(schema, key) ? schema[key] : undefined;
  if (!field) return `"${key}" is not a setting of ${slot}`;
  if (!field.live) return `"${field.label}" takes effect at a reset`;
  const message = checkField(field, value);
  return message === undefined ? { slot, key, label: field.label } : `${field.label} ${message}`;
}
