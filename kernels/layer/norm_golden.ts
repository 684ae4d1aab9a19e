/** Golden vectors of the normalisations. */
import { floats, type GoldenAdapter } from '../golden/adapter';
import { scalar, shapeOf } from '../golden/read';
import { sum } from '../reduce/sum';
import type { LinearForm } from './linear';
import { normBackwardInput, normBackwardWeight, normForward } from './norm';

/** Two parts of any case, so that their sum is tested too. */
const PARTS = 2;

/** torch_norms: y, and the gradients of sum(y·dy). */
export function torchNorms(form: LinearForm): GoldenAdapter {
  return async ({ inputs: given }, bench) => {
    const kind = given.norm === 'layer' ? 'layer' : 'rms';
    const [rows, width] = shapeOf(given.x) as [number, number];
    const place = { weight: 0, bias: width };
    const parameters = bench.buffer(
      Float32Array.of(...floats(given.weight), ...(kind === 'layer' ? floats(given.bias) : new Float32Array(width))),
    );
    const [input, gradient] = [bench.buffer(floats(given.x)), bench.buffer(floats(given.dy))];
    const [output, result, statistics] = [bench.zeros(rows * width), bench.zeros(rows * width), bench.zeros(rows * 2)];
    const [partials, sums] = [bench.zeros(PARTS * 2 * width), bench.zeros(2 * width)];
    bench.run(
      normForward(kind, width, form),
      { parameters, input, output, statistics },
      { rows, width, ...place, epsilon: scalar(given.eps) },
    );
    const made = { gradient, input, statistics };
    bench.run(
      normBackwardInput(kind, width, form),
      { parameters, ...made, result },
      { rows, width, weight: 0, accumulate: 0 },
    );
    const parts = { parts: PARTS, part_rows: Math.ceil(rows / PARTS), stride: 2 * width };
    bench.run(normBackwardWeight(kind), { ...made, partials }, { rows, width, ...place, ...parts });
    bench.run(sum, { input: partials, sums }, { rows: PARTS, columns: 2 * width, partials: 1 });
    const both = await bench.read(sums);
    return {
      y: await bench.read(output),
      grad_x: await bench.read(result),
      grad_weight: both.subarray(0, width),
      ...(kind === 'layer' ? { grad_bias: both.subarray(width) } : {}),
    };
  };
}
