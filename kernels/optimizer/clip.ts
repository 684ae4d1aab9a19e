/**
 * Gradient clipping by global norm, and what every optimiser step begins with:
 *
 *     run(chunkNorms, { gradient, partials }, { count });
 *     run(clipNorm, { partials, control }, { max_norm, beta1, beta2 });
 *     run(adam | sgd | rmsprop, …);
 *
 * torch.nn.utils.clip_grad_norm_ (PyTorch 1.13). The gradient itself is not changed: the optimisers
 * multiply by control's scale as they read.
 */
import { ceilDiv, defineKernel } from '../kernel';
import { PARTIALS } from '../reduce/sum';
import chunkCode from './chunk_norms.wgsl?raw';
import clipCode from './clip_norm.wgsl?raw';
import { CONTROL } from './control';

/** Floats of the scratch buffer between the two. */
export const NORM_PARTIALS_SIZE = PARTIALS * 2;

/** gradient [count] → partials [256, 2]: norm of every 256th entry, and 1 when one is not finite. */
export const chunkNorms = defineKernel({
  name: 'optimizer/chunk_norms',
  wgsl: chunkCode,
  bindings: { gradient: 'read', partials: 'write' },
  uniforms: { count: 'u32' },
  workgroups: () => ceilDiv(PARTIALS, 64),
  reference({ gradient, partials }, { count }) {
    for (let p = 0; p < PARTIALS; p++) {
      let squares = 0;
      for (let i = p; i < count; i += PARTIALS) squares += gradient[i] * gradient[i];
      partials.set(Number.isFinite(squares) ? [Math.sqrt(squares), 0] : [0, 1], p * 2);
    }
  },
});

/** A step longer than this has a square, which the moments hold, that 32 bits do not. */
const LONGEST = 1e18;

/**
 * partials [256, 2] and control → norm, scale, the next t and its bias corrections.
 * `max_norm` 0 does not clip; SGD and RMSprop pass betas of 0. Nothing changes once control says
 * stopped or not finite.
 */
export const clipNorm = defineKernel({
  name: 'optimizer/clip_norm',
  wgsl: clipCode,
  bindings: { partials: 'read', control: 'write' },
  uniforms: { max_norm: 'f32', beta1: 'f32', beta2: 'f32' },
  workgroups: () => 1,
  reference({ partials, control }, { max_norm, beta1, beta2 }) {
    if (control[CONTROL.stopped] !== 0 || control[CONTROL.nonfinite] !== 0) return;
    let bad = 0;
    let squares = 0;
    for (let p = 0; p < PARTIALS; p++) {
      squares += partials[p * 2] ** 2;
      bad += partials[p * 2 + 1];
    }
    const norm = Math.sqrt(squares);
    const scale = max_norm > 0 ? Math.min(1, max_norm / (norm + 1e-6)) : 1;
    if (bad > 0 || norm > 3e38 || norm * scale > LONGEST) {
      control[CONTROL.nonfinite] = 1;
      return;
    }
    const t = control[CONTROL.step] + 1;
    control[CONTROL.norm] = norm;
    control[CONTROL.scale] = scale;
    control[CONTROL.step] = t;
    control[CONTROL.correction1] = 1 - Math.fround(beta1) ** t;
    control[CONTROL.correction2] = 1 - Math.fround(beta2) ** t;
  },
});
