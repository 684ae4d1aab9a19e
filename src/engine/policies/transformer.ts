/**
 * Decoder transformer over tokens: embedding, blocks of attention and MLP on one residual stream, each behind
 * a norm, and heads. Rows are batch-major, so that a sequence is a run of rows.
 *
 * A whole batch goes through every layer at once. A decoder feeds one new token a sequence through the same
 * kernels and keeps keys and values of the ones before, so both say the same to the last bit.
 */
import type { Kernel } from '../../../kernels/kernel';
import { attentionBackwardKey, attentionBackwardQuery, attentionForward } from '../../../kernels/layer/attention';
import { cacheWrite } from '../../../kernels/layer/cache';
import { embedding, embeddingBackward, embeddingBackwardAdded } from '../../../kernels/layer/embedding';
import type { LinearForm } from '../../../kernels/layer/linear';
import type { NormKind } from '../../../kernels/layer/norm';
import { positionBackward, positionForward } from '../../../kernels/layer/position';
import { rotary, rotaryAngles } from '../../../kernels/layer/rotary';
import { swigluBackward, swigluForward } from '../../../kernels/layer/swiglu';
import { sum } from '../../../kernels/reduce/sum';
import type { DeviceBuffer } from '../device/executor';
import type { Parameters, Problem, Schema } from '../parameters';
import type { Initial } from './layout';
import { GradientParts, type LinearExtras, LinearLayer, ROOM_STEP } from './linear_layer';
import { type Normed, NormLayer } from './norm_layer';
import type { Decoder, RowStrides, SequenceModel, TokenBatch } from './sequence';
import { type Build, COMMON, type SequencePolicy, type SequenceRoom } from './sequence_policies';

const MAX_VOCABULARY = 512;
const MAX_CONTEXT = 1024;

const PARAMETERS = {
  layers: {
    kind: 'number',
    label: 'Layers',
    help: 'Blocks of attention and MLP: how many steps of thought a token gets.',
    default: 2,
    min: 1,
    max: 6,
    integer: true,
  },
  width: {
    kind: 'number',
    label: 'Width',
    help: 'Numbers that stand for a token on its way; the cost grows with the square of it.',
    default: 64,
    min: 16,
    max: 256,
    integer: true,
  },
  heads: {
    kind: 'number',
    label: 'Heads',
    help: 'How many places a token can look at at once in each layer; they share out the width.',
    default: 4,
    min: 1,
    max: 16,
    integer: true,
  },
  mlp: {
    kind: 'number',
    label: 'MLP width',
    help: 'Hidden units of each block’s MLP; 0: four times the width.',
    default: 0,
    min: 0,
    max: 1024,
    integer: true,
  },
  norm: {
    kind: 'choice',
    label: 'Norm',
    help: 'What keeps the numbers of a layer at one size.',
    default: 'layer',
    options: [
      { value: 'layer', label: 'LayerNorm' },
      { value: 'rms', label: 'RMSNorm' },
    ],
  },
  positions: {
    kind: 'choice',
    label: 'Positions',
    help: 'How a token knows where it stands: a learned row for every position, or a rotation by its distance.',
    default: 'learned',
    options: [
      { value: 'learned', label: 'learned' },
      { value: 'rotary', label: 'rotary' },
    ],
  },
  activation: {
    kind: 'choice',
    label: 'Activation',
    help: 'The bend inside each MLP.',
    default: 'gelu',
    options: [
      { value: 'gelu', label: 'GELU (tanh form)' },
      { value: 'swiglu', label: 'SwiGLU', help: 'One half gates the other: half as many weights more.' },
    ],
  },
  tied: {
    kind: 'flag',
    label: 'Tied embedding',
    help: 'Tokens are written with the table that they are read with: fewer weights.',
    default: true,
  },
  ...COMMON,
} as const satisfies Schema;

type Settings = Parameters<typeof PARAMETERS>;

