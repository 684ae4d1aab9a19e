import { beforeAll, describe, expect, it } from 'vitest';
import { createCpuExecutor } from '../../src/engine/device/cpu';
import type { Executor } from '../../src/engine/device/executor';
import { runOnce, webGpuExecutor } from '../../src/engine/device/testing';
import { Random } from '../random/threefry';
import { type LinearForm, linearBackwardInput, linearBackwardWeight, linearForward } from './linear';

const random = new Random(7, 0, 0, 0);
const normals = (n: number) => Float32Array.from({ length: n }, () => random.normal());
const FORMS: [string, LinearForm, number[][]][] = [
  // [rows, inputs, outputs]: short, not multiples of 4, an overhanging tile, more than one chunk of inputs.
  [
    'plain',
    'plain',
    [
      [0, 4, 3],
      [1, 1, 1],
      [5, 3, 7],
      [63, 4, 64],
      [64, 64, 64],
      [65, 64, 2],
      [33, 2, 64],
      [17, 147, 65],
      [70_000, 2, 64],
    ],
  ],
  [
    '1 row',
    { rows: 1, quads: false, workgroup: 16 },
    [
      [0, 4, 3],
      [5, 3, 7],
      [65, 8, 12],
    ],
  ],
  [
    '4 rows by quads',
    { rows: 4, quads: true, workgroup: 16 },
    [
      [0, 4, 3],
      [1, 1, 1],
      [5, 3, 7],
      [63, 4, 64],
      [64, 64, 64],
      [65, 64, 2],
      [33, 2, 64],
      [17, 147, 65],
      [9, 66, 130],
    ],
  ],
  ['8 rows by quads', { rows: 8, quads: true, workgroup: 16 }, [[65, 16, 20]]],
];

function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>, scale = 1): void {
  expect(actual.length).toBe(expected.length);
  for (let i = 0; i < expected.length; i++)
    if (!(Math.abs(actual[i] - expected[i]) <= 2e-5 * scale + 2e-5 * Math.abs(expected[i])))
      throw new Error(`[${i}] ${actual[i]} instead of ${expected[i]}`);
}

let gpu: Executor;
const cpu = createCpuExecutor('test', 'references');
beforeAll(async () => {
  gpu = await webGpuExecutor();
});

describe.each(FORMS)('linear, %s', (_, form, shapes) => {
  it.each(shapes)('agrees with its reference on %i rows, %i → %i', async (rows, inputs, outputs) => {
    const shape = { inputs, outputs };
    const total = rows + 3;
    const parameters = normals(5 + inputs * outputs + outputs);
    const input = normals(total * inputs);
    const indices = Uint32Array.from({ length: rows + 2 }, () => random.below(total));
    const dz = normals(4 + rows * outputs);
    const made = normals(2 * rows * inputs + 1);
    for (const gather of [0, 1]) {
      const forward = linearForward(shape, 'gelu', form);
      const pre_offset = rows * outputs;
      const fu = {
        rows,
        inputs,
        outputs,
        weight: 5,
        bias: 5 + inputs * outputs,
        input_first: 2,
        gather,
        indices_first: 2,
        output_first: 0,
        pre_offset,
      };
      const buffers = { parameters, input, indices, output: new Float32Array(2 * rows * outputs) };
      expectClose(
        (await runOnce(gpu, forward, buffers, fu)).output,
        (await runOnce(cpu, forward, buffers, fu)).output,
        Math.sqrt(inputs),
      );

      const weight = linearBackwardWeight(shape, form, gather === 1);
      const part_rows = Math.ceil(rows / 3) || 1;
      const stride = parameters.length;
      const wu = {
        rows,
        inputs,
        outputs,
        weight: 5,
        bias: 5 + inputs * outputs,
        gradient_first: 4,
        input_first: 2,
        indices_first: 2,
        parts: 3,
        part_rows,
        stride,
      };
      const wb = { gradient: dz, input, indices, partials: new Float32Array(3 * stride) };
      expectClose(
        (await runOnce(gpu, weight, wb, wu)).partials,
        (await runOnce(cpu, weight, wb, wu)).partials,
        Math.sqrt(rows),
      );
    }
    for (const role of ['alone', 'first', 'last'] as const) {
      const backward = linearBackwardInput(shape, 'gelu', form, role);
      const bu = { rows, inputs, outputs, weight: 5, gradient_first: 4, pre_offset: rows * inputs };
      const bb = { parameters, gradient: dz, made, result: normals(rows * inputs) };
      expectClose(
        (await runOnce(gpu, backward, bb, bu)).result,
        (await runOnce(cpu, backward, bb, bu)).result,
        Math.sqrt(outputs),
      );
    }
  });
});

