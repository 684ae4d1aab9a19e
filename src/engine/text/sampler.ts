/**
 * Writes turns on the device: every slot holds one episode, and one call lets each of them write its next
 * turn, token by token with the model's memory of what it has read, and reads everything back once.
 */
import type { Kernel } from '../../../kernels/kernel';
import { SLOT, SLOT_WORDS } from '../../../kernels/sampling/slots';
import { stopFlags, turnNext, turnSample } from '../../../kernels/sampling/turn';
import type { DeviceBuffer } from '../device/executor';
import type { BufferPool } from '../device/pool';
import type { Decoder, SequenceModel } from '../policies/sequence';
import type { TextEnvironment } from './environment';
import type { Rules } from './rules';

export interface SamplingSettings {
  readonly temperature: number;
  /** 0: all tokens. */
  readonly topK: number;
  /** 1: all tokens. */
  readonly topP: number;
  readonly greedy: boolean;
  readonly turnTokens: number;
}

/** One slot's episode as it stands, ending in what the policy is to answer. */
export interface Ask {
  /** Number of the episode: names its random numbers, whichever slot it sits in. */
  readonly episode: number;
  readonly tokens: readonly number[];
  /** So many of them, the last ones, are the beginning of the turn. */
  readonly begun: number;
  /** Grammar state in which the turn goes on. */
  readonly state: number;
}

export interface Written {
  readonly tokens: readonly number[];
  readonly logProbs: readonly number[];
  readonly states: readonly number[];
}

export const SAMPLER_KERNELS = [turnNext, turnSample] as unknown as Kernel[];

export class TurnSampler {
  private readonly decoder: Decoder;
  private readonly context: number;
  private readonly buffers: Readonly<
    Record<'tokens' | 'slots' | 'states' | 'inputs' | 'positions' | 'running', DeviceBuffer>
  >;
  private readonly logProbs: DeviceBuffer;
  private readonly stops: DeviceBuffer;
  /** Episode in each slot and how many of its tokens the model has read. */
  private readonly held: { episode: number; fed: number }[];

  constructor(
    private readonly pool: BufferPool,
    private readonly model: SequenceModel,
    { vocabulary, stops }: Pick<TextEnvironment, 'vocabulary' | 'stops'>,
    private readonly rules: Rules,
    readonly slots: number,
    /** Stream of random numbers. */
    private readonly stream: number,
  ) {
    this.decoder = model.decoder(slots, `sampler ${stream}`);
    this.context = model.context;
    const u32 = (name: string, length: number) => pool.u32(`sampler ${stream} ${name}`, length);
    this.buffers = {
      tokens: u32('tokens', slots * this.context),
      slots: u32('slots', slots * SLOT_WORDS),
      states: u32('states', slots * this.context),
      inputs: u32('inputs', slots),
      positions: u32('positions', slots),
      running: u32('running', slots),
    };
    this.logProbs = pool.f32(`sampler ${stream} log-probabilities`, slots * this.context);
    this.stops = u32('stops', vocabulary.length);
    pool.executor.upload(this.stops, stopFlags(vocabulary.length, stops));
    this.held = Array.from({ length: slots }, () => ({ episode: -1, fed: 0 }));
  }

  /** The weights have changed: what the model remembers of the episodes is read again. */
  forget(): void {
    for (const slot of this.held) slot.fed = 0;
  }

  /** Lets every slot that asks write a turn; undefined where it did not ask. One readback. */
  async turn(
    parameters: DeviceBuffer,
    asks: readonly (Ask | undefined)[],
    seed: number,
    settings: SamplingSettings,
  ): Promise<(Written | undefined)[]> {
    const { executor } = this.pool;
    const unseen = this.upload(asks);
    if (unseen === 0) return asks.map(() => undefined);
    for (let step = 0; step < unseen - 1 + settings.turnTokens; step++) {
      this.step(parameters, seed, settings);
      await executor.breathe();
    }
    const { slots, tokens, states } = this.buffers;
    const read = await executor.downloadAll([
      { buffer: slots },
      { buffer: tokens, length: this.slots * this.context },
      { buffer: this.logProbs, length: this.slots * this.context },
      { buffer: states, length: this.slots * this.context },
    ]);
    return asks.map((ask, slot) => (ask ? this.written(ask, slot, read) : undefined));
  }

  /** Puts the episodes into their slots; returns the most tokens that a slot has not read. */
  private upload(asks: readonly (Ask | undefined)[]): number {
    const { executor } = this.pool;
    const words = new Uint32Array(this.slots * SLOT_WORDS);
    const tokens = new Uint32Array(this.slots * this.context);
    let unseen = 0;
    for (const [slot, ask] of asks.entries()) {
      if (!ask) continue;
      const held = this.held[slot];
      if (held.episode !== ask.episode) this.held[slot] = { episode: ask.episode, fed: 0 };
      const { fed } = this.held[slot];
      tokens.set(ask.tokens, slot * this.context);
      const word = slot * SLOT_WORDS;
      words[word + SLOT.length] = ask.tokens.length;
      words[word + SLOT.fed] = fed;
      words[word + SLOT.sampling] = 1;
      words[word + SLOT.written] = ask.begun;
      words[word + SLOT.state] = ask.state;
      words[word + SLOT.key] = ask.episode;
      unseen = Math.max(unseen, ask.tokens.length - fed);
    }
    executor.upload(this.buffers.tokens, tokens);
    executor.upload(this.buffers.slots, words);
    return unseen;
  }

  /** One token for every slot: read the next one that is there, or write a new one. */
  private step(parameters: DeviceBuffer, seed: number, settings: SamplingSettings): void {
    const { executor } = this.pool;
    const { slots, tokens, states, inputs, positions, running } = this.buffers;
    executor.run(turnNext, { slots, tokens, inputs, positions, running }, { slots: this.slots, context: this.context });
    this.decoder.step(parameters, inputs, positions, running);
    executor.run(
      turnSample,
      {
        logits: this.decoder.logits,
        grammar: this.rules.table,
        stops: this.stops,
        slots,
        tokens,
        log_probs: this.logProbs,
        states,
      },
      {
        slots: this.slots,
        context: this.context,
        vocabulary: this.model.vocabulary,
        grammar: Number(this.rules.enforced),
        turn_limit: settings.turnTokens,
        seed,
        stream: this.stream,
        temperature: settings.temperature,
        top_k: settings.topK,
        top_p: settings.topP,
        greedy: Number(settings.greedy),
      },
    );
  }

  private written(
    { tokens: before }: Ask,
    slot: number,
    [words, tokens, logProbs, states]: readonly (Float32Array | Uint32Array)[],
  ): Written {
    const length = words[slot * SLOT_WORDS + SLOT.length];
    this.held[slot].fed = words[slot * SLOT_WORDS + SLOT.fed];
    const cut = (array: Float32Array | Uint32Array) =>
      Array.from(array.subarray(slot * this.context + before.length, slot * this.context + length));
    return { tokens: cut(tokens), logProbs: cut(logProbs), states: cut(states) };
  }
}