export const TRANSFORMER: SequencePolicy<typeof PARAMETERS> = {
  id: 'transformer',
  title: 'Transformer',
  summary: 'Every token looks at all before it: what was said is never forgotten, and costs more the longer it gets.',
  formula: 'x ← x + Attention(norm(x));  x ← x + MLP(norm(x));  logits = E norm(x)',
  source: 'Vaswani et al. 2017, arXiv:1706.03762; norms first as in GPT-2; RMSNorm, rotary, SwiGLU as in Llama',
  parameters: PARAMETERS,
  problems,
  widest: (settings) => ({ inputs: settings.width, outputs: mlpWidth(settings) }),
  build: (settings, build) => new Transformer(settings, build),
};

function problems(settings: Settings, { vocabulary, context }: SequenceRoom, path: string): Problem[] {
  const { width, heads, positions, critic, critic_width } = settings;
  const found: Problem[] = [];
  const divides = (of: number, key: string) => {
    const dim = of / heads;
    if (!Number.isInteger(dim))
      found.push({ path: `${path}.${key}`, message: `${of} cannot be shared out over ${heads} heads` });
    else if (positions === 'rotary' && dim % 2 !== 0)
      found.push({ path: `${path}.${key}`, message: `leaves a head ${dim} numbers; rotary positions need pairs` });
  };
  divides(width, 'width');
  if (critic === 'separate' && critic_width > 0) divides(critic_width, 'critic_width');
  if (vocabulary > MAX_VOCABULARY)
    found.push({ path, message: `a transformer reads at most ${MAX_VOCABULARY} tokens; the world has ${vocabulary}` });
  if (context > MAX_CONTEXT)
    found.push({ path, message: `a transformer sees at most ${MAX_CONTEXT} tokens; an episode may have ${context}` });
  return found;
}

function mlpWidth({ mlp, width }: Settings): number {
  return mlp || 4 * width;
}

/** GPT-2's deviation of 0.02 at its width of 768, for another width. */
function deviation(width: number): number {
  return 0.02 * Math.sqrt(768 / width);
}

interface Block {
  readonly attentionNorm: NormLayer;
  readonly qkv: LinearLayer;
  readonly projection: LinearLayer;
  readonly mlpNorm: NormLayer;
  readonly up: LinearLayer;
  readonly down: LinearLayer;
}

/** Buffers of the rows of one block. */
interface BlockRows {
  readonly attention: Normed;
  /** [rows, 3W] */
  readonly qkv: DeviceBuffer;
  /** [rows, W] and [rows, heads] */
  readonly attended: DeviceBuffer;
  readonly logSums: DeviceBuffer;
  readonly mlp: Normed;
  /** SwiGLU: [rows, 2M], gates and values. */
  readonly gates: DeviceBuffer;
  /** [rows, M]; GELU: followed by its arguments, where they are kept. */
  readonly hidden: DeviceBuffer;
}

/** Where rows stand: a batch's by their number, a decoder's by `positions`. */
interface Place {
  readonly rows: number;
  readonly length: number;
  readonly stepwise: 0 | 1;
  readonly positions: DeviceBuffer;
}

export class Transformer implements SequenceModel {
  readonly layout;
  readonly vocabulary: number;
  readonly context: number;
  readonly heads;
  readonly logits: DeviceBuffer;
  readonly values: DeviceBuffer;
  readonly logitsGradient: DeviceBuffer;
  readonly valuesGradient: DeviceBuffer;

  private readonly width: number;
  private readonly mlp: number;
  private readonly dim: number;
  private readonly gated: boolean;
  /** Rows of a whole batch, and of room for them. */
  private readonly room: number;
  private readonly parts: GradientParts;
  private readonly table: number;
  private readonly positionTable: number | undefined;
  private readonly blocks: readonly Block[];
  private readonly lastNorm: NormLayer;
  private readonly logitsHead: LinearLayer | undefined;
  private readonly valueHead: LinearLayer | undefined;
  private readonly attention;
  private readonly angles: DeviceBuffer | undefined;
  private readonly decoders = new Set<number>();

