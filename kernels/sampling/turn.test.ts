import { describe, expect, it } from 'vitest';
import { executors, runOnce, webGpuExecutor } from '../../src/engine/device/testing';
import { agree, normals } from '../agree';
import { firstDifference } from '../golden/read';
import type { UniformValues } from '../kernel';
import { Random, STREAM } from '../random/threefry';
import { SLOT, SLOT_WORDS } from './slots';
import { tokenLogProb } from './token_log_prob';
import { stopFlags, turnNext, turnSample } from './turn';

const V = 7;
const CONTEXT = 9;
const END = 6;

/** State 0 allows 1, 2 and 3, and 3 leads to state 1, which allows 4, 5 and the end. */
const TABLE = Uint32Array.from([0, 1, 1, 2, 0, 0, 0, 0, 0, 0, 0, 2, 2, 1]);

const SETTINGS = {
  context: CONTEXT,
  vocabulary: V,
  grammar: 1,
  turn_limit: 6,
  seed: 3,
  stream: STREAM.action,
  temperature: 0.7,
  top_k: 0,
  top_p: 1,
  greedy: 0,
};

type SlotValues = Partial<Record<keyof typeof SLOT, number>>;

function packSlots(slots: readonly SlotValues[]): Uint32Array {
  const words = new Uint32Array(slots.length * SLOT_WORDS);
  for (const [i, slot] of slots.entries())
    for (const [name, value] of Object.entries(slot))
      words[i * SLOT_WORDS + SLOT[name as keyof typeof SLOT]] = value as number;
  return words;
}

function word(slots: ArrayLike<number>, slot: number, name: keyof typeof SLOT): number {
  return slots[slot * SLOT_WORDS + SLOT[name]];
}

/** Slots that have just been fed all but their last token and write a turn. */
function writing(count: number, keys: (slot: number) => number = (slot) => slot): SlotValues[] {
  return Array.from({ length: count }, (_, slot) => ({ length: 2, fed: 1, sampling: 1, key: keys(slot) }));
}

function buffersFor(slots: readonly SlotValues[], logits: Float32Array, vocabulary = V, context = CONTEXT) {
  return {
    logits,
    grammar: TABLE,
    stops: stopFlags(vocabulary, [END]),
    slots: packSlots(slots),
    tokens: new Uint32Array(slots.length * context),
    log_probs: new Float32Array(slots.length * context),
    states: new Uint32Array(slots.length * context),
  };
}

/** The tokens drawn, one a slot, from the same logits in every slot, on WebGPU; no grammar. */
async function drawn(logits: readonly number[], settings: UniformValues, count = 1000): Promise<number[]> {
  const row = Float32Array.from(logits);
  const all = new Float32Array(count * row.length);
  for (let i = 0; i < count; i++) all.set(row, i * row.length);
  const uniforms = { ...SETTINGS, slots: count, vocabulary: row.length, grammar: 0, temperature: 1, ...settings };
  const buffers = buffersFor(writing(count), all, Math.max(row.length, V));
  const { tokens } = await runOnce(await webGpuExecutor(), turnSample, buffers, uniforms);
  return Array.from({ length: count }, (_, slot) => tokens[slot * CONTEXT + 2]);
}

const log = (probabilities: readonly number[]) => probabilities.map((p) => Math.log(p));
const kinds = (tokens: readonly number[]) => [...new Set(tokens)].sort();

describe('turnNext', () => {
  it('feeds each slot the first token it has not seen', async () => {
    const slots = packSlots([
      { length: 3, fed: 1 },
      { length: 2, fed: 2, sampling: 1 },
      { length: 1, fed: 0 },
    ]);
    const tokens = Uint32Array.of(5, 6, 7, 0, 1, 2, 0, 0, 3, 0, 0, 0);
    const empty = () => new Uint32Array(3).fill(9);
    const buffers = { slots, tokens, inputs: empty(), positions: empty(), running: empty() };
    const { inputs, positions, running } = await agree(turnNext, buffers, { slots: 3, context: 4 });
    expect([...inputs]).toEqual([6, 0, 3]);
    expect([...positions]).toEqual([1, 0, 0]);
    expect([...running]).toEqual([1, 0, 1]);
  });
});

