/**
 * Gated recurrent unit over tokens: what an episode was so far is kept in H numbers. Embedding → GRU → heads.
 *
 * Rows are time-major, so that a step of all sequences is a run of rows. What the embedding adds to the
 * gates depends on the token alone: it is computed once for every token of the vocabulary and looked up.
 */
import type { Kernel } from '../../../kernels/kernel';
import { embeddingBackward } from '../../../kernels/layer/embedding';
import { gruBegin, gruGates, gruGatesBackward } from '../../../kernels/layer/gru_gates';
import { sum } from '../../../kernels/reduce/sum';
import type { DeviceBuffer } from '../device/executor';
import type { Parameters, Schema } from '../parameters';
import { GradientParts, LinearLayer } from './linear_layer';
import type { Decoder, RowStrides, SequenceModel, TokenBatch } from './sequence';
import { type Build, COMMON, type SequencePolicy } from './sequence_policies';

const PARAMETERS = {
  width: {
    kind: 'number',
    label: 'Hidden units',
    help: 'How much it can remember; a step costs three times the square of it.',
    default: 96,
    min: 16,
    max: 256,
    integer: true,
  },
  embedding: {
    kind: 'number',
    label: 'Embedding width',
    help: 'Numbers that stand for a token.',
    default: 32,
    min: 8,
    max: 128,
    integer: true,
  },
  ...COMMON,
} as const satisfies Schema;

export const GRU: SequencePolicy<typeof PARAMETERS> = {
  id: 'gru',
  title: 'GRU',
  summary: 'A recurrent memory, updated token by token: long episodes cost no more a token than short ones.',
  formula: 'r, z = σ(W x + U h + b);  n = tanh(W x + b + r ⊙ (U h + b′));  h′ = (1 - z) ⊙ n + z ⊙ h',
  source: 'Cho et al. 2014, arXiv:1406.1078, in the form of PyTorch’s GRU',
  parameters: PARAMETERS,
  problems: () => [],
  widest: ({ width }) => ({ inputs: width, outputs: 3 * width }),
  build: ({ width, embedding }: Parameters<typeof PARAMETERS>, build) => new Gru(width, embedding, build),
};

/** Reset, update and candidate; the backward pass keeps one number more a unit. */
const GATES = 3;
const KEPT = 4;
/** The columns of all three gates together are orthonormal; so each gate's have a length of about 1. */
const GATE_GAIN = Math.sqrt(GATES);
const LOGITS_GAIN = 0.01;
const VALUE_GAIN = 1;

class Gru implements SequenceModel {
  readonly layout;
  readonly vocabulary: number;
  readonly context: number;
  readonly heads;
  readonly logits: DeviceBuffer;
  readonly values: DeviceBuffer;
  readonly logitsGradient: DeviceBuffer;
  readonly valuesGradient: DeviceBuffer;

  private readonly parts: GradientParts;
  private readonly embedding: number;
  private readonly input: LinearLayer;
  private readonly recurrent: LinearLayer;
  private readonly logitsHead: LinearLayer | undefined;
  private readonly valueHead: LinearLayer | undefined;
  /** One flag for every sequence of a whole batch. */
  private readonly always: DeviceBuffer;
  /** Sequences of the last forward pass; their first states are known to be 0. */
  private begun = 0;

  constructor(
    readonly hidden: number,
    private readonly width: number,
    private readonly build: Build,
  ) {
    const { room, heads, pool, layout, prefix, forms } = build;
    this.layout = layout;
    this.heads = heads;
    this.vocabulary = room.vocabulary;
    this.context = room.context;
    this.parts = new GradientParts(pool, layout, prefix, forms.parts);
    // Numbers of about unit size: the matrix's few orthonormal vectors share out over its longer side.
    const gain = Math.sqrt(Math.max(this.vocabulary, width));
    this.embedding = layout.add(`${prefix}.embedding.weight`, [this.vocabulary, width], gain);
    const gates = (inputs: number, kind: string) =>
      new LinearLayer(
        pool,
        layout,
        this.parts,
        forms,
        { inputs, outputs: GATES * hidden },
        { weight: `${prefix}.gru.weight_${kind}`, bias: `${prefix}.gru.bias_${kind}` },
        GATE_GAIN,
        kind === 'hh' ? 'last' : 'alone',
      );
    this.input = gates(width, 'ih');
    this.recurrent = gates(hidden, 'hh');
    const both = heads.logits && heads.value;
    const head = (name: string, outputs: number, gainOf: number, role: 'first' | 'last') =>
      new LinearLayer(
        pool,
        layout,
        this.parts,
        forms,
        { inputs: hidden, outputs },
        { weight: `${prefix}.${name}.weight`, bias: `${prefix}.${name}.bias` },
        gainOf,
        both ? role : 'alone',
      );
    this.logitsHead = heads.logits ? head('logits', this.vocabulary, LOGITS_GAIN, 'first') : undefined;
    this.valueHead = heads.value ? head('value', 1, VALUE_GAIN, 'last') : undefined;
    this.parts.close();
    this.always = pool.u32('always', 1);
    pool.executor.upload(this.always, Uint32Array.of(1));

    const rows = room.sequences * room.length;
    const logits = heads.logits ? rows * this.vocabulary : 1;
    const values = heads.value ? rows : 1;
    this.logits = this.f32('logits', logits);
    this.logitsGradient = this.f32('logits gradient', logits);
    this.values = this.f32('values', values);
    this.valuesGradient = this.f32('values gradient', values);
  }

