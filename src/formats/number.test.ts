import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCount, formatDuration, formatFigure, readNumber, writeNumber } from './number';

describe('reading', () => {
  it.each([
    ['0.5', 0.5],
    ['0,5', 0.5],
    [' 2.5e-4 ', 2.5e-4],
    ['2,5E-4', 2.5e-4],
    ['\u22123', -3],
    ['.5', 0.5],
    ['5.', 5],
  ])('%j', (text, value) => {
    expect(readNumber(text)).toBe(value);
  });
  it.each(['', '-', '1.000,5', '1,000,5', '0x10', 'NaN', 'Infinity', '1e999', '1 2'])('%j is not a number', (text) => {
    expect(readNumber(text)).toBeUndefined();
  });
  it('gives back every number that was written', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(readNumber(writeNumber(value))).toBe(value === 0 ? 0 : value);
      }),
    );
  });
});

describe('writing', () => {
  it.each([
    [0.83, '0.83'],
    [0.0046, '0.0046'],
    [1e-6, '1.0e\u22126'],
    [-0.5, '\u22120.50'],
    [12.34, '12.3'],
    [475.4, '475'],
    [6_030_000, '6.03 M'],
    [Number.NaN, 'not a number'],
    [0, '0'],
  ])('a figure: %d', (value, text) => {
    expect(formatFigure(value)).toBe(text);
  });
  it.each([
    [184, '184'],
    [9999, '9999'],
    [12_345, '12.3 k'],
    [999_700, '1.00 M'],
    [1.42e6, '1.42 M'],
  ])('a count: %d', (value, text) => {
    expect(formatCount(value)).toBe(text);
  });
  it.each([
    [4.2, '4.2 s'],
    [200, '3 min 20 s'],
    [3900, '1 h 5 min'],
  ])('a duration: %d', (value, text) => {
    expect(formatDuration(value)).toBe(text);
  });
});