describe.each(FORMS)('linear on a residual stream, %s', (_, form) => {
  it.each([
    [5, 3, 7],
    [33, 66, 12],
    [65, 128, 8],
    [9, 192, 5],
    [9, 256, 4],
    [5, 200, 4],
  ])('is added without a bias: %i rows, %i → %i', async (rows, inputs, outputs) => {
    const shape = { inputs, outputs };
    const options = { bias: false, accumulate: true };
    const at = { rows, inputs, outputs, weight: 3, bias: 3, input_first: 0, indices_first: 0 };
    const forward = linearForward(shape, 'identity', form, {}, options);
    const output = normals(rows * outputs);
    const fb = {
      parameters: normals(3 + inputs * outputs),
      input: normals(rows * inputs),
      indices: new Uint32Array(1),
      output,
    };
    const fu = { ...at, gather: 0, output_first: 0, pre_offset: 0 };
    const expected = (await runOnce(cpu, forward, fb, fu)).output;
    expectClose((await runOnce(gpu, forward, fb, fu)).output, expected, Math.sqrt(inputs));
    let z = output[0];
    for (let k = 0; k < inputs; k++) z += fb.input[k] * fb.parameters[3 + k];
    expect(expected[0]).toBeCloseTo(z, 4);

    const weight = linearBackwardWeight(shape, form, false, {}, options);
    const stride = 3 + inputs * outputs + 1;
    const wu = { ...at, gradient_first: 0, parts: 2, part_rows: Math.ceil(rows / 2), stride };
    const wb = {
      gradient: normals(rows * outputs),
      input: fb.input,
      indices: fb.indices,
      partials: normals(2 * stride),
    };
    const partials = (await runOnce(gpu, weight, wb, wu)).partials;
    expectClose(partials, (await runOnce(cpu, weight, wb, wu)).partials, Math.sqrt(rows));
    // What is no weight stays.
    for (const i of [0, 1, 2, stride - 1, stride]) expect(partials[i]).toBe(wb.partials[i]);
  });
});

describe('a linear layer with arrays of known length', () => {
  it('computes the same in a result with room for whole workgroups', async () => {
    const [rows, inputs, outputs] = [65, 16, 12];
    const shape = { inputs, outputs };
    // Four rows a tile, sixteen tiles a workgroup: rows 65 … 127 are written past the last.
    const room = 128;
    const parameters = normals(inputs * outputs + outputs);
    const form = { rows: 4, quads: true, workgroup: 16 } as const;
    const known = {
      parameters: parameters.length,
      input: room * inputs,
      gradient: room * outputs,
      made: room * inputs,
    };
    const lengths = (result: number) => ({ ...known, result });
    const fu = {
      rows,
      inputs,
      outputs,
      weight: 0,
      bias: inputs * outputs,
      input_first: 0,
      gather: 0,
      indices_first: 0,
      output_first: 0,
      pre_offset: room * outputs,
    };
    const forward = linearForward(shape, 'gelu', form, lengths(2 * room * outputs));
    const fb = {
      parameters,
      input: normals(room * inputs),
      indices: new Uint32Array(1),
      output: new Float32Array(2 * room * outputs),
    };
    const [actual, expected] = [
      (await runOnce(gpu, forward, fb, fu)).output,
      (await runOnce(cpu, forward, fb, fu)).output,
    ];
    for (const at of [0, room * outputs])
      expectClose(actual.subarray(at, at + rows * outputs), expected.subarray(at, at + rows * outputs), 4);
    const backward = linearBackwardInput(shape, 'tanh', form, 'last', lengths(room * inputs));
    const bu = { rows, inputs, outputs, weight: 0, gradient_first: 0, pre_offset: 0 };
    const bb = {
      parameters,
      gradient: normals(room * outputs),
      made: normals(room * inputs),
      result: normals(room * inputs),
    };
    const [a, e] = [(await runOnce(gpu, backward, bb, bu)).result, (await runOnce(cpu, backward, bb, bu)).result];
    expectClose(a.subarray(0, rows * inputs), e.subarray(0, rows * inputs), 4);
  });
});

describe('a tuned linear layer', () => {
  it('gives the same bits whatever the rows a tile holds and whether quads share', async () => {
    const [rows, inputs, outputs] = [37, 18, 12];
    const u = {
      rows,
      inputs,
      outputs,
      weight: 0,
      bias: inputs * outputs,
      input_first: 0,
      gather: 0,
      indices_first: 0,
      output_first: 0,
      pre_offset: 0,
    };
    const buffers = {
      parameters: normals(inputs * outputs + outputs),
      input: normals(rows * inputs),
      indices: new Uint32Array(1),
      output: new Float32Array(rows * outputs),
    };
    const results = [];
    for (const [, form] of FORMS.slice(1))
      results.push((await runOnce(gpu, linearForward({ inputs, outputs }, 'tanh', form), buffers, u)).output);
    for (const result of results) expect(result).toEqual(results[0]);
  });
});
