/**
 * For tests: what every policy over tokens must do (sequence.ts), whatever it is made of. Its gradient is
 * that of central differences, and its decoder says what its forward pass says, to the last bit.
 */
import { describe, expect, it } from 'vitest';
import { normals } from '../../../kernels/agree';
import { firstDifference } from '../../../kernels/golden/read';
import { Random } from '../../../kernels/random/threefry';
import type { DeviceBuffer, Executor } from '../device/executor';
import { BufferPool } from '../device/pool';
import { executors } from '../device/testing';
import type { MlpForms } from './mlp';
import type { SequenceModel, TokenBatch } from './sequence';
import { buildPolicy, type SequencePolicy, type SequenceRoom } from './sequence_policies';

const ROOM: SequenceRoom = { vocabulary: 6, context: 7, sequences: 4, length: 7 };
const LENGTHS = [5, 2, 7, 1];
const PLAIN: MlpForms = { rows: 'plain', few: 'plain', weights: 'plain', parts: 3 };

function tuned(executor: Executor): MlpForms {
  const tile = { rows: 4, quads: executor.quads, workgroup: 4 };
  return { rows: { ...tile, rows: 8 }, few: tile, weights: tile, parts: 2 };
}

type Settings = Readonly<Record<string, unknown>>;
type Critic = 'none' | 'shared' | 'separate';

/** A policy with random parameters and a batch of random tokens on one executor. */
class Trial {
  readonly pool: BufferPool;
  readonly actor: SequenceModel;
  readonly critic: SequenceModel | undefined;
  readonly parameters: DeviceBuffer;
  readonly gradient: DeviceBuffer;

  constructor(
    readonly executor: Executor,
    policy: SequencePolicy,
    settings: Settings,
    critic: Critic,
    forms = PLAIN,
  ) {
    this.pool = new BufferPool(executor);
    const build = { room: ROOM, pool: this.pool, forms };
    const built = buildPolicy(policy, { ...settings, critic, critic_width: 0 }, critic !== 'none', build);
    this.actor = built.actor;
    this.critic = built.critic;
    this.parameters = this.upload('parameters', normals(built.layout.size, 1, 0, 0.4));
    this.gradient = this.pool.f32('gradient', built.layout.size);
  }

  upload(name: string, data: Float32Array | Uint32Array): DeviceBuffer {
    const buffer = this.pool.get(name, data instanceof Float32Array ? 'f32' : 'u32', data.length);
    this.executor.upload(buffer, data);
    return buffer;
  }

  /** Sequences of these lengths; what is in the padding depends on `padding`. */
  batch(lengths: readonly number[] = LENGTHS, padding = 0): TokenBatch {
    const length = Math.max(...lengths);
    const tokens = Uint32Array.from({ length: lengths.length * length }, (_, i) => {
      const [s, t] = [Math.floor(i / length), i % length];
      return t < lengths[s] ? tokenAt(s, t) : padding;
    });
    return {
      tokens: this.upload('tokens', tokens),
      lengths: this.upload('lengths', Uint32Array.from(lengths)),
      sequences: lengths.length,
      length,
    };
  }

  /** [rows, V] of the last forward pass, one list a token, by sequence; without padding. */
  async logits(lengths: readonly number[]): Promise<number[][][]> {
    const { sequence, position } = this.actor.strides(lengths.length, Math.max(...lengths));
    const data = [...(await this.executor.download(this.actor.logits))];
    const row = (r: number) => data.slice(r * ROOM.vocabulary, (r + 1) * ROOM.vocabulary);
    return lengths.map((count, s) => Array.from({ length: count }, (_, t) => row(s * sequence + t * position)));
  }

  close(): void {
    this.pool.destroy();
  }
}

function tokenAt(sequence: number, position: number): number {
  return new Random(7, 0, sequence, position).below(ROOM.vocabulary);
}

