/** RMSprop; `clipNorm` (clip.ts) prepares each step. */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import { CONTROL } from './control';
import { finiteOr } from './finite_or';
import finiteOrCode from './finite_or.wgsl?raw';
import code from './rmsprop.wgsl?raw';

/** parameters, gradient, second_moment [count]; weight decay is added to the gradient (L2). */
export const rmsprop = defineKernel({
  name: 'optimizer/rmsprop',
  wgsl: wgsl(finiteOrCode, code),
  bindings: { parameters: 'write', gradient: 'read', second_moment: 'write', control: 'read' },
  uniforms: { count: 'u32', learning_rate: 'f32', alpha: 'f32', epsilon: 'f32', weight_decay: 'f32' },
  workgroups: ({ count }) => ceilDiv(count, 64),
  reference({ parameters, gradient, second_moment, control }, { count, learning_rate, alpha, epsilon, weight_decay }) {
    if (control[CONTROL.stopped] !== 0 || control[CONTROL.nonfinite] !== 0) return;
    for (let i = 0; i < count; i++) {
      const g = gradient[i] * control[CONTROL.scale] + weight_decay * parameters[i];
      second_moment[i] = alpha * second_moment[i] + (1 - alpha) * g * g;
      const step = (learning_rate * g) / (Math.sqrt(second_moment[i]) + epsilon);
      parameters[i] = finiteOr(parameters[i] - step, parameters[i]);
    }
  },
});
