import { describe, expect, it } from 'vitest';
import { decodeGolden, firstDifference, numbers, readGolden, shapeOf, toleranceOf } from './read';

const tolerance = { rtol: 1e-3, atol: 1e-6 };

describe('golden reader', () => {
  it('decodes special numbers and tensors', () => {
    const file = decodeGolden({
      name: 'x',
      tolerance: { float32: tolerance },
      cases: [
        {
          note: 'NaN is fine',
          inputs: { a: { shape: [2, 2], data: [1, 'NaN', 'Infinity', '-Infinity'] } },
          expected: {},
        },
      ],
    });
    const a = file.cases[0]?.inputs.a;
    expect(numbers(a)).toEqual([1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]);
    expect(shapeOf(a)).toEqual([2, 2]);
    expect(file.cases[0]?.note).toBe('NaN is fine');
    expect(toleranceOf(file, file.cases[0])).toEqual(tolerance);
  });

  it('reads the copies of this folder', () => {
    expect(readGolden('torch_activations').cases).toHaveLength(9);
    expect(() => readGolden('nothing')).toThrow('nothing.json');
  });

  it('reports the first difference', () => {
    expect(firstDifference([1, 2], [1, 2.001], tolerance)).toBeUndefined();
    expect(firstDifference([1, 2], [1, 2.1], tolerance)).toContain('[1] is 2, expected 2.1');
    expect(firstDifference([1], [1, 2], tolerance)).toContain('1 entries');
    expect(firstDifference([1, 2], [1, 9], tolerance, [1, 0])).toBeUndefined();
    expect(firstDifference([Number.NaN], [1], tolerance)).toBeDefined();
    expect(firstDifference([1], [Number.NaN], tolerance)).toBeDefined();
    expect(firstDifference([Number.NaN], [Number.NaN], tolerance)).toBeUndefined();
    expect(firstDifference([1e39], [Number.POSITIVE_INFINITY], tolerance)).toBeDefined();
    expect(firstDifference(new Float32Array([3]), 3, tolerance)).toBeUndefined();
  });
});