describe('turnSample', () => {
  it('moves each slot on as far as it may', async () => {
    const turn = { sampling: 1, length: 4, fed: 3, written: 1, key: 5 };
    const slots = [
      turn,
      { ...turn, fed: 2 },
      { ...turn, sampling: 0 },
      { ...turn, fed: 4 },
      { ...turn, written: 5 },
      { ...turn, length: 8, fed: 7 },
      { ...turn, length: 9, fed: 8 },
      { ...turn, state: 1 },
    ];
    // In state 1 the end is all but certain.
    const logits = Float32Array.from({ length: slots.length * V }, (_, i) => (i % V === END ? 50 : 0));
    const written = await agree(turnSample, buffersFor(slots, logits), { ...SETTINGS, slots: slots.length });
    const read = (name: keyof typeof SLOT) => slots.map((_, slot) => word(written.slots, slot, name));
    expect(read('fed')).toEqual([4, 3, 4, 4, 4, 8, 9, 4]);
    expect(read('length')).toEqual([5, 4, 4, 4, 5, 9, 9, 5]);
    expect(read('written')).toEqual([2, 1, 1, 1, 6, 2, 1, 2]);
    // Turn limit, full context twice, stop token.
    expect(read('sampling')).toEqual([1, 1, 0, 1, 0, 0, 0, 0]);
    expect(written.tokens[7 * CONTEXT + 4]).toBe(END);
    expect(written.states[7 * CONTEXT + 4]).toBe(1);
    expect(written.log_probs[7 * CONTEXT + 4]).toBeCloseTo(0, 6);
    expect(word(written.slots, 7, 'state')).toBe(0);
    const untouched = [1, 2, 3, 6].flatMap((slot) => [
      ...written.tokens.subarray(slot * CONTEXT, (slot + 1) * CONTEXT),
    ]);
    expect(untouched.every((token) => token === 0)).toBe(true);
  });

  it.each([
    [1, { top_k: 0, top_p: 1 }],
    [65, { top_k: 2, top_p: 1 }],
    [300, { top_k: 0, top_p: 0.6 }],
    [300, { top_k: 3, top_p: 0.8 }],
    [130, { greedy: 1 }],
    [130, { grammar: 0 }],
  ])('writes the same on both executors, %i slots with %o', async (count, settings) => {
    const uniforms = { ...SETTINGS, slots: count, ...settings };
    const slots = writing(count).map((slot, i) => ({ ...slot, state: i % 2 }));
    const written = await agree(turnSample, buffersFor(slots, normals(count * V, 8, 0, 2)), uniforms);
    if (uniforms.grammar === 0) return;
    for (let i = 0; i < count; i++) expect(TABLE[(i % 2) * V + written.tokens[i * CONTEXT + 2]]).not.toBe(0);
  });

  it('writes whole turns within the grammar, and depends on the episode and not on its neighbours', async () => {
    const one = await turnsOf([17]);
    const many = await turnsOf([4, 17, 99, 5]);
    expect(many[1]).toEqual(one[0]);
    for (const tokens of many) expect(tokens.join('')).toMatch(/^[12]*(3[45]*6?)?$/);
    expect(new Set(many.map(String)).size).toBe(4);
  });

  it('never draws an illegal token, however likely its logit', async () => {
    const count = 500;
    const logits = Float32Array.from({ length: count * V }, (_, i) => (TABLE[i % V] === 0 ? 80 : -80));
    for (const greedy of [0, 1]) {
      const uniforms = { ...SETTINGS, slots: count, greedy };
      const { tokens, log_probs } = await agree(turnSample, buffersFor(writing(count), logits), uniforms);
      for (let i = 0; i < count; i++) expect([1, 2, 3]).toContain(tokens[i * CONTEXT + 2]);
      expect(log_probs[2]).toBeCloseTo(-Math.log(3), 5);
    }
  });

  it('draws in proportion to the probabilities at its temperature', async () => {
    const probabilities = [0.1, 0.2, 0.3, 0.4];
    const draws = await drawn([0, ...log(probabilities).map((l) => l * 2)], { temperature: 2 }, 20_000);
    const chi = probabilities.reduce((sum, p, i) => {
      const seen = draws.filter((token) => token === i + 1).length;
      return sum + (seen - 20_000 * p) ** 2 / (20_000 * p);
    }, 0);
    // Chi-square with 3 degrees of freedom: above 16.3 once in a thousand.
    expect(chi).toBeLessThan(16.3);
  });

  it('top-k and top-p keep the tokens that they should', async () => {
    const logits = [9, ...log([0.5, 0.3, 0.15, 0.05])];
    expect(kinds(await drawn(logits, {}))).toEqual([1, 2, 3, 4]);
    expect(kinds(await drawn(logits, { top_k: 2 }))).toEqual([1, 2]);
    expect(kinds(await drawn(logits, { top_k: 9 }))).toEqual([1, 2, 3, 4]);
    expect(kinds(await drawn(logits, { top_p: 0.4 }))).toEqual([1]);
    expect(kinds(await drawn(logits, { top_p: 0.79 }))).toEqual([1, 2]);
    expect(kinds(await drawn(logits, { top_p: 0.9 }))).toEqual([1, 2, 3]);
    // Of the two kept by top-k the first has 0.625.
    expect(kinds(await drawn(logits, { top_k: 2, top_p: 0.6 }))).toEqual([1]);
    expect(kinds(await drawn(logits, { top_k: 2, top_p: 0.65 }))).toEqual([1, 2]);
    // Equal logits share one fate.
    expect(kinds(await drawn([9, 1, 1, 1, 0], { top_k: 2 }))).toEqual([1, 2, 3]);
    expect(await drawn(logits, { greedy: 1 }, 3)).toEqual([1, 1, 1]);
    expect(await drawn([9, 1, 2, 2, 0], { greedy: 1 }, 1)).toEqual([2]);
  });

  it('renormalises what top-p keeps', async () => {
    const draws = await drawn([9, ...log([0.5, 0.3, 0.15, 0.05])], { top_p: 0.79 }, 20_000);
    const share = draws.filter((token) => token === 1).length / draws.length;
    expect(Math.abs(share - 0.625)).toBeLessThan(4 * Math.sqrt((0.625 * 0.375) / draws.length));
  });

  it('keeps the log-probability that the training pass computes', async () => {
    const count = 200;
    const logits = normals(count * V, 4, 0, 3);
    const slots = writing(count).map((slot, i) => ({ ...slot, state: i % 2 }));
    for (const executor of await executors())
      for (const settings of [{}, { top_k: 2, top_p: 0.7 }, { grammar: 0 }]) {
        const uniforms = { ...SETTINGS, ...settings };
        const rollout = await runOnce(executor, turnSample, buffersFor(slots, logits), { ...uniforms, slots: count });
        const mask = new Float32Array(count * CONTEXT);
        for (let i = 0; i < count; i++) mask[i * CONTEXT + 2] = 1;
        const { log_probs } = await runOnce(
          executor,
          tokenLogProb,
          {
            logits,
            tokens: rollout.tokens,
            grammar_states: rollout.states,
            mask,
            grammar: TABLE,
            log_probs: new Float32Array(count * CONTEXT),
            entropies: new Float32Array(count * CONTEXT),
          },
          // Every position of a sequence has the sequence's one row of logits.
          { ...uniforms, sequences: count, length: CONTEXT, sequence_stride: 1, position_stride: 0, smoothing: 0 },
        );
        expect(firstDifference(log_probs, rollout.log_probs, { rtol: 0, atol: 1e-6 })).toBeUndefined();
      }
  });
});

