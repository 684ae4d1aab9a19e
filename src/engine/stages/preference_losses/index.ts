import type { Field, Schema } from '../../parameters';
import type { PreferenceLossStage } from '../token_stage';
import { dpo } from './dpo';
import { hinge } from './hinge';
import { ipo } from './ipo';

export const PREFERENCE_LOSSES = { dpo, ipo, hinge } as unknown as Readonly<Record<string, PreferenceLossStage>>;

/** Settings of all losses in one form: where not all know a setting, its label names those that do. */
export const PREFERENCE_SETTINGS: Schema = Object.fromEntries(
  Object.values(PREFERENCE_LOSSES).flatMap(({ parameters }) =>
    Object.entries(parameters).map(([key, field]) => [key, { ...field, label: labelOf(key, field), live: false }]),
  ),
);

function labelOf(key: string, { label }: Field): string {
  const losses = Object.values(PREFERENCE_LOSSES);
  const knowing = losses.filter(({ parameters }) => Object.hasOwn(parameters, key));
  return knowing.length === losses.length ? label : `${label} (${knowing.map(({ title }) => title).join(', ')})`;
}
