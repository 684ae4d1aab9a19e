import { expect, it } from 'vitest';
import { agree, normals } from '../agree';
import { interpolate } from './interpolate';

it.each([0, 1, 63, 64, 65, 1001])('mixes %i weights', async (count) => {
  const size = Math.max(1, count);
  const buffers = { first: normals(size, 1), second: normals(size, 2), mixed: new Float32Array(size) };
  const { mixed } = await agree(interpolate, buffers, { count, alpha: 0.25 });
  for (let i = 0; i < count; i++) expect(mixed[i]).toBeCloseTo(0.75 * buffers.first[i] + 0.25 * buffers.second[i], 5);
});
