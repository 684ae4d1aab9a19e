/** Golden vectors of the linear layer, in each of its forms. */
import { floats, type GoldenAdapter } from '../golden/adapter';
import { shapeOf } from '../golden/read';
import { sum } from '../reduce/sum';
import { type LinearForm, linearBackwardInput, linearBackwardWeight, linearForward } from './linear';

/** Rows of a part of the weight gradient: few, so that small vectors have several parts too. */
const PART_ROWS = 4;

/** torch_linear_embedding, linear: y = x Wᵀ + b and the gradients of sum(y·dy). */
export function torchLinear(form: LinearForm): GoldenAdapter {
  return async ({ inputs: given }, bench) => {
    const [rows, inputs] = shapeOf(given.x) as [number, number];
    const outputs = shapeOf(given.weight)[0] as number;
    const shape = { inputs, outputs };
    const place = { weight: 0, bias: outputs * inputs };
    const size = place.bias + outputs;
    const parts = Math.ceil(rows / PART_ROWS);

    const parameters = bench.buffer(Float32Array.of(...floats(given.weight), ...floats(given.bias)));
    const input = bench.buffer(floats(given.x));
    const gradient = bench.buffer(floats(given.dy));
    const indices = bench.zeros(1, 'u32');
    const output = bench.zeros(rows * outputs);
    const result = bench.zeros(rows * inputs);
    const partials = bench.zeros(parts * size);
    const sums = bench.zeros(size);
    const from = { rows, ...shape, input_first: 0, gather: 0, indices_first: 0 };
    bench.run(
      linearForward(shape, 'identity', form),
      { parameters, input, indices, output },
      { ...from, ...place, output_first: 0, pre_offset: 0 },
    );
    bench.run(
      linearBackwardInput(shape, 'identity', form),
      { parameters, gradient, made: input, result },
      { rows, ...shape, weight: place.weight, gradient_first: 0, pre_offset: 0 },
    );
    bench.run(
      linearBackwardWeight(shape, form, false),
      { gradient, input, indices, partials },
      { ...from, ...place, gradient_first: 0, parts, part_rows: PART_ROWS, stride: size },
    );
    bench.run(sum, { input: partials, sums }, { rows: parts, columns: size, partials: 1 });

    const parameterGradient = await bench.read(sums);
    return {
      y: await bench.read(output),
      grad_x: await bench.read(result),
      grad_weight: parameterGradient.subarray(0, place.bias),
      grad_bias: parameterGradient.subarray(place.bias),
    };
  };
}
