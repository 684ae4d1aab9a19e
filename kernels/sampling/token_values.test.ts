import { describe, expect, it } from 'vitest';
import { agree, normals } from '../agree';
import { gatherSequences } from './gather_sequences';
import { tokenValues, tokenValuesBackward } from './token_values';

const exact = { rtol: 0, atol: 0 };

describe('values of tokens', () => {
  it('are those of the state before each token', async () => {
    const rows = Float32Array.of(1, 2, 3, 4, 5, 6);
    const outputs = () => ({ values: new Float32Array(6).fill(9), final_values: new Float32Array(2).fill(9) });
    const lengths = Uint32Array.of(3, 2);
    const truncated = Float32Array.of(1, 1);
    const shape = { sequences: 2, length: 3 };
    const batchMajor = { ...shape, sequence_stride: 3, position_stride: 1 };
    const bySequence = await agree(tokenValues, { rows, lengths, truncated, ...outputs() }, batchMajor, exact);
    expect([...bySequence.values]).toEqual([0, 1, 2, 0, 4, 0]);
    expect([...bySequence.final_values]).toEqual([3, 5]);
    const timeMajor = { ...shape, sequence_stride: 1, position_stride: 2 };
    const ended = { rows, lengths, truncated: Float32Array.of(1, 0), ...outputs() };
    const byPosition = await agree(tokenValues, ended, timeMajor, exact);
    expect([...byPosition.values]).toEqual([0, 1, 3, 0, 2, 0]);
    expect([...byPosition.final_values]).toEqual([5, 0]);

    const values_gradient = Float32Array.of(0, 1, 2, 0, 3, 0);
    const rows_gradient = new Float32Array(6).fill(9);
    const back = await agree(tokenValuesBackward, { values_gradient, rows_gradient }, timeMajor, exact);
    expect([...back.rows_gradient]).toEqual([1, 3, 2, 0, 0, 0]);
  });

  it('of an empty sequence are 0', async () => {
    const outputs = { values: normals(5), final_values: normals(1) };
    const given = { rows: normals(5), lengths: new Uint32Array(1), truncated: Float32Array.of(1), ...outputs };
    const shape = { sequences: 1, length: 5, sequence_stride: 5, position_stride: 1 };
    const { values, final_values } = await agree(tokenValues, given, shape, exact);
    expect([...values, ...final_values]).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it.each([
    [1, 1],
    [65, 3],
    [7, 40],
  ])('agree on both executors for %i × %i', async (sequences, length) => {
    const count = sequences * length;
    const shape = { sequences, length, sequence_stride: 1, position_stride: sequences };
    const lengths = Uint32Array.from({ length: sequences }, (_, s) => s % (length + 1));
    const outputs = { values: new Float32Array(count), final_values: new Float32Array(sequences) };
    const truncated = Float32Array.from({ length: sequences }, (_, s) => s % 2);
    await agree(tokenValues, { rows: normals(count), lengths, truncated, ...outputs }, shape, exact);
    const gradients = { values_gradient: normals(count), rows_gradient: new Float32Array(count) };
    await agree(tokenValuesBackward, gradients, shape, exact);
  });
});

describe('gathered sequences', () => {
  it('are the rows that the indices name', async () => {
    const input = Float32Array.from({ length: 80 }, (_, i) => i);
    const indices = Uint32Array.of(9, 3, 0, 39, 3);
    const shape = { sequences: 3, length: 2, first: 1 };
    const floats = await agree(gatherSequences.f32, { input, indices, output: new Float32Array(7) }, shape, exact);
    expect([...floats.output]).toEqual([6, 7, 0, 1, 78, 79, 0]);
    const words = { input: Uint32Array.from(input), indices, output: new Uint32Array(6) };
    expect([...(await agree(gatherSequences.u32, words, shape, exact)).output]).toEqual([6, 7, 0, 1, 78, 79]);
  });
});