  constructor(
    private readonly settings: Settings,
    private readonly build: Build,
  ) {
    const { room, heads, pool, layout, prefix, forms } = build;
    const { width } = settings;
    this.layout = layout;
    this.heads = heads;
    this.vocabulary = room.vocabulary;
    this.context = room.context;
    this.width = width;
    this.mlp = mlpWidth(settings);
    this.dim = width / settings.heads;
    this.gated = settings.activation === 'swiglu';
    this.room = roomOf(room.sequences * room.length);
    this.parts = new GradientParts(pool, layout, prefix, forms.parts);

    const normal = { normal: deviation(width) };
    this.table = layout.add(`${prefix}.wte`, [this.vocabulary, width], normal);
    this.positionTable =
      settings.positions === 'learned' ? layout.add(`${prefix}.wpe`, [this.context, width], normal) : undefined;
    this.blocks = Array.from({ length: settings.layers }, (_, i) => this.block(`${prefix}.h.${i}`, normal));
    this.lastNorm = this.norm(`${prefix}.lnf`);
    const both = heads.logits && heads.value;
    const { vocabulary } = this;
    if (heads.logits)
      this.logitsHead = this.linear(`${prefix}.head.`, width, vocabulary, normal, {
        bias: false,
        ...(settings.tied ? { tied: this.table } : {}),
        first: both,
      });
    if (heads.value) this.valueHead = this.linear(`${prefix}.value.`, width, 1, normal, { last: both });
    this.parts.close();

    const shape = { heads: settings.heads, dim: this.dim };
    const form = halved(forms.rows);
    const qkv = this.room * 3 * width;
    this.attention = {
      forward: attentionForward(shape, form, false, { keys: qkv, output: this.room * width }),
      step: attentionForward(shape, forms.few, true),
      backwardQuery: attentionBackwardQuery(shape, form, { qkv, result: qkv }),
      backwardKey: attentionBackwardKey(shape, form, { qkv, result: qkv }),
    };
    if (settings.positions === 'rotary') {
      this.angles = this.f32('angles', this.context * this.dim);
      pool.executor.upload(this.angles, rotaryAngles(this.context, this.dim));
    }
    const logits = heads.logits ? this.room * vocabulary : 1;
    const values = heads.value ? this.room : 1;
    this.logits = this.f32('logits', logits);
    this.logitsGradient = this.f32('logits gradient', logits);
    this.values = this.f32('values', values);
    this.valuesGradient = this.f32('values gradient', values);
  }

  kernels(): Kernel[] {
    const { blocks, attention, lastNorm, logitsHead, valueHead } = this;
    const rooms = [...this.decoders].map(roomOf).filter((rows) => rows > this.room);
    return [
      ...blocks.flatMap(({ attentionNorm, qkv, projection, mlpNorm, up, down }) => [
        ...[attentionNorm, mlpNorm].flatMap((norm) => norm.kernels()),
        ...[qkv, projection, up, down].flatMap((layer) => layer.kernels(rooms)),
      ]),
      ...lastNorm.kernels(),
      ...[logitsHead, valueHead].flatMap((head) => head?.kernels(rooms) ?? []),
      ...(Object.values(attention) as unknown as Kernel[]),
      ...([embedding, this.tableBackward(), cacheWrite, sum] as unknown as Kernel[]),
      ...((this.angles ? [rotary] : [positionForward, positionBackward]) as unknown as Kernel[]),
      ...((this.gated ? [swigluForward, swigluBackward] : []) as unknown as Kernel[]),
    ];
  }

  strides(_sequences: number, length: number): RowStrides {
    return { sequence: length, position: 1 };
  }

  forward(parameters: DeviceBuffer, { tokens, lengths, sequences, length }: TokenBatch): void {
    const { executor } = this.build.pool;
    const rows = sequences * length;
    const place: Place = { rows, length, stepwise: 0, positions: lengths };
    this.embed(parameters, tokens, this.stream(0), sequences, place);
    for (const [i, block] of this.blocks.entries()) {
      const own = this.rowsOf(i);
      this.attend(parameters, block, own, place, own.qkv, lengths, {
        key_rows: length,
        key_stride: 3 * this.width,
        key_first: this.width,
        value_first: 2 * this.width,
      });
      executor.copy(this.stream(2 * i), 0, this.stream(2 * i + 1), 0, rows * this.width);
      block.projection.forward(parameters, whole(own.attended, rows), this.stream(2 * i + 1));
      executor.copy(this.stream(2 * i + 1), 0, this.stream(2 * i + 2), 0, rows * this.width);
      this.feedForward(parameters, block, own, rows, this.stream(2 * i + 2), true);
    }
    this.headsForward(parameters, this.lastNormed(), rows, this.logits, this.values);
  }