/** Weights of the outputs in the objective: random, 0 where there is padding. */
function weights(model: SequenceModel, batch: TokenBatch, lengths: readonly number[], width: number, seed: number) {
  const { sequence, position } = model.strides(batch.sequences, batch.length);
  const all = new Float32Array(batch.sequences * batch.length * width);
  for (const [s, length] of lengths.entries())
    for (let t = 0; t < length; t++)
      for (let k = 0; k < width; k++)
        all[(s * sequence + t * position) * width + k] = new Random(seed, s, t, k).normal();
  return all;
}

interface Objective {
  readonly model: SequenceModel;
  readonly logits: Float32Array;
  readonly values: Float32Array;
}

function objectiveOf(model: SequenceModel, batch: TokenBatch): Objective {
  const { vocabulary, heads } = model;
  return {
    model,
    logits: heads.logits ? weights(model, batch, LENGTHS, vocabulary, 1) : new Float32Array(),
    values: heads.value ? weights(model, batch, LENGTHS, 1, 2) : new Float32Array(),
  };
}

async function evaluate(trial: Trial, batch: TokenBatch, { model, logits, values }: Objective): Promise<number> {
  model.forward(trial.parameters, batch);
  const [l, v] = await trial.executor.downloadAll([{ buffer: model.logits }, { buffer: model.values }]);
  const product = (a: Float32Array, b: ArrayLike<number>) => a.reduce((sum, x, i) => sum + x * b[i], 0);
  return product(logits, l) + product(values, v);
}

function differentiate(trial: Trial, batch: TokenBatch, { model, logits, values }: Objective): void {
  model.forward(trial.parameters, batch);
  if (logits.length > 0) trial.executor.upload(model.logitsGradient, logits);
  if (values.length > 0) trial.executor.upload(model.valuesGradient, values);
  model.backward(trial.parameters, batch, trial.gradient);
}

const STEP = 0.03;

/** By five points, so that single precision does. */
async function slope(trial: Trial, batch: TokenBatch, objective: Objective, at: number): Promise<number> {
  const [middle] = await trial.executor.download(trial.parameters, at, 1);
  const moved = async (by: number) => {
    trial.executor.upload(trial.parameters, Float32Array.of(middle + by), at);
    return evaluate(trial, batch, objective);
  };
  const near = (await moved(STEP)) - (await moved(-STEP));
  const far = (await moved(2 * STEP)) - (await moved(-2 * STEP));
  trial.executor.upload(trial.parameters, Float32Array.of(middle), at);
  return (8 * near - far) / (12 * STEP);
}

