/** A normalisation of a model over tokens: its place in the layout, its kernels, and the ways to run them. */
import type { Kernel } from '../../../kernels/kernel';
import type { LinearForm } from '../../../kernels/layer/linear';
import { type NormKind, normBackwardInput, normBackwardWeight, normForward } from '../../../kernels/layer/norm';
import type { DeviceBuffer, Executor } from '../device/executor';
import type { Layout } from './layout';
import type { GradientParts } from './linear_layer';

/** As in PyTorch's LayerNorm and Llama's RMSNorm. */
const EPSILON: Readonly<Record<NormKind, number>> = { layer: 1e-5, rms: 1e-6 };

/** What a forward pass leaves for the backward pass. */
export interface Normed {
  /** [rows, width] */
  readonly input: DeviceBuffer;
  readonly output: DeviceBuffer;
  /** [rows, 2] */
  readonly statistics: DeviceBuffer;
}

export class NormLayer {
  private readonly weight: number;
  private readonly bias: number;
  private readonly own;

  /** Adds `name`.weight [width], 1, and `name`.bias [width], 0, to the layout; RMSNorm has no bias. */
  constructor(
    private readonly executor: Executor,
    layout: Layout,
    private readonly parts: GradientParts,
    private readonly kind: NormKind,
    private readonly width: number,
    name: string,
    form: LinearForm,
    /** Rows that the buffers have room for. */
    room: number,
  ) {
    this.weight = layout.add(`${name}.weight`, [width], 1);
    this.bias = kind === 'layer' ? layout.add(`${name}.bias`, [width], 0) : this.weight;
    this.own = {
      forward: normForward(kind, width, form),
      backwardInput: normBackwardInput(kind, width, form, room * width),
      backwardWeight: normBackwardWeight(kind, room * width),
    };
  }

  kernels(): Kernel[] {
    return Object.values(this.own) as unknown as Kernel[];
  }

  forward(parameters: DeviceBuffer, rows: number, { input, output, statistics }: Normed): void {
    const { width, weight, bias } = this;
    this.executor.run(
      this.own.forward,
      { parameters, input, output, statistics },
      { rows, width, weight, bias, epsilon: EPSILON[this.kind] },
    );
  }

  /**
   * From the gradient of the output: that of weight and bias into the parts, and that of the input into
   * `result` [rows, width], added where `accumulate`.
   */
  backward(
    parameters: DeviceBuffer,
    rows: number,
    { input, statistics }: Normed,
    gradient: DeviceBuffer,
    result: DeviceBuffer,
    accumulate: boolean,
  ): void {
    const { executor, width, parts, own } = this;
    executor.run(
      own.backwardWeight,
      { gradient, input, statistics, partials: parts.buffer },
      {
        rows,
        width,
        weight: this.weight - parts.first,
        bias: this.bias - parts.first,
        parts: parts.count,
        part_rows: parts.rowsOf(rows),
        stride: parts.size,
      },
    );
    executor.run(
      own.backwardInput,
      { parameters, gradient, input, statistics, result },
      { rows, width, weight: this.weight, accumulate: Number(accumulate) },
    );
  }
}
