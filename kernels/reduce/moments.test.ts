import { describe, expect, it } from 'vitest';
import { agree, normals } from '../agree';
import { deviationIsZero } from './chan';
import { moments, momentsPartials } from './moments';
import { PARTIALS } from './sum';

async function columnMoments(input: Float32Array, rows: number, columns: number) {
  const first = await agree(
    momentsPartials,
    { input, partials: new Float32Array(PARTIALS * columns * 3) },
    { rows, columns, partials: PARTIALS },
    { rtol: 1e-4, atol: 1e-5 },
  );
  const second = await agree(
    moments,
    { partials: first.partials, moments: new Float32Array(columns * 2) },
    { columns, partials: PARTIALS },
    { rtol: 1e-4, atol: 1e-6 },
  );
  return second.moments;
}

describe('moments', () => {
  it.each([
    [0, 1],
    [1, 1],
    [63, 3],
    [64, 1],
    [65, 2],
    [1000, 5],
  ])('of [%i, %i] agree with the definition', async (rows, columns) => {
    const input = normals(rows * columns, 3, 2, 3);
    const result = await columnMoments(input, rows, columns);
    for (let c = 0; c < columns; c++) {
      const column = Array.from({ length: rows }, (_, r) => input[r * columns + c]);
      const mean = column.reduce((a, b) => a + b, 0) / Math.max(rows, 1);
      const variance = column.reduce((a, b) => a + (b - mean) ** 2, 0) / Math.max(rows, 1);
      expect(result[c * 2]).toBeCloseTo(mean, 4);
      expect(result[c * 2 + 1]).toBeCloseTo(variance, 3);
    }
  });

  it('keeps the spread of numbers far from 0', async () => {
    const input = Float32Array.from({ length: 2000 }, (_, i) => 10_000 + (i % 2));
    const [mean, variance] = await columnMoments(input, 2000, 1);
    expect(mean).toBeCloseTo(10_000.5, 2);
    expect(variance).toBeCloseTo(0.25, 3);
  });

  it('counts rounding noise as no spread', async () => {
    const [mean, variance] = await columnMoments(new Float32Array(1000).fill(0.94), 1000, 1);
    expect(deviationIsZero(Math.sqrt(variance), mean)).toBe(true);
    expect(deviationIsZero(0, 0)).toBe(true);
    expect(deviationIsZero(1e-3, 1)).toBe(false);
  });
});
