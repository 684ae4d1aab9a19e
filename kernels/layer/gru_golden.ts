/** Golden vectors of the gated recurrent unit: a whole sequence forward, and backward through time. */
import { type Bench, type BenchBuffer, floats, type GoldenAdapter } from '../golden/adapter';
import { type GoldenRecord, numbers, shapeOf } from '../golden/read';
import { sum } from '../reduce/sum';
import { gruGates, gruGatesBackward } from './gru_gates';
import { linearBackwardInput, linearBackwardWeight, linearForward } from './linear';

/** torch_gru, GRUCell. The reference's resets are made here: the policy's sequences begin at the first row only. */
export const torchGru: GoldenAdapter = async ({ inputs }, bench) => {
  if (inputs.cell !== 'gru') return undefined;
  const unrolled = new Unrolled(inputs, bench);
  const hs = await unrolled.forward();
  return { hs, ...(await unrolled.backward(floats(inputs.dhs))) };
};

class Unrolled {
  private readonly steps: number;
  private readonly copies: number;
  private readonly width: number;
  private readonly hidden: number;
  private readonly starts: readonly number[];
  private readonly parameters: Record<'input' | 'recurrent', BenchBuffer>;
  private readonly x: BenchBuffer;
  private readonly indices: BenchBuffer;
  /** States before each step, and after the last. */
  private readonly states: BenchBuffer;
  private readonly gates: BenchBuffer;

  constructor(
    inputs: GoldenRecord,
    private readonly bench: Bench,
  ) {
    [this.steps, this.copies, this.width] = shapeOf(inputs.x) as [number, number, number];
    this.hidden = shapeOf(inputs.h0)[1] as number;
    this.starts = numbers(inputs.starts);
    const join = (weight: keyof typeof inputs, bias: keyof typeof inputs) =>
      bench.buffer(Float32Array.of(...floats(inputs[weight]), ...floats(inputs[bias])));
    this.parameters = { input: join('weight_ih', 'bias_ih'), recurrent: join('weight_hh', 'bias_hh') };
    this.x = bench.buffer(floats(inputs.x));
    this.indices = bench.buffer(Uint32Array.from({ length: this.steps * this.copies }, (_, i) => i));
    const rest = new Float32Array(this.steps * this.copies * this.hidden);
    this.states = bench.buffer(Float32Array.of(...floats(inputs.h0), ...rest));
    this.gates = bench.zeros(4 * rest.length);
  }

  /** The states after each step, before any reset. */
  async forward(): Promise<number[]> {
    const { bench, steps, copies, hidden, indices, states, gates } = this;
    const a = bench.zeros(steps * copies * 3 * hidden);
    this.linear('input', this.x, 0, steps * copies, a);
    const [recurrent, running] = [bench.zeros(copies * 3 * hidden), bench.buffer(Uint32Array.of(1))];
    const hs: number[] = [];
    for (let t = 0; t < steps; t++) {
      const first = t * copies;
      await this.reset(states, first, first);
      this.linear('recurrent', states, first, copies, recurrent);
      // Each row is a token of its own.
      bench.run(
        gruGates,
        { inputs: a, tokens: indices, recurrent, running, states, gates },
        {
          sequences: copies,
          hidden,
          token_first: first,
          token_stride: 1,
          running_stride: 0,
          first,
          after: first + copies,
        },
      );
      hs.push(...(await bench.read(states)).slice((first + copies) * hidden, (first + 2 * copies) * hidden));
    }
    return hs;
  }

  async backward(dhs: Float32Array) {
    const { bench, steps, copies, width, hidden, states, gates } = this;
    const rows = steps * copies;
    const state_gradient = bench.buffer(dhs);
    const carry = bench.zeros(copies * hidden);
    const [input_gradient, recurrent_gradient] = [bench.zeros(rows * 3 * hidden), bench.zeros(rows * 3 * hidden)];
    for (let t = steps - 1; t >= 0; t--) {
      const first = t * copies;
      bench.run(
        gruGatesBackward,
        { gates, states, state_gradient, carry, input_gradient, recurrent_gradient },
        { sequences: copies, hidden, first, last: Number(t === steps - 1) },
      );
      this.linearInput('recurrent', recurrent_gradient, first * 3 * hidden, copies, carry);
      await this.reset(carry, first, 0);
    }
    const grad_x = bench.zeros(rows * width);
    this.linearInput('input', input_gradient, 0, rows, grad_x);
    return {
      grad_x: await bench.read(grad_x),
      grad_h0: await bench.read(carry),
      ...(await this.weights('input', 'ih', input_gradient, this.x)),
      ...(await this.weights('recurrent', 'hh', recurrent_gradient, states)),
    };
  }

  /** Rows at `to` become 0 where the copy of row `first` starts anew. */
  private async reset(buffer: BenchBuffer, first: number, to: number): Promise<void> {
    const data = await this.bench.read(buffer);
    for (let copy = 0; copy < this.copies; copy++)
      if (this.starts[first + copy]) data.fill(0, (to + copy) * this.hidden, (to + copy + 1) * this.hidden);
    this.bench.upload(buffer, data);
  }

  private shape(which: 'input' | 'recurrent') {
    return { inputs: which === 'input' ? this.width : this.hidden, outputs: 3 * this.hidden };
  }

  private linear(
    which: 'input' | 'recurrent',
    input: BenchBuffer,
    input_first: number,
    rows: number,
    output: BenchBuffer,
  ) {
    const shape = this.shape(which);
    this.bench.run(
      linearForward(shape, 'identity', 'plain'),
      { parameters: this.parameters[which], input, indices: this.indices, output },
      {
        rows,
        ...shape,
        weight: 0,
        bias: shape.inputs * shape.outputs,
        input_first,
        gather: 0,
        indices_first: 0,
        output_first: 0,
        pre_offset: 0,
      },
    );
  }

  /** Adds to `result`. */
  private linearInput(
    which: 'input' | 'recurrent',
    gradient: BenchBuffer,
    gradient_first: number,
    rows: number,
    result: BenchBuffer,
  ) {
    const shape = this.shape(which);
    this.bench.run(
      linearBackwardInput(shape, 'identity', 'plain', 'last'),
      { parameters: this.parameters[which], gradient, made: this.x, result },
      { rows, ...shape, weight: 0, gradient_first, pre_offset: 0 },
    );
  }

  private async weights(which: 'input' | 'recurrent', suffix: string, gradient: BenchBuffer, input: BenchBuffer) {
    const shape = this.shape(which);
    const rows = this.steps * this.copies;
    const bias = shape.inputs * shape.outputs;
    const [partials, sums] = [this.bench.zeros(bias + shape.outputs), this.bench.zeros(bias + shape.outputs)];
    this.bench.run(
      linearBackwardWeight(shape, 'plain', false),
      { gradient, input, indices: this.indices, partials },
      {
        rows,
        ...shape,
        weight: 0,
        bias,
        gradient_first: 0,
        input_first: 0,
        indices_first: 0,
        parts: 1,
        part_rows: rows,
        stride: bias + shape.outputs,
      },
    );
    this.bench.run(sum, { input: partials, sums }, { rows: 1, columns: bias + shape.outputs, partials: 1 });
    const both = await this.bench.read(sums);
    return { [`grad_weight_${suffix}`]: both.subarray(0, bias), [`grad_bias_${suffix}`]: both.subarray(bias) };
  }
}
