import { describe, expect, it } from 'vitest';
import { agree, expectGolden, normals } from '../agree';
import type { LinearForm } from './linear';
import { normBackwardInput, normBackwardWeight, normForward } from './norm';
import { torchNorms } from './norm_golden';

const FORMS: [string, LinearForm][] = [
  ['plain', 'plain'],
  ['1 row', { rows: 1, quads: false, workgroup: 8 }],
  ['4 rows', { rows: 4, quads: true, workgroup: 4 }],
];

describe.each(FORMS)('normalisation, %s', (_, form) => {
  it('agrees with PyTorch', () => expectGolden('torch_norms', torchNorms(form)));

  it.each([
    ['layer', 1, 1],
    ['layer', 5, 7],
    ['layer', 33, 64],
    ['rms', 17, 16],
    ['rms', 65, 10],
  ] as const)('%s agrees on both executors for %i rows of %i', async (kind, rows, width) => {
    const parameters = normals(2 * width + 3, 1, 1, 0.3);
    const place = { weight: 3, bias: 3 + width };
    const input = normals(rows * width, 2, 5, 2);
    const sizes = { output: new Float32Array(rows * width + 1), statistics: new Float32Array(2 * rows + 1) };
    const tolerance = { rtol: 1e-4, atol: 1e-5 };
    const u = { rows, width, ...place };
    const made = await agree(
      normForward(kind, width, form),
      { parameters, input, ...sizes },
      { ...u, epsilon: 1e-5 },
      tolerance,
    );
    expect([made.output[rows * width], made.statistics[2 * rows]]).toEqual([0, 0]);
    const gradient = normals(rows * width, 3);
    const { statistics } = made;
    // A row of one number has no spread: rounding noise alone, times 1 / sqrt(epsilon).
    const loose = width === 1 ? { rtol: 1e-4, atol: 1e-2 } : { rtol: 1e-4, atol: 2e-5 };
    for (const accumulate of [0, 1])
      await agree(
        normBackwardInput(kind, width, form),
        { parameters, gradient, input, statistics, result: normals(rows * width, 4) },
        { rows, width, weight: 3, accumulate },
        loose,
      );
    const stride = parameters.length;
    await agree(
      normBackwardWeight(kind),
      { gradient, input, statistics, partials: new Float32Array(3 * stride).fill(9) },
      { ...u, parts: 3, part_rows: Math.ceil(rows / 3), stride },
      { rtol: 1e-4, atol: 1e-4 },
    );
  });
});
