/** Golden vectors of the optimisers and of gradient clipping, run through the kernels. */
import { floats, type GoldenAdapter, numberOr } from '../golden/adapter';
import { numbers, scalar, shapeOf } from '../golden/read';
import { adam } from './adam';
import { chunkNorms, clipNorm, NORM_PARTIALS_SIZE } from './clip';
import { CONTROL, CONTROL_SIZE } from './control';
import { rmsprop } from './rmsprop';
import { sgd } from './sgd';

/** torch_optim: a gradient a step, applied one after another; parameters after each. */
export const torchOptim: GoldenAdapter = async ({ inputs }, bench) => {
  const start = floats(inputs.p0);
  const count = start.length;
  const gradients = floats(inputs.grads);
  const steps = shapeOf(inputs.grads)[0] as number;
  const [beta1, beta2] = [numberOr(inputs.beta1, 0), numberOr(inputs.beta2, 0)];
  const parameters = bench.buffer(start);
  const moments = [bench.zeros(count), bench.zeros(count)] as const;
  const gradient = bench.zeros(count);
  const partials = bench.zeros(NORM_PARTIALS_SIZE);
  const control = bench.zeros(CONTROL_SIZE);
  const shared = { count, learning_rate: scalar(inputs.lr), weight_decay: numberOr(inputs.weight_decay, 0) };

  const after: number[] = [];
  for (let t = 0; t < steps; t++) {
    bench.upload(gradient, gradients.slice(t * count, (t + 1) * count));
    bench.run(chunkNorms, { gradient, partials }, { count });
    bench.run(clipNorm, { partials, control }, { max_norm: 0, beta1, beta2 });
    if (inputs.optimizer === 'adam' || inputs.optimizer === 'adamw') {
      const buffers = { parameters, gradient, first_moment: moments[0], second_moment: moments[1], control };
      const decoupled = Number(inputs.optimizer === 'adamw');
      bench.run(adam, buffers, { ...shared, beta1, beta2, epsilon: numberOr(inputs.eps, 1e-8), decoupled });
    } else if (inputs.optimizer === 'sgd') {
      bench.run(
        sgd,
        { parameters, gradient, velocity: moments[0], control },
        { ...shared, momentum: numberOr(inputs.momentum, 0) },
      );
    } else if (inputs.optimizer === 'rmsprop') {
      const rates = { alpha: numberOr(inputs.alpha, 0.99), epsilon: numberOr(inputs.eps, 1e-8) };
      bench.run(rmsprop, { parameters, gradient, second_moment: moments[0], control }, { ...shared, ...rates });
    } else {
      throw new Error(`no kernel for the optimiser ${String(inputs.optimizer)}`);
    }
    after.push(...(await bench.read(parameters)));
  }
  return { params: after, m: await bench.read(moments[0]), v: await bench.read(moments[1]) };
};

/** The gradient as an optimiser sees it: one SGD step of rate -1 from parameters 0. */
async function clip(gradient: Float32Array, max_norm: number, bench: Parameters<GoldenAdapter>[1]) {
  const count = gradient.length;
  const parameters = bench.zeros(count);
  const partials = bench.zeros(NORM_PARTIALS_SIZE);
  const control = bench.zeros(CONTROL_SIZE);
  const on = bench.buffer(gradient);
  bench.run(chunkNorms, { gradient: on, partials }, { count });
  bench.run(clipNorm, { partials, control }, { max_norm, beta1: 0, beta2: 0 });
  const buffers = { parameters, gradient: on, velocity: bench.zeros(count), control };
  bench.run(sgd, buffers, { count, learning_rate: -1, momentum: 0, weight_decay: 0 });
  return { control: await bench.read(control), clipped: await bench.read(parameters) };
}

/** torch_grad_clip: all tensors are one flat gradient, as in the engine. */
export const torchGradClip: GoldenAdapter = async ({ inputs }, bench) => {
  const gradient = Float32Array.from(numbers(inputs.grads));
  const { control, clipped } = await clip(gradient, scalar(inputs.max_norm), bench);
  return { total_norm: [control[CONTROL.norm] as number], clipped };
};

/** nonfinite_reference, clip_grad_norm_: no step is taken. */
export const nonfiniteGradient: GoldenAdapter = async ({ inputs }, bench) => {
  const { control, clipped } = await clip(floats(inputs.grad), scalar(inputs.max_norm), bench);
  return { skip_step: [Number(control[CONTROL.nonfinite] === 1 && clipped.every((x) => x === 0))] };
};