/** Whole turns of these episodes on WebGPU, from logits that depend on the token fed alone. */
async function turnsOf(keys: readonly number[]): Promise<number[][]> {
  const executor = await webGpuExecutor();
  const count = keys.length;
  const make = (type: 'f32' | 'u32', length: number) => executor.createBuffer('turn', type, length);
  const buffers = buffersFor(
    writing(count, (slot) => keys[slot]),
    new Float32Array(count * V),
  );
  const device = Object.fromEntries(
    Object.entries(buffers).map(([name, data]) => {
      const buffer = make(data instanceof Float32Array ? 'f32' : 'u32', data.length);
      executor.upload(buffer, data);
      return [name, buffer];
    }),
  ) as Record<keyof typeof buffers, ReturnType<typeof make>>;
  const [inputs, positions, running] = [make('u32', count), make('u32', count), make('u32', count)];
  for (let step = 0; step < SETTINGS.turn_limit; step++) {
    executor.run(
      turnNext,
      { slots: device.slots, tokens: device.tokens, inputs, positions, running },
      { slots: count, context: CONTEXT },
    );
    const fed = await executor.download(inputs);
    executor.upload(
      device.logits,
      Float32Array.from({ length: count * V }, (_, i) => new Random(1, 0, fed[Math.floor(i / V)], i % V).normal()),
    );
    executor.run(turnSample, device, { ...SETTINGS, slots: count });
  }
  const [slots, tokens] = await executor.downloadAll([{ buffer: device.slots }, { buffer: device.tokens }]);
  for (const buffer of [...Object.values(device), inputs, positions, running]) executor.destroyBuffer(buffer);
  return keys.map((_, slot) => [...tokens.subarray(slot * CONTEXT + 2, slot * CONTEXT + word(slots, slot, 'length'))]);
}
