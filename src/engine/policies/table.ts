/**
 * The smallest policy over tokens: a table that says, for each token, what follows it. It sees nothing but
 * the last token, so every number in it can be read and worked out by hand.
 */
import type { Kernel } from '../../../kernels/kernel';
import { embedding, embeddingBackward } from '../../../kernels/layer/embedding';
import { sum } from '../../../kernels/reduce/sum';
import type { DeviceBuffer } from '../device/executor';
import { GradientParts } from './linear_layer';
import type { Decoder, RowStrides, SequenceModel, TokenBatch } from './sequence';
import type { Build, SequencePolicy } from './sequence_policies';

export const TABLE: SequencePolicy = {
  id: 'table',
  title: 'Table',
  summary: 'A row of logits for each token: what follows depends on the last token alone.',
  formula: 'π(· | s) = softmax(Θ[last token of s]);  V(s) = v[last token of s]',
  source: 'Sutton and Barto 2018, §13.2: softmax in action preferences, one a state and action',
  parameters: {},
  problems: () => [],
  widest: (_, vocabulary) => ({ inputs: vocabulary, outputs: vocabulary }),
  build: (_, build) => new Table(build),
};

/** A column for each token that may follow, or one for the value. */
interface Rows {
  readonly table: number;
  readonly width: number;
  readonly output: DeviceBuffer;
  readonly gradient: DeviceBuffer;
}

class Table implements SequenceModel {
  readonly layout;
  readonly vocabulary: number;
  readonly context: number;
  readonly heads;
  readonly logits: DeviceBuffer;
  readonly values: DeviceBuffer;
  readonly logitsGradient: DeviceBuffer;
  readonly valuesGradient: DeviceBuffer;

  private readonly parts: GradientParts;
  private readonly tables: readonly Rows[];

  constructor(private readonly build: Build) {
    const { room, heads, pool, layout, prefix, forms } = build;
    this.layout = layout;
    this.heads = heads;
    this.vocabulary = room.vocabulary;
    this.context = room.context;
    const rows = room.sequences * room.length;
    const logits = heads.logits ? rows * this.vocabulary : 1;
    this.logits = pool.f32(`${prefix} logits`, logits);
    this.logitsGradient = pool.f32(`${prefix} logits gradient`, logits);
    this.values = pool.f32(`${prefix} values`, rows);
    this.valuesGradient = pool.f32(`${prefix} values gradient`, rows);

    this.parts = new GradientParts(pool, layout, prefix, forms.parts);
    const rowsOf = (name: string, width: number, output: DeviceBuffer, gradient: DeviceBuffer): Rows => {
      // All begin at 0: every token equally likely.
      return { table: layout.add(`${prefix}.${name}`, [this.vocabulary, width], 0), width, output, gradient };
    };
    this.tables = [
      ...(heads.logits ? [rowsOf('logits', this.vocabulary, this.logits, this.logitsGradient)] : []),
      ...(heads.value ? [rowsOf('value', 1, this.values, this.valuesGradient)] : []),
    ];
    this.parts.close();
  }

  kernels(): Kernel[] {
    return [embedding, embeddingBackward, sum] as unknown as Kernel[];
  }

  strides(_sequences: number, length: number): RowStrides {
    return { sequence: length, position: 1 };
  }

  forward(parameters: DeviceBuffer, { tokens, sequences, length }: TokenBatch): void {
    for (const { table, width, output } of this.tables)
      this.build.pool.executor.run(
        embedding,
        { parameters, tokens, output },
        { sequences, length, sequence_stride: length, position_stride: 1, width, table },
      );
  }

  backward(_parameters: DeviceBuffer, { tokens, sequences, length }: TokenBatch, gradient: DeviceBuffer): void {
    const { parts, vocabulary } = this;
    for (const { table, width, gradient: rowsGradient } of this.tables)
      this.build.pool.executor.run(
        embeddingBackward,
        { gradient: rowsGradient, tokens, partials: parts.buffer },
        {
          sequences,
          length,
          sequence_stride: length,
          position_stride: 1,
          vocabulary,
          width,
          table: table - parts.first,
          parts: parts.count,
          part_sequences: parts.rowsOf(sequences),
          stride: parts.size,
        },
      );
    parts.sumInto(gradient);
  }

  decoder(slots: number, name: string): Decoder {
    const { pool, prefix } = this.build;
    const logits = pool.f32(
      `${prefix} ${name} ${slots} slots logits`,
      slots * (this.heads.logits ? this.vocabulary : 1),
    );
    const values = pool.f32(`${prefix} ${name} ${slots} slots values`, slots);
    const step: Decoder['step'] = (parameters, tokens) => {
      for (const { table, width, output } of this.tables)
        pool.executor.run(
          embedding,
          { parameters, tokens, output: output === this.logits ? logits : values },
          { sequences: slots, length: 1, sequence_stride: 1, position_stride: 1, width, table },
        );
    };
    return { slots, logits, values, step };
  }
}