export function describeSequencePolicy(policy: SequencePolicy, settings: Settings): void {
  const hasOwnCritic = Object.hasOwn(policy.parameters, 'critic');

  describe.each<Critic>(hasOwnCritic ? ['none', 'shared', 'separate'] : ['none', 'shared'])('critic: %s', (critic) => {
    it('has the gradient of central differences', async () => {
      const [cpu] = await executors();
      const trial = new Trial(cpu, policy, settings, critic);
      const batch = trial.batch();
      for (const model of new Set([trial.actor, trial.critic ?? trial.actor])) {
        const objective = objectiveOf(model, batch);
        cpu.upload(trial.gradient, new Float32Array(trial.gradient.length).fill(9));
        differentiate(trial, batch, objective);
        const gradient = await cpu.download(trial.gradient);
        // A model writes its own part of the gradient only.
        const prefix = model === trial.actor ? 'actor.' : 'critic.';
        for (const { name, offset, shape } of model.layout.tensors) {
          const size = shape.reduce((product, n) => product * n, 1);
          for (let i = offset; i < offset + size; i++) {
            const expected = name.startsWith(prefix) ? await slope(trial, batch, objective, i) : 9;
            const found = firstDifference(gradient[i], expected, { rtol: 2e-3, atol: 2e-3 });
            expect(found, `${name}[${i - offset}]`).toBeUndefined();
          }
        }
      }
      trial.close();
    });
  });

  it('differentiates alike on both executors, in every form', async () => {
    const [cpu, gpu] = await executors();
    const found: ArrayLike<number>[] = [];
    for (const [executor, forms] of [
      [cpu, PLAIN],
      [gpu, PLAIN],
      [gpu, tuned(gpu)],
    ] as const) {
      const trial = new Trial(executor, policy, settings, 'shared', forms);
      await executor.prepare(trial.actor.kernels());
      const batch = trial.batch();
      differentiate(trial, batch, objectiveOf(trial.actor, batch));
      found.push(await executor.download(trial.gradient));
      trial.close();
    }
    for (const other of found.slice(1))
      expect(firstDifference(other, found[0], { rtol: 1e-4, atol: 2e-5 })).toBeUndefined();
  });

  it('does not see padding, other sequences, or what came later', async () => {
    for (const executor of await executors()) {
      const trial = new Trial(executor, policy, settings, 'shared', executor.kind === 'cpu' ? PLAIN : tuned(executor));
      trial.actor.forward(trial.parameters, trial.batch());
      const all = await trial.logits(LENGTHS);
      trial.actor.forward(trial.parameters, trial.batch(LENGTHS, 3));
      expect(await trial.logits(LENGTHS)).toEqual(all);
      // Fewer and shorter, then more: nothing of another batch is left.
      trial.actor.forward(trial.parameters, trial.batch([3, 2]));
      expect(await trial.logits([3, 2])).toEqual([all[0].slice(0, 3), all[1].slice(0, 2)]);
      trial.actor.forward(trial.parameters, trial.batch());
      expect(await trial.logits(LENGTHS)).toEqual(all);
      trial.close();
    }
  });

  it('decodes what the forward pass says, each slot at its own pace', async () => {
    for (const executor of await executors())
      for (const forms of executor.kind === 'cpu' ? [PLAIN] : [PLAIN, tuned(executor)]) {
        const trial = new Trial(executor, policy, settings, 'shared', forms);
        trial.actor.forward(trial.parameters, trial.batch());
        const expected = await trial.logits(LENGTHS);
        const values = await executor.download(trial.actor.values);
        const { sequence, position } = trial.actor.strides(LENGTHS.length, Math.max(...LENGTHS));
        const decoder = trial.actor.decoder(3, 'trial');
        let checked = 0;
        for (const fed of schedule()) {
          const words = (name: string, value: (slot: Fed) => number) =>
            trial.upload(
              name,
              Uint32Array.from(fed, (slot) => (slot ? value(slot) : 0)),
            );
          decoder.step(
            trial.parameters,
            words('inputs', (slot) => tokenAt(slot.sequence, slot.position)),
            words('positions', (slot) => slot.position),
            words('running', () => 1),
          );
          const [logits, own] = await executor.downloadAll([{ buffer: decoder.logits }, { buffer: decoder.values }]);
          for (const [i, slot] of fed.entries()) {
            if (!slot) continue;
            const row = [...logits.slice(i * ROOM.vocabulary, (i + 1) * ROOM.vocabulary)];
            expect(row, `sequence ${slot.sequence} at ${slot.position}`).toEqual(
              expected[slot.sequence][slot.position],
            );
            expect(own[i]).toBe(values[slot.sequence * sequence + slot.position * position]);
            checked += 1;
          }
        }
        expect(checked).toBe(LENGTHS.reduce((sum, length) => sum + length, 0));
        trial.close();
      }
  });
}

interface Fed {
  readonly sequence: number;
  readonly position: number;
}

/** Three slots: one waits every other step, and in one a sequence follows another. */
function schedule(): (Fed | undefined)[][] {
  const queues: Fed[][] = [[1, 3], [0], [2]].map((sequences) =>
    sequences.flatMap((sequence) =>
      Array.from({ length: LENGTHS[sequence] }, (_, position) => ({ sequence, position })),
    ),
  );
  const steps: (Fed | undefined)[][] = [];
  for (let step = 0; queues.some((queue) => queue.length > 0); step++)
    steps.push(queues.map((queue, slot) => (slot === 1 && step % 2 === 0 ? undefined : queue.shift())));
  return steps;
}
