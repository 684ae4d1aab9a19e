/** The seed as a field; the rest of the plan of a run has its schema in formats/scenario.ts. */
import type { NumberField } from '../../engine/parameters';

export const SEED: NumberField = {
  kind: 'number',
  label: 'Seed',
  help: 'The same seed on the same adapter gives the same run, bit for bit. 0 is a seed. A change takes effect at reset.',
  default: 1,
  min: 0,
  max: 4_294_967_295,
  integer: true,
};
