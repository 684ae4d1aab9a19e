/**
 * What every policy over tokens offers, whatever it is made of (transformer, GRU, table): one pass over a
 * whole batch with its gradient, and one step at a time for sampling. Both go through the same kernels in
 * the same order, so that the log-probabilities of the sampler are those of the training pass.
 *
 * A batch is [S, L] tokens, right-padded. The row of sequence s at position t of a policy's outputs is
 * `s · rows.sequence + t · rows.position`; it tells what follows token t.
 */
import type { Kernel } from '../../../kernels/kernel';
import type { DeviceBuffer } from '../device/executor';
import type { Layout } from './layout';

/** A batch of token sequences on the device. */
export interface TokenBatch {
  /** u32 [S, L]; anything legal where a sequence has ended. */
  readonly tokens: DeviceBuffer;
  /** u32 [S]: tokens of each sequence; positions from there on are padding. */
  readonly lengths: DeviceBuffer;
  readonly sequences: number;
  /** L of this batch; at most the model's context. */
  readonly length: number;
}

/** How far apart the output rows of neighbours are. */
export interface RowStrides {
  readonly sequence: number;
  readonly position: number;
}

export interface SequenceModel {
  /** Shared with other models in the same parameter buffer; `begin` fills in initial weights. */
  readonly layout: Layout;
  readonly vocabulary: number;
  /** Longest sequence, in tokens. */
  readonly context: number;
  readonly heads: SequenceHeads;
  kernels(): Kernel[];

  strides(sequences: number, length: number): RowStrides;
  /** Outputs of a whole batch into `logits` [rows, V] and `values` [rows], as far as the model has these heads. */
  forward(parameters: DeviceBuffer, batch: TokenBatch): void;
  /**
   * Gradient of the loss, given with respect to the outputs of the last `forward` in `logitsGradient` and
   * `valuesGradient` (rows as in `forward`; rows of padding hold 0), into this model's part of `gradient`
   * [parameters]. Overwrites that part.
   */
  backward(parameters: DeviceBuffer, batch: TokenBatch, gradient: DeviceBuffer): void;

  /** Room for `slots` sequences that are sampled together. Decoders of one name and size share it. */
  decoder(slots: number, name: string): Decoder;

  /** [S·L, V] and [S·L], of the last `forward`. */
  readonly logits: DeviceBuffer;
  readonly values: DeviceBuffer;
  readonly logitsGradient: DeviceBuffer;
  readonly valuesGradient: DeviceBuffer;
}

export interface SequenceHeads {
  readonly logits: boolean;
  readonly value: boolean;
}

/** Sequences that grow token by token, each at its own position; what they held before is kept on the device. */
export interface Decoder {
  readonly slots: number;
  /** [slots, V] and [slots]: outputs of the last step, by slot. */
  readonly logits: DeviceBuffer;
  readonly values: DeviceBuffer;
  /**
   * Feeds token `tokens[slot]` at position `positions[slot]` (u32 [slots]) where `running[slot]` is not 0; the
   * others keep their state, and their outputs mean nothing. Position 0 begins a sequence.
   */
  step(parameters: DeviceBuffer, tokens: DeviceBuffer, positions: DeviceBuffer, running: DeviceBuffer): void;
}
