/**
 * The self-test at start: kernels whose answer is known run on the adapter and are compared with their
 * references. Drivers do get arithmetic wrong; an adapter that fails is not used.
 */
import type { Kernel, TypedArray } from '../../../kernels/kernel';
import { type LinearForm, linearForward } from '../../../kernels/layer/linear';
import { randomBits, randomNormal } from '../../../kernels/random/fill';
import { sum } from '../../../kernels/reduce/sum';
import { createCpuExecutor } from './cpu';
import type { Executor } from './executor';

interface Check {
  readonly kernel: Kernel;
  readonly buffers: Readonly<Record<string, TypedArray>>;
  readonly uniforms: Readonly<Record<string, number>>;
  /** Name of the buffer to compare. */
  readonly output: string;
  readonly tolerance: number;
}

const wave = (length: number, frequency: number) => Float32Array.from({ length }, (_, i) => Math.sin(i * frequency));

function linearCheck(form: LinearForm, inputs: number): Check {
  const [rows, outputs] = [37, 6];
  return {
    kernel: linearForward({ inputs, outputs }, 'tanh', form) as unknown as Kernel,
    buffers: {
      parameters: wave(inputs * outputs + outputs, 0.7),
      input: wave(rows * inputs, 1.3),
      indices: new Uint32Array(1),
      output: new Float32Array(rows * outputs),
    },
    uniforms: {
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
    },
    output: 'output',
    tolerance: 1e-5,
  };
}

function checks(quads: boolean): Check[] {
  const tile = { rows: 4, quads, workgroup: 16 };
  return [
    {
      kernel: randomBits as unknown as Kernel,
      buffers: { output: new Uint32Array(130) },
      uniforms: { count: 130, seed: 7, stream: 3, step: 9 },
      output: 'output',
      tolerance: 0,
    },
    {
      kernel: randomNormal as unknown as Kernel,
      buffers: { output: new Float32Array(130) },
      uniforms: { count: 130, seed: 7, stream: 3, step: 9 },
      output: 'output',
      tolerance: 1e-4,
    },
    {
      kernel: sum as unknown as Kernel,
      buffers: { input: wave(1000, 0.37), sums: new Float32Array(4) },
      uniforms: { rows: 250, columns: 4, partials: 1 },
      output: 'sums',
      tolerance: 1e-3,
    },
    linearCheck('plain', 10),
    // Quads hand round by broadcasts where inputs are no multiple of 16, else by swaps.
    linearCheck(tile, 10),
    linearCheck(tile, 16),
  ];
}

/** Undefined when the adapter computes rightly, else which kernel and by how much it is off. */
export async function selfTest(executor: Executor): Promise<string | undefined> {
  const reference = createCpuExecutor('self-test', 'references');
  for (const check of checks(executor.quads)) {
    const [actual, expected] = [await output(executor, check), await output(reference, check)];
    const off = expected.findIndex((value, i) => !(Math.abs(actual[i] - value) <= check.tolerance));
    if (off >= 0) return `${check.kernel.name} gave ${actual[off]} instead of ${expected[off]}`;
  }
  return undefined;
}

async function output(executor: Executor, { kernel, buffers, uniforms, output: name }: Check): Promise<TypedArray> {
  const made = Object.entries(buffers).map(([label, data]) => {
    const buffer = executor.createBuffer(label, data instanceof Float32Array ? 'f32' : 'u32', data.length);
    executor.upload(buffer, data);
    return [label, buffer] as const;
  });
  await executor.prepare([kernel]);
  executor.run(kernel, Object.fromEntries(made), uniforms);
  const data = await executor.download(Object.fromEntries(made)[name]);
  for (const [, buffer] of made) executor.destroyBuffer(buffer);
  return data;
}