  kernels(): Kernel[] {
    const layers = [this.input, this.recurrent, this.logitsHead, this.valueHead].filter((layer) => layer !== undefined);
    const others = [gruGates, gruGatesBackward, gruBegin, embeddingBackward, sum] as unknown as Kernel[];
    return [...layers.flatMap((layer) => layer.kernels()), ...others];
  }

  strides(sequences: number): RowStrides {
    return { sequence: 1, position: sequences };
  }

  forward(parameters: DeviceBuffer, { tokens, sequences, length }: TokenBatch): void {
    const { executor } = this.build.pool;
    const [states, recurrent, gates] = [this.states(), this.recurrentPart(), this.gates()];
    if (sequences !== this.begun) executor.upload(states, new Float32Array(sequences * this.hidden));
    this.begun = sequences;
    const inputs = this.inputGates(parameters);
    for (let t = 0; t < length; t++) {
      const first = t * sequences;
      this.recurrent.forward(parameters, { buffer: states, first, count: sequences }, recurrent);
      executor.run(
        gruGates,
        { inputs, tokens, recurrent, running: this.always, states, gates },
        {
          sequences,
          hidden: this.hidden,
          token_first: t,
          token_stride: length,
          running_stride: 0,
          first,
          after: first + sequences,
        },
      );
    }
    const after = { buffer: states, first: sequences, count: sequences * length };
    this.logitsHead?.forward(parameters, after, this.logits);
    this.valueHead?.forward(parameters, after, this.values);
  }

  backward(parameters: DeviceBuffer, batch: TokenBatch, gradient: DeviceBuffer): void {
    const { sequences, length } = batch;
    const { executor } = this.build.pool;
    const rows = sequences * length;
    const states = this.states();
    const stateGradient = this.headsBackward(parameters, sequences, rows);
    const [inputGradient, recurrentGradient] = [this.gateGradient('input'), this.gateGradient('recurrent')];
    const carry = this.f32('carry', this.build.room.sequences * this.hidden);
    for (let t = length - 1; t >= 0; t--) {
      const first = t * sequences;
      executor.run(
        gruGatesBackward,
        {
          gates: this.gates(),
          states,
          state_gradient: stateGradient,
          carry,
          input_gradient: inputGradient,
          recurrent_gradient: recurrentGradient,
        },
        { sequences, hidden: this.hidden, first, last: Number(t === length - 1) },
      );
      if (t > 0)
        this.recurrent.backwardInput(parameters, { buffer: recurrentGradient, first, count: sequences }, carry);
    }
    this.recurrent.backwardWeight(recurrentGradient, { buffer: states, first: 0, count: rows });
    const embedding = this.inputBackward(parameters, batch, inputGradient);
    this.parts.sumInto(gradient);
    executor.copy(embedding, 0, gradient, this.embedding, this.vocabulary * this.width);
  }

  decoder(slots: number, name: string): Decoder {
    const buffers = this.slots(slots, name);
    const step: Decoder['step'] = (parameters, tokens, positions, running) =>
      this.step(parameters, slots, buffers, { tokens, positions, running });
    return { slots, logits: buffers.logits, values: buffers.values, step };
  }

  /** One step of a decoder; what it keeps is in `buffers`. */
  private step(
    parameters: DeviceBuffer,
    slots: number,
    buffers: GruSlots,
    fed: { readonly tokens: DeviceBuffer; readonly positions: DeviceBuffer; readonly running: DeviceBuffer },
  ): void {
    const { hidden } = this;
    const { executor } = this.build.pool;
    const { states, recurrent, gates, logits, values } = buffers;
    const { tokens, positions, running } = fed;
    const rows = { buffer: states, first: 0, count: slots };
    executor.run(gruBegin, { positions, running, states }, { sequences: slots, hidden });
    this.recurrent.forward(parameters, rows, recurrent);
    executor.run(
      gruGates,
      { inputs: this.inputGates(parameters), tokens, recurrent, running, states, gates },
      { sequences: slots, hidden, token_first: 0, token_stride: 1, running_stride: 1, first: 0, after: 0 },
    );
    this.logitsHead?.forward(parameters, rows, logits);
    this.valueHead?.forward(parameters, rows, values);
  }

