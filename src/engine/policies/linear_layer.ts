/**
 * A linear layer of a model over tokens: its place in the layout, its kernels, and the three ways to run
 * them. The weight gradients of all layers of a model meet in one buffer of parts (GradientParts).
 */
import type { Kernel } from '../../../kernels/kernel';
import {
  type LinearForm,
  linearBackwardInput,
  linearBackwardWeight,
  linearForward,
} from '../../../kernels/layer/linear';
import type { Role } from '../../../kernels/layer/linear_tiles';
import { sum } from '../../../kernels/reduce/sum';
import type { DeviceBuffer } from '../device/executor';
import type { BufferPool } from '../device/pool';
import type { Layout } from './layout';
import type { MlpForms } from './mlp';

/** At most this many rows take the form for few rows: the slots of a decoder, and a step of a recurrent policy. */
const FEW_ROWS = 256;

/** Gradients of one model's tensors in parts, laid out like its part of the parameters. */
export class GradientParts {
  readonly first: number;

  /** To be made before the model's first tensor. */
  constructor(
    private readonly pool: BufferPool,
    private readonly layout: Layout,
    private readonly prefix: string,
    readonly count: number,
  ) {
    this.first = layout.size;
  }

  private last = 0;

  /** To be called after the model's last tensor. */
  close(): void {
    this.last = this.layout.size;
  }

  /** Parameters of the model. */
  get size(): number {
    return this.last - this.first;
  }

  /** [count, size]. */
  get buffer(): DeviceBuffer {
    return this.pool.f32(`${this.prefix} gradient parts`, this.count * this.size);
  }

  /** How many of `rows`, or of sequences, are in a part. */
  rowsOf(rows: number): number {
    return Math.max(1, Math.ceil(rows / this.count));
  }

  /** The sum of all parts, into the model's place in `gradient` [parameters]. */
  sumInto(gradient: DeviceBuffer): void {
    const { executor } = this.pool;
    const sums = this.pool.f32(`${this.prefix} gradient`, this.size);
    executor.run(sum, { input: this.buffer, sums }, { rows: this.count, columns: this.size, partials: 1 });
    executor.copy(sums, 0, gradient, this.first, this.size);
  }
}

interface Kernels {
  readonly forward: ReturnType<typeof linearForward>;
  readonly forwardFew: ReturnType<typeof linearForward>;
  readonly backwardInput: ReturnType<typeof linearBackwardInput>;
  readonly backwardInputFew: ReturnType<typeof linearBackwardInput>;
  readonly backwardWeight: ReturnType<typeof linearBackwardWeight>;
}

/** Rows of a buffer. */
export interface RowRange {
  readonly buffer: DeviceBuffer;
  readonly first: number;
  readonly count: number;
}

export class LinearLayer {
  readonly weight: number;
  readonly bias: number;
  private made: Kernels | undefined;

  /** Adds `weight` [outputs, inputs], orthogonal times `gain`, and `bias` [outputs], 0, to the layout. */
  constructor(
    private readonly pool: BufferPool,
    private readonly layout: Layout,
    private readonly parts: GradientParts,
    private readonly forms: MlpForms,
    readonly shape: { readonly inputs: number; readonly outputs: number },
    names: { readonly weight: string; readonly bias: string },
    gain: number,
    /** `last`: the gradient of the input is added to what is there. */
    private readonly role: Role = 'alone',
  ) {
    this.weight = layout.add(names.weight, [shape.outputs, shape.inputs], gain);
    this.bias = layout.add(names.bias, [shape.outputs], 0);
  }

  kernels(): Kernel[] {
    return Object.values(this.own) as unknown as Kernel[];
  }

  /** Made at their first use: only then is it known how long the parameters are. */
  private get own(): Kernels {
    if (this.made) return this.made;
    const { shape, forms, role, parts } = this;
    const lengths = { parameters: this.layout.size };
    const forward = (form: LinearForm) => linearForward(shape, 'identity', form, lengths);
    const backwardInput = (form: LinearForm) => linearBackwardInput(shape, 'identity', form, role, lengths);
    this.made = {
      forward: forward(forms.rows),
      forwardFew: forward(forms.few),
      backwardInput: backwardInput(forms.rows),
      backwardInputFew: backwardInput(forms.few),
      backwardWeight: linearBackwardWeight(shape, forms.weights, false, { result: parts.count * parts.size }),
    };
    return this.made;
  }

  /** `output` [rows, outputs] from row 0 on. */
  forward(parameters: DeviceBuffer, input: RowRange, output: DeviceBuffer): void {
    const { shape, weight, bias, own } = this;
    this.pool.executor.run(
      input.count <= FEW_ROWS ? own.forwardFew : own.forward,
      { parameters, input: input.buffer, indices: this.noIndices(), output },
      {
        rows: input.count,
        ...shape,
        weight,
        bias,
        input_first: input.first,
        gather: 0,
        indices_first: 0,
        output_first: 0,
        pre_offset: 0,
      },
    );
  }

  /** `result` [rows, inputs] from row 0 on, from the gradient of the outputs. */
  backwardInput(parameters: DeviceBuffer, gradient: RowRange, result: DeviceBuffer): void {
    const { shape, weight, own } = this;
    this.pool.executor.run(
      gradient.count <= FEW_ROWS ? own.backwardInputFew : own.backwardInput,
      // Without an activation it does not matter what made the input.
      { parameters, gradient: gradient.buffer, made: this.pool.f32('not read', 1), result },
      { rows: gradient.count, ...shape, weight, gradient_first: gradient.first * shape.outputs, pre_offset: 0 },
    );
  }

  /** Into the parts of the gradient; `gradient` [rows, outputs] from row 0 on. */
  backwardWeight(gradient: DeviceBuffer, input: RowRange): void {
    const { shape, weight, bias, parts, own } = this;
    this.pool.executor.run(
      own.backwardWeight,
      { gradient, input: input.buffer, indices: this.noIndices(), partials: parts.buffer },
      {
        rows: input.count,
        ...shape,
        weight: weight - parts.first,
        bias: bias - parts.first,
        gradient_first: 0,
        input_first: input.first,
        indices_first: 0,
        parts: parts.count,
        part_rows: parts.rowsOf(input.count),
        stride: parts.size,
      },
    );
  }

  private noIndices(): DeviceBuffer {
    return this.pool.u32('no indices', 1);
  }
}