  backward(parameters: DeviceBuffer, { tokens, lengths, sequences, length }: TokenBatch, gradient: DeviceBuffer): void {
    const { executor } = this.build.pool;
    const { width, parts } = this;
    const rows = sequences * length;
    this.headsBackward(parameters, rows);
    for (let i = this.blocks.length - 1; i >= 0; i--) {
      this.feedForwardBackward(parameters, this.blocks[i], this.rowsOf(i), rows);
      this.attendBackward(parameters, this.blocks[i], this.rowsOf(i), lengths, sequences, length);
    }
    const stream = this.streamGradient();
    const place = { sequences, length, width, parts: parts.count, part_sequences: parts.rowsOf(sequences) };
    if (this.positionTable !== undefined)
      executor.run(
        positionBackward,
        { gradient: stream, partials: parts.buffer },
        { ...place, context: this.context, table: this.positionTable - parts.first, stride: parts.size },
      );
    const { sequence: sequence_stride, position: position_stride } = this.strides(sequences, length);
    executor.run(
      this.tableBackward(),
      { gradient: stream, tokens, partials: parts.buffer },
      {
        ...place,
        sequence_stride,
        position_stride,
        vocabulary: this.vocabulary,
        table: this.table - parts.first,
        stride: parts.size,
      },
    );
    parts.sumInto(gradient);
  }

  decoder(slots: number, name: string): Decoder {
    this.decoders.add(slots);
    const buffers = this.slots(slots, name);
    const step: Decoder['step'] = (parameters, tokens, positions, running) =>
      this.step(parameters, slots, buffers, { tokens, positions, running });
    return { slots, logits: buffers.logits, values: buffers.values, step };
  }

  /**
   * Room for a decoder. What its caches hold is never seen again: position 0 begins anew. A step works on the
   * rows of a batch where they are enough, so that it has the same kernels: what is between `forward` and
   * `backward` must not be a step.
   */
  private slots(slots: number, name: string): DecoderRows {
    const own = (what: string, of: number) => this.f32(`${name} ${slots} slots ${what}`, of);
    const rows = Math.max(this.room, roomOf(slots));
    const enough = rows === this.room;
    const stream = enough ? this.stream(0) : own('stream', rows * this.width);
    return {
      stream,
      // Every block uses the same rows: nothing is kept for a gradient.
      block: enough
        ? { ...this.rowsOf(0), mlp: { ...this.rowsOf(0).mlp, input: stream } }
        : this.blockRows(rows, stream, stream, own, false),
      caches: this.blocks.map((_, i) => own(`cache ${i}`, slots * this.context * 2 * this.width)),
      logits: own('logits', this.heads.logits ? rows * this.vocabulary : 1),
      values: own('values', this.heads.value ? rows : 1),
    };
  }

  /** One step of a decoder; what it keeps is in `buffers`. */
  private step(parameters: DeviceBuffer, slots: number, buffers: DecoderRows, fed: Fed): void {
    const { executor } = this.build.pool;
    const { width, context } = this;
    const { stream, block: own, caches } = buffers;
    const { tokens, positions, running } = fed;
    const place: Place = { rows: slots, length: 1, stepwise: 1, positions };
    this.embed(parameters, tokens, stream, slots, place);
    for (const [i, block] of this.blocks.entries()) {
      const cache = caches[i];
      this.attend(
        parameters,
        block,
        own,
        place,
        cache,
        positions,
        { key_rows: context, key_stride: 2 * width, key_first: 0, value_first: width },
        () =>
          executor.run(
            cacheWrite,
            { rows: own.qkv, positions, running, cache },
            { sequences: slots, context, stride: 3 * width, first: width, width: 2 * width },
          ),
      );
      block.projection.forward(parameters, whole(own.attended, slots), stream);
      this.feedForward(parameters, block, own, slots, stream, false);
    }
    this.headsForward(parameters, own.mlp, slots, buffers.logits, buffers.values);
  }

