/** Rotary positions: queries and keys turned by angles that grow with the position, and turned back for the gradient. */
import { ceilDiv, defineKernel } from '../kernel';
import code from './rotary.wgsl?raw';

/** Wavelengths from 2π to about this many positions, as in RoFormer. */
const BASE = 10_000;

/** Cosine and sine by position and pair, [context, dim/2, 2]. */
export function rotaryAngles(context: number, dim: number): Float32Array {
  const angles = new Float32Array(context * dim);
  for (let position = 0; position < context; position++)
    for (let pair = 0; pair < dim / 2; pair++) {
      const angle = position * BASE ** ((-2 * pair) / dim);
      angles[position * dim + 2 * pair] = Math.cos(angle);
      angles[position * dim + 2 * pair + 1] = Math.sin(angle);
    }
  return angles;
}

/** Turns the first heads · dim numbers of each row of `values` [rows, stride]; `inverse` 1 turns back. */
export const rotary = defineKernel({
  name: 'layer/rotary',
  wgsl: code,
  bindings: { angles: 'read', positions: 'read', values: 'write' },
  uniforms: {
    rows: 'u32',
    length: 'u32',
    stepwise: 'u32',
    stride: 'u32',
    heads: 'u32',
    dim: 'u32',
    inverse: 'u32',
  },
  workgroups: ({ rows, heads, dim }) => ceilDiv((rows * heads * dim) / 2, 64),
  reference({ angles, positions, values }, { rows, length, stepwise, stride, heads, dim, inverse }) {
    const half = dim / 2;
    for (let r = 0; r < rows; r++) {
      const position = stepwise ? positions[r] : r % length;
      for (let head = 0; head < heads; head++)
        for (let pair = 0; pair < half; pair++) {
          const cosine = angles[position * dim + 2 * pair];
          const sine = angles[position * dim + 2 * pair + 1] * (inverse ? -1 : 1);
          const at = r * stride + head * dim + pair;
          const [a, b] = [values[at], values[at + half]];
          values[at] = a * cosine - b * sine;
          values[at + half] = b * cosine + a * sine;
        }
    }
  },
});
