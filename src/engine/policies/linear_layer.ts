/**
 * A linear layer of a model over tokens: its place in the layout, its kernels, and the three ways to run
 * them. The weight gradients of all layers of a model meet in one buffer of parts (GradientParts).
 */
import type { Kernel } from '../../../kernels/kernel';
import type { ActivationName } from '../../../kernels/layer/activation';
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
import type { Initial, Layout } from './layout';
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

type Forward = ReturnType<typeof linearForward>;

interface Kernels {
  readonly backwardInput: ReturnType<typeof linearBackwardInput>;
  readonly backwardInputFew?: ReturnType<typeof linearBackwardInput>;
  readonly backwardWeight: ReturnType<typeof linearBackwardWeight>;
}

/** What not every layer has. */
export interface LinearExtras {
  /** Of its own output. */
  readonly activation?: ActivationName;
  /** What made its input; the gradient of the input is taken through it. */
  readonly below?: ActivationName;
  /** Default true. */
  readonly bias?: boolean;
  /** The output is added to what is there: a residual stream. */
  readonly accumulate?: boolean;
  /** Offset of a table [outputs, inputs] of the same model whose weights it shares. */
  readonly tied?: number;
  /**
   * Lengths of the buffers of a whole batch: its outputs, its inputs (and their gradient), and what the
   * derivative of the activation below looks at. They and the outputs of a decoder must then have room for whole workgroups (ROOM_STEP rows), and stores are cheaper.
   * Such a layer always takes the form for many rows: one kernel less to compile.
   */
  readonly lengths?: { readonly output: number; readonly input: number; readonly made?: number | undefined };
}

/** Rows of any form’s workgroup divide this. */
export const ROOM_STEP = 64;

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
  private readonly forwards = new Map<string, Forward>();

  /** Adds `weight` [outputs, inputs], begun as `initial` says, and `bias` [outputs], 0, to the layout. */
  constructor(
    private readonly pool: BufferPool,
    private readonly layout: Layout,
    private readonly parts: GradientParts,
    private readonly forms: MlpForms,
    readonly shape: { readonly inputs: number; readonly outputs: number },
    names: { readonly weight: string; readonly bias: string },
    initial: Initial,
    /** `last`: the gradient of the input is added to what is there. */
    private readonly role: Role = 'alone',
    private readonly extras: LinearExtras = {},
  ) {
    this.weight = extras.tied ?? layout.add(names.weight, [shape.outputs, shape.inputs], initial);
    this.bias = extras.bias === false ? this.weight : layout.add(names.bias, [shape.outputs], 0);
  }

  /** `rooms`: rows that decoders have room for. */
  kernels(rooms: readonly number[] = []): Kernel[] {
    const { lengths } = this.extras;
    const own: Kernel[] = Object.values(this.own) as unknown as Kernel[];
    if (lengths)
      for (const length of [lengths.output, ...rooms.map((rows) => rows * this.shape.outputs)])
        this.forwardOf(false, length);
    else for (const few of [false, true]) this.forwardOf(few);
    return [...(this.forwards.values() as unknown as Iterable<Kernel>), ...own];
  }

  /** Made at their first use: only then is it known how long the parameters are. */
  private get own(): Kernels {
    if (this.made) return this.made;
    const { shape, forms, role, parts, extras } = this;
    const { below = 'identity' } = extras;
    const { lengths: known } = extras;
    const input = known?.input;
    const gradient = input && (input / shape.inputs) * shape.outputs;
    const lengths = { parameters: this.layout.size, gradient, made: known?.made, result: input };
    const backwardInput = (form: LinearForm) => linearBackwardInput(shape, below, form, role, lengths);
    const inParts = { input, gradient, partials: parts.count * parts.size };
    this.made = {
      backwardInput: backwardInput(forms.rows),
      ...(known ? {} : { backwardInputFew: backwardInput(forms.few) }),
      backwardWeight: linearBackwardWeight(shape, forms.weights, false, inParts, extras),
    };
    return this.made;
  }

  private forwardOf(few: boolean, result?: number): Forward {
    const key = `${few} ${result}`;
    const known = this.forwards.get(key);
    if (known) return known;
    const { shape, forms, extras } = this;
    // A decoder with more rows than a batch has as many inputs as outputs.
    const input =
      result === extras.lengths?.output ? extras.lengths?.input : result && (result / shape.outputs) * shape.inputs;
    const lengths = { parameters: this.layout.size, input, result };
    const form = few ? forms.few : forms.rows;
    const made = linearForward(shape, extras.activation ?? 'identity', form, lengths, extras);
    this.forwards.set(key, made);
    return made;
  }

  /** `output` [rows, outputs] from row 0 on; the pre-activations from `pre_offset` on, unless it is 0. */
  forward(parameters: DeviceBuffer, input: RowRange, output: DeviceBuffer, pre_offset = 0): void {
    const { shape, weight, bias, extras } = this;
    this.pool.executor.run(
      extras.lengths ? this.forwardOf(false, output.length) : this.forwardOf(input.count <= FEW_ROWS),
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
        pre_offset,
      },
    );
  }

  /**
   * `result` [rows, inputs] from row 0 on, from the gradient of the outputs. With an activation below, `made`
   * is what it put out, and its inputs from `pre_offset` on.
   */
  backwardInput(
    parameters: DeviceBuffer,
    gradient: RowRange,
    result: DeviceBuffer,
    made = this.pool.f32('not read', 1),
    pre_offset = 0,
  ): void {
    const { shape, weight, own } = this;
    this.pool.executor.run(
      (gradient.count <= FEW_ROWS && own.backwardInputFew) || own.backwardInput,
      { parameters, gradient: gradient.buffer, made, result },
      { rows: gradient.count, ...shape, weight, gradient_first: gradient.first * shape.outputs, pre_offset },
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
