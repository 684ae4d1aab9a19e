/**
 * Sums over the rows of a matrix, in a fixed order: run once into `PARTIALS` rows, once more into one.
 *
 *     run(sum, { input, sums: scratch }, { rows, columns, partials: PARTIALS });
 *     run(sum, { input: scratch, sums }, { rows: PARTIALS, columns, partials: 1 });
 */
import { ceilDiv, defineKernel } from '../kernel';
import code from './sum.wgsl?raw';

/** How many partial results the first of two stages makes: parallel enough, and cheap to reduce. */
export const PARTIALS = 256;

/** input [rows, columns] → sums [partials, columns]; row r goes to partial r mod partials. */
export const sum = defineKernel({
  name: 'reduce/sum',
  wgsl: code,
  bindings: { input: 'read', sums: 'write' },
  uniforms: { rows: 'u32', columns: 'u32', partials: 'u32' },
  workgroups: ({ partials, columns }) => ceilDiv(partials * columns, 64),
  reference({ input, sums }, { rows, columns, partials }) {
    for (let partial = 0; partial < partials; partial++)
      for (let c = 0; c < columns; c++) {
        let total = 0;
        for (let row = partial; row < rows; row += partials) total += input[row * columns + c];
        sums[partial * columns + c] = total;
      }
  },
});
