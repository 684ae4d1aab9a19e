import { describe, expect, it } from 'vitest';
import { agree, normals } from '../agree';
import { positionBackward, positionForward } from './position';
import { rotary, rotaryAngles } from './rotary';

const positions = Uint32Array.from([4, 0, 2, 6, 1, 5]);

describe('learned positions', () => {
  it.each([0, 1])('are added on both executors, stepwise %i', async (stepwise) => {
    const width = 5;
    const u = { rows: 6, length: 3, stepwise, width, table: 2 };
    const output = normals(6 * width + 1, 2);
    const parameters = normals(2 + 7 * width);
    const added = (await agree(positionForward, { parameters, positions, output }, u)).output;
    const position = stepwise ? 6 : 0;
    expect(added[3 * width]).toBeCloseTo(output[3 * width] + parameters[2 + position * width], 5);
    expect(added[6 * width]).toBe(output[6 * width]);
  });

  it.each([
    [1, 1, 1, 1],
    [5, 3, 4, 2],
    [9, 7, 16, 3],
  ])('have a gradient: %i sequences of %i, context %i, %i parts', async (sequences, length, context, parts) => {
    const width = 6;
    const stride = context * width + 4;
    const u = {
      sequences,
      length,
      context,
      width,
      table: 1,
      parts,
      part_sequences: Math.ceil(sequences / parts),
      stride,
    };
    const buffers = {
      gradient: normals(sequences * length * width),
      partials: new Float32Array(parts * stride).fill(9),
    };
    const { partials } = await agree(positionBackward, buffers, u);
    expect(partials[0]).toBe(9);
  });
});

describe('rotary positions', () => {
  it.each([0, 1])('turn and turn back on both executors, stepwise %i', async (stepwise) => {
    const [heads, dim, stride] = [2, 6, 14];
    const angles = rotaryAngles(7, dim);
    const values = normals(6 * stride);
    const u = { rows: 6, length: 3, stepwise, stride, heads, dim, inverse: 0 };
    const turned = (await agree(rotary, { angles, positions, values }, u)).values;
    // Position 0 stays, as does what is no query or key.
    for (const i of [0, 5, 12, 13]) expect(turned[stepwise * stride + i]).toBe(values[stepwise * stride + i]);
    const back = (await agree(rotary, { angles, positions, values: turned }, { ...u, inverse: 1 })).values;
    for (let i = 0; i < values.length; i++) expect(back[i]).toBeCloseTo(values[i], 5);
  });

  it('make scores depend on the distance alone', async () => {
    const dim = 8;
    const angles = rotaryAngles(20, dim);
    const [q, k] = [normals(dim, 1), normals(dim, 2)];
    const score = async (at: number, from: number) => {
      const values = Float32Array.of(...q, ...k);
      const u = { rows: 2, length: 1, stepwise: 1, stride: dim, heads: 1, dim, inverse: 0 };
      const turned = (await agree(rotary, { angles, positions: Uint32Array.of(at, from), values }, u)).values;
      let sum = 0;
      for (let i = 0; i < dim; i++) sum += turned[i] * turned[dim + i];
      return sum;
    };
    expect(await score(7, 3)).toBeCloseTo(await score(19, 15), 4);
  });
});
