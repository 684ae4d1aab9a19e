import { describe, expect, it } from 'vitest';
import { agree, normals } from '../agree';
import { swigluBackward, swigluForward } from './swiglu';

describe('SwiGLU', () => {
  it.each([
    [1, 1],
    [5, 7],
    [33, 24],
  ])('agrees on both executors for %i rows of %i', async (rows, width) => {
    const input = normals(2 * rows * width, 1, 0, 3);
    const tolerance = { rtol: 2e-5, atol: 2e-6 };
    await agree(swigluForward, { input, output: new Float32Array(rows * width + 1) }, { rows, width }, tolerance);
    const gradient = normals(rows * width, 2);
    const result = new Float32Array(2 * rows * width);
    await agree(swigluBackward, { gradient, input, result }, { rows, width }, tolerance);
  });

  it('has the gradient of its output', () => {
    const input = normals(4, 3);
    const at = (x: Float32Array | Float64Array) => {
      const output = new Float64Array(2) as unknown as Float32Array;
      swigluForward.reference({ input: x as Float32Array, output }, { rows: 1, width: 2 });
      return output[0] + 2 * output[1];
    };
    const result = new Float32Array(4);
    const gradient = Float32Array.of(1, 2);
    swigluBackward.reference({ gradient, input, result }, { rows: 1, width: 2 });
    for (let i = 0; i < 4; i++) {
      const [up, down] = [1e-5, -1e-5].map((by) => Float64Array.from(input, (x, k) => (k === i ? x + by : x)));
      expect(result[i]).toBeCloseTo((at(up) - at(down)) / 2e-5, 4);
    }
  });
});