  /** Room for a decoder; its states need not be cleared, since position 0 begins anew. */
  private slots(slots: number, name: string): GruSlots {
    const own = (what: string, width: number) => this.f32(`${name} ${slots} slots ${what}`, slots * width);
    return {
      states: own('states', this.hidden),
      recurrent: own('recurrent', GATES * this.hidden),
      gates: own('gates', KEPT * this.hidden),
      logits: own('logits', this.heads.logits ? this.vocabulary : 1),
      values: own('values', 1),
    };
  }

  /** What each token adds to the gates, [V, 3H]. */
  private inputGates(parameters: DeviceBuffer): DeviceBuffer {
    const gates = this.f32('input gates', this.vocabulary * GATES * this.hidden);
    const { buffer, first, count } = this.embeddings();
    this.build.pool.executor.copy(parameters, this.embedding, buffer, 0, count * this.width);
    this.input.forward(parameters, { buffer, first, count }, gates);
    return gates;
  }

  private embeddings() {
    const buffer = this.f32('embeddings', this.vocabulary * this.width);
    return { buffer, first: 0, count: this.vocabulary };
  }

  /** Gradient of the states from the heads, [rows, H]. */
  private headsBackward(parameters: DeviceBuffer, sequences: number, rows: number): DeviceBuffer {
    const { room } = this.build;
    const result = this.f32('state gradient', room.sequences * room.length * this.hidden);
    const after = { buffer: this.states(), first: sequences, count: rows };
    const heads = [
      [this.logitsHead, this.logitsGradient],
      [this.valueHead, this.valuesGradient],
    ] as const;
    for (const [head, buffer] of heads) {
      head?.backwardInput(parameters, { buffer, first: 0, count: rows }, result);
      head?.backwardWeight(buffer, after);
    }
    return result;
  }

  /** From the gates' gradients, summed by token, to the input weights' and the embedding's, which is returned. */
  private inputBackward(parameters: DeviceBuffer, batch: TokenBatch, gateGradient: DeviceBuffer): DeviceBuffer {
    const { tokens, sequences, length } = batch;
    const { executor } = this.build.pool;
    const { count: parts } = this.parts;
    const { vocabulary } = this;
    const width = GATES * this.hidden;
    const size = vocabulary * width;
    const partials = this.f32('input gates gradient parts', parts * size);
    const sums = this.f32('input gates gradient', size);
    const { sequence: sequence_stride, position: position_stride } = this.strides(sequences);
    executor.run(
      embeddingBackward,
      { gradient: gateGradient, tokens, partials },
      {
        sequences,
        length,
        sequence_stride,
        position_stride,
        vocabulary,
        width,
        table: 0,
        parts,
        part_sequences: this.parts.rowsOf(sequences),
        stride: size,
      },
    );
    executor.run(sum, { input: partials, sums }, { rows: parts, columns: size, partials: 1 });
    this.input.backwardWeight(sums, this.embeddings());
    const result = this.f32('embeddings gradient', vocabulary * this.width);
    this.input.backwardInput(parameters, { buffer: sums, first: 0, count: vocabulary }, result);
    return result;
  }

  /** States before each step and after the last, [L + 1, S, H]. */
  private states(): DeviceBuffer {
    const { sequences, length } = this.build.room;
    return this.f32('states', sequences * (length + 1) * this.hidden);
  }

  private gates(): DeviceBuffer {
    const { sequences, length } = this.build.room;
    return this.f32('gates', sequences * length * KEPT * this.hidden);
  }

  private recurrentPart(): DeviceBuffer {
    return this.f32('recurrent', this.build.room.sequences * GATES * this.hidden);
  }

  private gateGradient(which: 'input' | 'recurrent'): DeviceBuffer {
    const { sequences, length } = this.build.room;
    return this.f32(`${which} gradient`, sequences * length * GATES * this.hidden);
  }

  private f32(name: string, length: number): DeviceBuffer {
    return this.build.pool.f32(`${this.build.prefix} ${name}`, length);
  }
}

interface GruSlots {
  readonly states: DeviceBuffer;
  readonly recurrent: DeviceBuffer;
  readonly gates: DeviceBuffer;
  readonly logits: DeviceBuffer;
  readonly values: DeviceBuffer;
}
