/**
 * From a batch of episodes to a step of the weights: what the policy says of each token now, the loss stage's
 * derivatives, back through the model, and the optimiser.
 */
import type { Kernel } from '../../../kernels/kernel';
import { TOKEN_STATISTICS_SIZE, tokenStatistics } from '../../../kernels/loss/token_statistics';
import { gatherSequences } from '../../../kernels/sampling/gather_sequences';
import { tokenLogProb, tokenLogProbBackward } from '../../../kernels/sampling/token_log_prob';
import { tokenValues, tokenValuesBackward } from '../../../kernels/sampling/token_values';
import type { DeviceBuffer } from '../device/executor';
import type { BufferPool } from '../device/pool';
import type { SequenceModel, TokenBatch } from '../policies/sequence';
import type { ActorCritic, SequenceRoom } from '../policies/sequence_policies';
import type { BatchOnDevice } from './batch';
import type { Rules } from './rules';

/** Some sequences of a batch, and what the policy says of them. All [S, L] unless said otherwise. */
export interface Part extends TokenBatch {
  readonly states: DeviceBuffer;
  readonly mask: DeviceBuffer;
  readonly logProbs: DeviceBuffer;
  readonly entropies: DeviceBuffer;
  readonly values: DeviceBuffer;
  /** f32 [S] */
  readonly truncated: DeviceBuffer;
  readonly finalValues: DeviceBuffer;
  readonly logProbGradient: DeviceBuffer;
  readonly entropyGradient: DeviceBuffer;
  readonly valueGradient: DeviceBuffer;
  /** f32 [S, 16], of kernels/loss/token_statistics.ts */
  readonly statistics: DeviceBuffer;
}

export const LEARNER_KERNELS = [
  tokenLogProb,
  tokenLogProbBackward,
  tokenValues,
  tokenValuesBackward,
  gatherSequences.f32,
  gatherSequences.u32,
  tokenStatistics,
] as unknown as Kernel[];

export class Learner {
  constructor(
    private readonly pool: BufferPool,
    private readonly models: ActorCritic,
    private readonly room: SequenceRoom,
    private readonly rules: Rules,
  ) {}

  /** Sequences indices[first] … indices[first + count − 1] of a batch, gathered together. */
  part(batch: BatchOnDevice, indices: DeviceBuffer, first: number, count: number): Part {
    const { length } = batch;
    const own = (name: string) => this.pool.f32(`part ${name}`, this.room.sequences * this.room.length);
    return {
      sequences: count,
      length,
      tokens: this.gather('tokens', 'u32', batch.tokens, length, indices, first, count),
      lengths: this.gather('lengths', 'u32', batch.lengths, 1, indices, first, count),
      states: this.gather('states', 'u32', batch.states, length, indices, first, count),
      mask: this.gather('mask', 'f32', batch.mask, length, indices, first, count),
      truncated: this.gather('truncated', 'f32', batch.truncated, 1, indices, first, count),
      logProbs: own('log-probabilities'),
      entropies: own('entropies'),
      values: own('values'),
      finalValues: this.pool.f32('part final values', this.room.sequences),
      logProbGradient: own('log-probability gradient'),
      entropyGradient: own('entropy gradient'),
      valueGradient: own('value gradient'),
      statistics: this.pool.f32('part statistics', this.room.sequences * TOKEN_STATISTICS_SIZE),
    };
  }

  /** All sequences of a batch that the models have room for. */
  whole(batch: BatchOnDevice): Part {
    return this.part(batch, this.inOrder(batch), 0, batch.sequences);
  }

  /** Rows of an array of the batch, [S, width], into a buffer of the part's own. */
  gather(
    name: string,
    type: 'f32' | 'u32',
    input: DeviceBuffer,
    width: number,
    indices: DeviceBuffer,
    first: number,
    count: number,
  ): DeviceBuffer {
    const output = this.pool.get(`part ${name}`, type, this.room.sequences * (width === 1 ? 1 : this.room.length));
    const uniforms = { sequences: count, length: width, first };
    this.pool.executor.run(gatherSequences[type], { input, indices, output }, uniforms);
    return output;
  }

  /**
   * What the policy says of a part's tokens: log-probabilities and entropies, and values where there is a critic.
   * `smoothing`: of labels; the log-probabilities are then those of a target that leaves other tokens a share.
   */
  forward(parameters: DeviceBuffer, part: Part, temperature: number, smoothing = 0): void {
    const { actor, critic } = this.models;
    actor.forward(parameters, part);
    const { tokens, states: grammar_states, mask, logProbs: log_probs, entropies } = part;
    this.pool.executor.run(
      tokenLogProb,
      { logits: actor.logits, tokens, grammar_states, mask, grammar: this.rules.table, log_probs, entropies },
      this.uniforms(actor, part, temperature, smoothing),
    );
    if (!critic) return;
    if (critic !== actor) critic.forward(parameters, part);
    this.pool.executor.run(
      tokenValues,
      {
        rows: critic.values,
        lengths: part.lengths,
        truncated: part.truncated,
        values: part.values,
        final_values: part.finalValues,
      },
      this.strides(critic, part),
    );
  }

  /** From the derivatives in a part's gradients to the gradient of all weights; `smoothing` as in `forward`. */
  backward(parameters: DeviceBuffer, part: Part, temperature: number, gradient: DeviceBuffer, smoothing = 0): void {
    const { actor, critic } = this.models;
    const { tokens, states: grammar_states, mask, logProbGradient, entropyGradient } = part;
    this.pool.executor.run(
      tokenLogProbBackward,
      {
        logits: actor.logits,
        tokens,
        grammar_states,
        mask,
        grammar: this.rules.table,
        log_prob_gradient: logProbGradient,
        entropy_gradient: entropyGradient,
        logits_gradient: actor.logitsGradient,
      },
      this.uniforms(actor, part, temperature, smoothing),
    );
    if (critic)
      this.pool.executor.run(
        tokenValuesBackward,
        { values_gradient: part.valueGradient, rows_gradient: critic.valuesGradient },
        this.strides(critic, part),
      );
    actor.backward(parameters, part, gradient);
    if (critic && critic !== actor) critic.backward(parameters, part, gradient);
  }

  /** A part's statistics into row `row` of `into` [rows, 16]. */
  account({ statistics, sequences }: Part, into: DeviceBuffer, row: number): void {
    this.pool.executor.run(tokenStatistics, { statistics, statistics_out: into }, { sequences, row });
  }

  /** Calls `each` for the whole batch in parts that the models have room for. */
  async inParts(batch: BatchOnDevice, each: (part: Part, first: number) => void): Promise<void> {
    const order = this.inOrder(batch);
    for (let first = 0; first < batch.sequences; first += this.room.sequences) {
      const count = Math.min(this.room.sequences, batch.sequences - first);
      each(this.part(batch, order, first, count), first);
      await this.pool.executor.breathe();
    }
  }

  private inOrder({ sequences }: BatchOnDevice): DeviceBuffer {
    const order = this.pool.u32('in order', sequences);
    this.pool.executor.upload(
      order,
      Uint32Array.from({ length: sequences }, (_, i) => i),
    );
    return order;
  }

  private strides(model: SequenceModel, { sequences, length }: TokenBatch) {
    const strides = model.strides(sequences, length);
    return { sequences, length, sequence_stride: strides.sequence, position_stride: strides.position };
  }

  private uniforms(model: SequenceModel, part: TokenBatch, temperature: number, smoothing: number) {
    const { vocabulary } = model;
    return { ...this.strides(model, part), vocabulary, temperature, grammar: Number(this.rules.enforced), smoothing };
  }
}
