/** SwiGLU: one half of each row gates the other. */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import { ACTIVATIONS } from './activation';
import forward from './swiglu.wgsl?raw';
import backward from './swiglu_backward.wgsl?raw';

const { silu } = ACTIVATIONS;

/** `input` [rows, 2 · width] → `output` [rows, width]. */
export const swigluForward = defineKernel({
  name: 'layer/swiglu',
  wgsl: wgsl(silu.wgsl, forward),
  bindings: { input: 'read', output: 'write' },
  uniforms: { rows: 'u32', width: 'u32' },
  workgroups: ({ rows, width }) => ceilDiv(rows * width, 64),
  reference({ input, output }, { rows, width }) {
    for (let r = 0; r < rows; r++)
      for (let k = 0; k < width; k++) {
        const gate = 2 * r * width + k;
        output[r * width + k] = silu.forward(input[gate]) * input[gate + width];
      }
  },
});

/** `gradient` [rows, width] of the output → `result` [rows, 2 · width] of the input. */
export const swigluBackward = defineKernel({
  name: 'layer/swiglu_backward',
  wgsl: wgsl(silu.wgsl, backward),
  bindings: { gradient: 'read', input: 'read', result: 'write' },
  uniforms: { rows: 'u32', width: 'u32' },
  workgroups: ({ rows, width }) => ceilDiv(rows * width, 64),
  reference({ gradient, input, result }, { rows, width }) {
    for (let r = 0; r < rows; r++)
      for (let k = 0; k < width; k++) {
        const d = gradient[r * width + k];
        const gate = 2 * r * width + k;
        const y = silu.forward(input[gate]);
        result[gate] = d * input[gate + width] * silu.gradient(input[gate], y);
        result[gate + width] = d * y;
      }
  },
});
