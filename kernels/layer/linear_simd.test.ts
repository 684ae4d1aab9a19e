/** The SIMD forms against the references, on random shapes; and that neither rows nor orientation change a bit. */
import { expect, it } from 'vitest';
import { normals } from '../agree';
import { firstDifference } from '../golden/read';
import type { Kernel, TypedArray, UniformValues } from '../kernel';
import { Random } from '../random/threefry';
import { createSimd, type Simd } from '../simd/machine';
import type { ActivationName } from './activation';
import { linearBackwardInput, linearBackwardWeight, linearForward } from './linear';
import type { Role } from './linear_tiles';

const simd = createSimd() as Simd;

// [rows, inputs, outputs]: none, one, around whole tiles and chunks, upright and turned.
const SHAPES = [
  [0, 4, 3],
  [1, 1, 1],
  [1, 64, 64],
  [5, 3, 7],
  [7, 66, 9],
  [63, 4, 64],
  [64, 64, 64],
  [65, 64, 2],
  [129, 8, 130],
  [300, 5, 63],
  [4, 147, 65],
];

/** What both forms write, from the same buffers. */
function bothForms(kernel: Kernel, written: string, buffers: Record<string, TypedArray>, uniforms: UniformValues) {
  const run = (form: 'simd' | 'reference') => {
    const own = { ...buffers, [written]: buffers[written].slice() };
    if (form === 'simd') kernel.simd?.(simd, own, uniforms);
    else kernel.reference(own, uniforms);
    return own[written];
  };
  return { actual: run('simd'), expected: run('reference') };
}

function expectAgreement(
  kernel: Kernel,
  written: string,
  buffers: Record<string, TypedArray>,
  uniforms: UniformValues,
  terms: number,
): void {
  expect(kernel.simd).toBeDefined();
  const { actual, expected } = bothForms(kernel, written, buffers, uniforms);
  const tolerance = { rtol: 2e-5, atol: 4e-6 * Math.sqrt(terms + 1) };
  expect(firstDifference(actual, expected, tolerance), kernel.name).toBeUndefined();
}

const CASES = SHAPES.flatMap((shape) => [0, 1].map((gather) => [...shape, gather]));

it.each(CASES)('forward: %i rows, %i → %i, gathered %i', (rows, inputs, outputs, gather) => {
  const random = new Random(5, rows, inputs, outputs);
  const indices = Uint32Array.from({ length: rows + 2 }, () => random.below(rows + 3));
  for (const activation of ['identity', 'tanh', 'gelu_tanh', 'elu'] as ActivationName[])
    for (const options of [{}, { bias: false }, { accumulate: true }, { bias: false, accumulate: true }]) {
      const kernel = linearForward({ inputs, outputs }, activation, 'plain', {}, options) as unknown as Kernel;
      const buffers = {
        parameters: normals(7 + inputs * outputs + outputs, 1, 0, 0.3),
        input: normals((rows + 3) * inputs, 2),
        indices,
        output: normals(2 * (rows + 5) * outputs, 3),
      };
      const uniforms = {
        ...{ rows, inputs, outputs, weight: 5, bias: 6 + inputs * outputs },
        ...{ input_first: 2, gather, indices_first: 1, output_first: 3 },
        pre_offset: activation === 'gelu_tanh' ? (rows + 5) * outputs : 0,
      };
      expectAgreement(kernel, 'output', buffers, uniforms, inputs);
    }
});

it.each(SHAPES)('backward input: %i rows, %i → %i', (rows, inputs, outputs) => {
  for (const activation of ['identity', 'tanh', 'gelu_tanh', 'elu'] as ActivationName[])
    for (const role of ['alone', 'first', 'last'] as Role[]) {
      const kernel = linearBackwardInput({ inputs, outputs }, activation, 'plain', role) as unknown as Kernel;
      const buffers = {
        parameters: normals(5 + inputs * outputs, 1, 0, 0.3),
        gradient: normals(4 + rows * outputs, 2),
        made: normals(2 * rows * inputs, 3, 0, 0.5),
        result: normals(rows * inputs + 2, 4),
      };
      const pre_offset = activation === 'gelu_tanh' ? rows * inputs : 0;
      const uniforms = { rows, inputs, outputs, weight: 5, gradient_first: 4, pre_offset };
      expectAgreement(kernel, 'result', buffers, uniforms, outputs);
    }
});

it.each(CASES)('backward weight: %i rows, %i → %i, gathered %i', (rows, inputs, outputs, gather) => {
  const random = new Random(6, rows, inputs, outputs);
  for (const bias of [true, false])
    for (const parts of [1, 3]) {
      const kernel = linearBackwardWeight({ inputs, outputs }, 'plain', gather === 1, {}, { bias });
      const stride = 6 + inputs * outputs + outputs;
      const buffers = {
        gradient: normals(4 + rows * outputs, 1),
        input: normals((rows + 3) * inputs, 2),
        indices: Uint32Array.from({ length: rows + 2 }, () => random.below(rows + 3)),
        partials: normals(parts * stride, 3),
      };
      const uniforms = {
        ...{ rows, inputs, outputs, weight: 3, bias: 4 + inputs * outputs },
        ...{ gradient_first: 4, input_first: 2, indices_first: 2, parts, part_rows: Math.ceil(rows / parts), stride },
      };
      expectAgreement(kernel as unknown as Kernel, 'partials', buffers, uniforms, rows);
    }
});

it('gives a row the same bits alone, with few others and with many, so that decoding equals training', () => {
  const [inputs, outputs] = [66, 65];
  const kernel = linearForward({ inputs, outputs }, 'gelu_tanh', 'plain') as unknown as Kernel;
  const parameters = normals(inputs * outputs + outputs, 1, 0, 0.3);
  const input = normals(300 * inputs, 2);
  const outputOf = (rows: number, input_first: number) => {
    const buffers = { parameters, input, indices: new Uint32Array(1), output: new Float32Array(300 * outputs) };
    const places = { weight: 0, bias: inputs * outputs, indices_first: 0, output_first: input_first, pre_offset: 0 };
    return bothForms(kernel, 'output', buffers, { rows, inputs, outputs, input_first, gather: 0, ...places }).actual;
  };
  const whole = outputOf(300, 0);
  for (const [rows, first] of [
    [1, 0],
    [1, 299],
    [3, 130],
    [64, 100],
    [129, 171],
  ])
    expect(outputOf(rows, first).subarray(first * outputs, (first + rows) * outputs)).toEqual(
      whole.subarray(first * outputs, (first + rows) * outputs),
    );
});

it('does not depend on what was left in memory', () => {
  const [rows, inputs, outputs] = [7, 5, 3];
  const kernel = linearBackwardWeight({ inputs, outputs }, 'plain', false) as unknown as Kernel;
  const stride = inputs * outputs + outputs;
  const partials = new Float32Array(stride);
  const buffers = { gradient: normals(rows * outputs), input: normals(rows * inputs, 2), indices: new Uint32Array(1) };
  const uniforms = {
    ...{ rows, inputs, outputs, weight: 0, bias: inputs * outputs, gradient_first: 0, input_first: 0 },
    ...{ indices_first: 0, parts: 1, part_rows: rows, stride },
  };
  const results = [0, Number.NaN, 1e30].map((left) => {
    simd.arrays(100_000)[0].fill(left);
    return bothForms(kernel, 'partials', { ...buffers, partials }, uniforms).actual;
  });
  expect(results[0].some((value) => value !== 0)).toBe(true);
  for (const result of results) expect(result).toEqual(results[0]);
});
