/** Learned positions: a table's row added to each row by its position, and the table's gradient in parts. */
import { ceilDiv, defineKernel } from '../kernel';
import forward from './position.wgsl?raw';
import backward from './position_backward.wgsl?raw';

/** `output` [rows, width] += P[position]; the position is r mod length, or `stepwise` positions[r]. */
export const positionForward = defineKernel({
  name: 'layer/position',
  wgsl: forward,
  bindings: { parameters: 'read', positions: 'read', output: 'write' },
  uniforms: { rows: 'u32', length: 'u32', stepwise: 'u32', width: 'u32', table: 'u32' },
  workgroups: ({ rows, width }) => ceilDiv(rows * ceilDiv(width, 16), 64),
  reference({ parameters, positions, output }, { rows, length, stepwise, width, table }) {
    for (let r = 0; r < rows; r++) {
      const from = table + (stepwise ? positions[r] : r % length) * width;
      for (let k = 0; k < width; k++) output[r * width + k] += parameters[from + k];
    }
  },
});

/** `gradient` [S · length, width] → the table's place in `partials` [parts, stride]. */
export const positionBackward = defineKernel({
  name: 'layer/position_backward',
  wgsl: backward,
  bindings: { gradient: 'read', partials: 'write' },
  uniforms: {
    sequences: 'u32',
    length: 'u32',
    context: 'u32',
    width: 'u32',
    table: 'u32',
    parts: 'u32',
    part_sequences: 'u32',
    stride: 'u32',
  },
  workgroups: ({ parts, context, width }) => ceilDiv(parts * context * width, 64),
  reference({ gradient, partials }, { sequences, length, context, width, table, parts, part_sequences, stride }) {
    for (let part = 0; part < parts; part++)
      for (let i = 0; i < context * width; i++) {
        let sum = 0;
        const end = i < length * width ? Math.min(sequences, (part + 1) * part_sequences) : 0;
        for (let s = part * part_sequences; s < end; s++) sum += gradient[s * length * width + i];
        partials[part * stride + table + i] = sum;
      }
  },
});
