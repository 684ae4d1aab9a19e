/** Adam and AdamW over all parameters in one dispatch; `clipNorm` (clip.ts) prepares each step. */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import code from './adam.wgsl?raw';
import { CONTROL } from './control';
import { finiteOr } from './finite_or';
import finiteOrCode from './finite_or.wgsl?raw';

/** Parameters an invocation takes; as in adam.wgsl. */
const PARAMETERS = 8;

/** `decoupled` 0: weight decay is added to the gradient (Adam); 1: it shrinks the weights (AdamW). */
export const adam = defineKernel({
  name: 'optimizer/adam',
  wgsl: wgsl(finiteOrCode, code),
  bindings: { parameters: 'write', gradient: 'read', first_moment: 'write', second_moment: 'write', control: 'read' },
  uniforms: {
    count: 'u32',
    learning_rate: 'f32',
    beta1: 'f32',
    beta2: 'f32',
    epsilon: 'f32',
    weight_decay: 'f32',
    decoupled: 'u32',
  },
  workgroups: ({ count }) => ceilDiv(count, 64 * PARAMETERS),
  reference(buffers, { count, learning_rate, beta1, beta2, epsilon, weight_decay, decoupled }) {
    const { parameters, gradient, first_moment, second_moment, control } = buffers;
    if (control[CONTROL.stopped] !== 0 || control[CONTROL.nonfinite] !== 0) return;
    const scale = control[CONTROL.scale];
    const rate = learning_rate / control[CONTROL.correction1];
    const correction = control[CONTROL.correction2];
    const kept = decoupled ? 1 - learning_rate * weight_decay : 1;
    const added = decoupled ? 0 : weight_decay;
    // The corrections are of the betas in single precision, so the moments are too.
    const b1 = Math.fround(beta1);
    const b2 = Math.fround(beta2);
    for (let i = 0; i < count; i++) {
      const g = gradient[i] * scale + added * parameters[i];
      first_moment[i] = b1 * first_moment[i] + (1 - b1) * g;
      second_moment[i] = b2 * second_moment[i] + (1 - b2) * g * g;
      const root = Math.sqrt(second_moment[i] / correction);
      parameters[i] = finiteOr(kept * parameters[i] - (rate * first_moment[i]) / (root + epsilon), parameters[i]);
    }
  },
});
