/**
 * Values of the real last observations of truncated episodes, without valuing every row:
 *
 *     run(truncatedRows, …);  critic over the listed rows;  run(finalValues, …);
 */
import { ceilDiv, defineKernel } from '../kernel';
import finalValuesCode from './final_values.wgsl?raw';
import truncatedRowsCode from './truncated_rows.wgsl?raw';

/** How often a copy can meet a time limit of `maxSteps` in `steps` steps; 0 without a limit. */
export function truncationSlots(steps: number, maxSteps: number): number {
  return maxSteps > 0 ? Math.floor((steps - 1) / maxSteps) + 1 : 0;
}

export const truncatedRows = defineKernel({
  name: 'advantage/truncated_rows',
  wgsl: truncatedRowsCode,
  bindings: { truncated: 'read', list: 'write' },
  uniforms: { steps: 'u32', copies: 'u32', slots: 'u32', final_first: 'u32' },
  workgroups: ({ copies }) => ceilDiv(copies, 64),
  reference({ truncated, list }, { steps, copies, slots, final_first }) {
    for (let copy = 0; copy < copies; copy++) {
      let slot = 0;
      for (let t = 0; t < steps && slot < slots; t++)
        if (truncated[t * copies + copy] !== 0) list[slot++ * copies + copy] = final_first + t * copies + copy;
      for (; slot < slots; slot++) list[slot * copies + copy] = 0;
    }
  },
});

export const finalValues = defineKernel({
  name: 'advantage/final_values',
  wgsl: finalValuesCode,
  bindings: { list: 'read', slot_values: 'read', final_values: 'write' },
  uniforms: { count: 'u32', final_first: 'u32' },
  workgroups: ({ count }) => ceilDiv(count, 64),
  reference({ list, slot_values, final_values }, { count, final_first }) {
    for (let i = 0; i < count; i++) if (list[i] !== 0) final_values[list[i] - final_first] = slot_values[i];
  },
});