  private block(name: string, normal: Initial & object): Block {
    const { width, mlp, gated } = this;
    // What a block adds to the stream begins smaller the more blocks add to it (GPT-2).
    const added = { normal: normal.normal / Math.sqrt(2 * this.settings.layers) };
    const kept = gated ? 1 : 2;
    return {
      attentionNorm: this.norm(`${name}.ln1`),
      qkv: this.linear(`${name}.attn.in_proj_`, width, 3 * width, normal),
      projection: this.linear(`${name}.attn.out_proj.`, width, width, added, { accumulate: true }),
      mlpNorm: this.norm(`${name}.ln2`),
      up: gated
        ? this.linear(`${name}.mlp.fc1.`, width, 2 * mlp, normal)
        : this.linear(`${name}.mlp.fc1.`, width, mlp, normal, { activation: 'gelu_tanh', kept }),
      down: this.linear(`${name}.mlp.fc2.`, mlp, width, added, {
        accumulate: true,
        ...(gated ? {} : { below: 'gelu_tanh' as const }),
      }),
    };
  }

  private norm(name: string): NormLayer {
    const { pool, layout, forms } = this.build;
    const kind = this.settings.norm as NormKind;
    return new NormLayer(pool.executor, layout, this.parts, kind, this.width, name, forms.rows, this.room);
  }

  /** `kept`: outputs kept a unit, its pre-activation among them. First and last of two heads on one input. */
  private linear(
    name: string,
    inputs: number,
    outputs: number,
    initial: Initial,
    {
      kept = 1,
      first = false,
      last = false,
      ...extras
    }: LinearExtras & { kept?: number; first?: boolean; last?: boolean } = {},
  ): LinearLayer {
    const { pool, layout, forms } = this.build;
    const role = first ? 'first' : last ? 'last' : 'alone';
    const names = { weight: `${name}weight`, bias: `${name}bias` };
    return new LinearLayer(pool, layout, this.parts, forms, { inputs, outputs }, names, initial, role, {
      ...extras,
      lengths: {
        output: this.room * outputs * kept,
        input: this.room * inputs,
        made: extras.below && 2 * this.room * inputs,
      },
    });
  }

  /** Tokens, and learned positions, onto the stream. */
  private embed(parameters: DeviceBuffer, tokens: DeviceBuffer, output: DeviceBuffer, sequences: number, place: Place) {
    const { executor } = this.build.pool;
    const { width, table } = this;
    const { rows, length, stepwise, positions } = place;
    executor.run(
      embedding,
      { parameters, tokens, output },
      { sequences, length, sequence_stride: length, position_stride: 1, width, table },
    );
    if (this.positionTable !== undefined)
      executor.run(
        positionForward,
        { parameters, positions, output },
        { rows, length, stepwise, width, table: this.positionTable },
      );
  }

  /** Norm, queries, keys and values, and what each query reads, up to the projection. */
  private attend(
    parameters: DeviceBuffer,
    block: Block,
    own: BlockRows,
    place: Place,
    keys: DeviceBuffer,
    extents: DeviceBuffer,
    keyPlace: Record<'key_rows' | 'key_stride' | 'key_first' | 'value_first', number>,
    writeCache?: () => void,
  ): void {
    const { executor } = this.build.pool;
    const { rows, length, stepwise } = place;
    const { heads } = this.settings;
    const query_stride = 3 * this.width;
    block.attentionNorm.forward(parameters, rows, own.attention);
    block.qkv.forward(parameters, whole(own.attention.output, rows), own.qkv);
    this.turn(own.qkv, place, 0);
    writeCache?.();
    executor.run(
      stepwise ? this.attention.step : this.attention.forward,
      { queries: own.qkv, keys, extents, output: own.attended, log_sums: own.logSums },
      { rows, length, heads, query_stride, ...keyPlace, scale: this.scale() },
    );
  }

