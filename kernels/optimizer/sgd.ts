/** SGD with momentum; `clipNorm` (clip.ts) prepares each step. */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import { CONTROL } from './control';
import { finiteOr } from './finite_or';
import finiteOrCode from './finite_or.wgsl?raw';
import code from './sgd.wgsl?raw';

/** parameters, gradient, velocity [count]; weight decay is added to the gradient (L2). */
export const sgd = defineKernel({
  name: 'optimizer/sgd',
  wgsl: wgsl(finiteOrCode, code),
  bindings: { parameters: 'write', gradient: 'read', velocity: 'write', control: 'read' },
  uniforms: { count: 'u32', learning_rate: 'f32', momentum: 'f32', weight_decay: 'f32' },
  workgroups: ({ count }) => ceilDiv(count, 64),
  reference({ parameters, gradient, velocity, control }, { count, learning_rate, momentum, weight_decay }) {
    if (control[CONTROL.stopped] !== 0 || control[CONTROL.nonfinite] !== 0) return;
    for (let i = 0; i < count; i++) {
      velocity[i] = momentum * velocity[i] + gradient[i] * control[CONTROL.scale] + weight_decay * parameters[i];
      parameters[i] = finiteOr(parameters[i] - learning_rate * velocity[i], parameters[i]);
    }
  },
});