  private attendBackward(
    parameters: DeviceBuffer,
    block: Block,
    own: BlockRows,
    lengths: DeviceBuffer,
    sequences: number,
    length: number,
  ): void {
    const { executor } = this.build.pool;
    const { width, room } = this;
    const { heads } = this.settings;
    const rows = sequences * length;
    const stream = this.streamGradient();
    const [attended, qkv] = [this.f32('attended gradient', room * width), this.f32('qkv gradient', room * 3 * width)];
    block.projection.backwardWeight(stream, whole(own.attended, rows));
    block.projection.backwardInput(parameters, whole(stream, rows), attended);
    const batch = { sequences, length, heads, scale: this.scale() };
    const made = {
      qkv: own.qkv,
      lengths,
      gradient: attended,
      log_sums: own.logSums,
      deltas: this.f32('deltas', room * heads),
      result: qkv,
    };
    executor.run(this.attention.backwardQuery, { ...made, output: own.attended }, batch);
    executor.run(this.attention.backwardKey, made, batch);
    this.turn(qkv, { rows, length, stepwise: 0, positions: lengths }, 1);
    this.intoStream(parameters, block.qkv, block.attentionNorm, own.attention, qkv, rows);
  }

  /** Norm and MLP, added to `stream`. */
  private feedForward(
    parameters: DeviceBuffer,
    block: Block,
    own: BlockRows,
    rows: number,
    stream: DeviceBuffer,
    keep: boolean,
  ): void {
    block.mlpNorm.forward(parameters, rows, own.mlp);
    const input = whole(own.mlp.output, rows);
    if (this.gated) {
      block.up.forward(parameters, input, own.gates);
      this.build.pool.executor.run(swigluForward, { input: own.gates, output: own.hidden }, { rows, width: this.mlp });
    } else block.up.forward(parameters, input, own.hidden, keep ? this.room * this.mlp : 0);
    block.down.forward(parameters, whole(own.hidden, rows), stream);
  }

  private feedForwardBackward(parameters: DeviceBuffer, block: Block, own: BlockRows, rows: number): void {
    const { room, mlp } = this;
    const stream = this.streamGradient();
    const hidden = this.f32('hidden gradient', room * mlp);
    block.down.backwardWeight(stream, whole(own.hidden, rows));
    block.down.backwardInput(parameters, whole(stream, rows), hidden, own.hidden, this.gated ? 0 : room * mlp);
    if (!this.gated) return this.intoStream(parameters, block.up, block.mlpNorm, own.mlp, hidden, rows);
    const gates = this.f32('gates gradient', room * 2 * mlp);
    this.build.pool.executor.run(
      swigluBackward,
      { gradient: hidden, input: own.gates, result: gates },
      { rows, width: mlp },
    );
    this.intoStream(parameters, block.up, block.mlpNorm, own.mlp, gates, rows);
  }

  /** From the gradient of a layer behind a norm, through both, onto the stream's. */
  private intoStream(
    parameters: DeviceBuffer,
    layer: LinearLayer,
    norm: NormLayer,
    normed: Normed,
    gradient: DeviceBuffer,
    rows: number,
  ): void {
    const result = this.normedGradient();
    layer.backwardWeight(gradient, whole(normed.output, rows));
    layer.backwardInput(parameters, whole(gradient, rows), result);
    norm.backward(parameters, rows, normed, result, this.streamGradient(), true);
  }

  private headsForward(
    parameters: DeviceBuffer,
    normed: Normed,
    rows: number,
    logits: DeviceBuffer,
    values: DeviceBuffer,
  ): void {
    this.lastNorm.forward(parameters, rows, normed);
    this.logitsHead?.forward(parameters, whole(normed.output, rows), logits);
    this.valueHead?.forward(parameters, whole(normed.output, rows), values);
  }

  private headsBackward(parameters: DeviceBuffer, rows: number): void {
    const normed = this.lastNormed();
    const result = this.normedGradient();
    const heads = [
      [this.logitsHead, this.logitsGradient],
      [this.valueHead, this.valuesGradient],
    ] as const;
    for (const [head, gradient] of heads) {
      head?.backwardWeight(gradient, whole(normed.output, rows));
      head?.backwardInput(parameters, whole(gradient, rows), result);
    }
    this.lastNorm.backward(parameters, rows, normed, result, this.streamGradient(), false);
  }

  /** Rotary positions: queries and keys are turned in place, and their gradients back. */
  private turn(values: DeviceBuffer, { rows, length, stepwise, positions }: Place, inverse: 0 | 1): void {
    if (!this.angles) return;
    this.build.pool.executor.run(
      rotary,
      { angles: this.angles, positions, values },
      { rows, length, stepwise, stride: 3 * this.width, heads: 2 * this.settings.heads, dim: this.dim, inverse },
    );
  }

  private scale(): number {
    return 1 / Math.sqrt(this.dim);
  }

  /** A head that shares the table has written its part of the gradient already. */
  private tableBackward() {
    return this.logitsHead && this.settings.tied ? embeddingBackwardAdded : embeddingBackward;
  }

  /** The residual stream of a batch: after the embedding, and after each half of each block. */
  private stream(index: number): DeviceBuffer {
    return this.f32(`stream ${index}`, this.room * this.width);
  }

  private streamGradient(): DeviceBuffer {
    return this.f32('stream gradient', this.room * this.width);
  }

  private normedGradient(): DeviceBuffer {
    return this.f32('normed gradient', this.room * this.width);
  }

  private lastNormed(): Normed {
    const own = (name: string, of: number) => this.f32(`last ${name}`, this.room * of);
    return {
      input: this.stream(2 * this.blocks.length),
      output: own('normed', this.width),
      statistics: own('norm', 2),
    };
  }

  private rowsOf(index: number): BlockRows {
    const own = (name: string, of: number) => this.f32(`block ${index} ${name}`, of);
    return this.blockRows(this.room, this.stream(2 * index), this.stream(2 * index + 1), own, true);
  }

  private blockRows(
    rows: number,
    attentionInput: DeviceBuffer,
    mlpInput: DeviceBuffer,
    own: (name: string, length: number) => DeviceBuffer,
    keep: boolean,
  ): BlockRows {
    const { width, mlp, gated } = this;
    const normed = (name: string, input: DeviceBuffer) => ({
      input,
      output: own(`${name} normed`, rows * width),
      statistics: own(`${name} norm`, rows * 2),
    });
    return {
      attention: normed('attention', attentionInput),
      qkv: own('qkv', rows * 3 * width),
      attended: own('attended', rows * width),
      logSums: own('log sums', rows * this.settings.heads),
      mlp: normed('mlp', mlpInput),
      gates: own('gates', gated ? rows * 2 * mlp : 1),
      hidden: own('hidden', rows * mlp * (keep && !gated ? 2 : 1)),
    };
  }

  private f32(name: string, length: number): DeviceBuffer {
    return this.build.pool.f32(`${this.build.prefix} ${name}`, length);
  }
}

function whole(buffer: DeviceBuffer, count: number) {
  return { buffer, first: 0, count };
}

/** Half the rows an invocation, where more is held of each than in a linear layer: as quick, and far less to compile. */
function halved(form: LinearForm): LinearForm {
  return form === 'plain' ? form : { ...form, rows: Math.max(1, form.rows / 2) };
}

function roomOf(rows: number): number {
  return Math.ceil(rows / ROOM_STEP) * ROOM_STEP;
}

interface DecoderRows {
  readonly stream: DeviceBuffer;
  readonly block: BlockRows;
  /** Of each block, [slots, context, 2W]: keys and values. */
  readonly caches: readonly DeviceBuffer[];
  readonly logits: DeviceBuffer;
  readonly values: DeviceBuffer;
}

interface Fed {
  readonly tokens: DeviceBuffer;
  readonly positions: DeviceBuffer;
  readonly running: DeviceBuffer;
}
