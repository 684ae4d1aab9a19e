import { describe, expect, it } from 'vitest';
import type { Claim } from '../engine/scenario';
import { boundText, deviation, figureText, finalFigure, measuredText, verdictOf, verdictOfAll } from './verdict';

const claim = (figures?: readonly number[]): Claim => ({
  id: 'c',
  sentence: '',
  metric: 'eval/success',
  comparison: '>=',
  value: 0.9,
  ...(figures === undefined
    ? {}
    : { measured: { seeds: figures.map((_, index) => index), figures, adapter: '', date: '' } }),
});

describe('one claim', () => {
  it.each([
    [[0.95, 0.92, 0.91], 'holds'],
    [[0.95, 0.5, 0.6], 'in part'],
    [[0.1, 0.2, 0.3], 'does not show'],
    [[0.95, 0.96], 'not enough seeds'],
    [undefined, 'not measured'],
  ] as const)('%j: %s', (figures, verdict) => {
    expect(verdictOf(claim(figures))).toBe(verdict);
  });
});

it('all claims of a scenario', () => {
  const holds = claim([1, 1, 1]);
  const fails = claim([0, 0, 0]);
  expect(verdictOfAll([])).toBe('not measured');
  expect(verdictOfAll([holds, holds])).toBe('holds');
  expect(verdictOfAll([holds, fails])).toBe('in part');
  expect(verdictOfAll([fails, fails])).toBe('does not show');
  expect(verdictOfAll([holds, claim()])).toBe('not measured');
  expect(verdictOfAll([holds, claim([1])])).toBe('not enough seeds');
});

it('the deviation is the sample’s', () => {
  expect(deviation([1, 2, 3, 4])).toBeCloseTo(1.29099, 5);
  expect(deviation([1])).toBeUndefined();
});

it('a figure of training is the mean of the last five', () => {
  expect(finalFigure([100, 5.4, 4.39, 3.98, 3.98, 4.42])).toBeCloseTo(4.434, 6);
  expect(finalFigure([2, 4])).toBe(3);
});

describe('in words', () => {
  const about = (comparison: '>=' | '<=', value: number, figures: readonly number[]) =>
    measuredText({ ...claim(figures), comparison, value });
  it.each([
    [
      '>=',
      0.38,
      [0.36, 0.3, 0.44],
      'Measured 0.37 ± 0.07 over 3 seeds, asked ≥\u00a00.38: not reached (1 seed reaches it).',
    ],
    ['>=', 0.9, [0.745, 0.97, 1], 'Measured 0.91 ± 0.14 over 3 seeds, asked ≥\u00a00.90: reached (1 seed does not).'],
    ['<=', 0.3, [0.1, 0.2, 0.3], 'Measured 0.20 ± 0.10 over 3 seeds, asked ≤\u00a00.30: reached.'],
    // Rounded to two decimals it would look reached.
    ['<=', 0.2, [0.2001], 'Measured 0.2001 over 1 seed, asked ≤\u00a00.20: not reached.'],
    ['>=', 475, [500, 500], 'Measured 500 ± 0 over 2 seeds, asked ≥\u00a0475: reached.'],
    ['<=', 0.012, [0.002, 0.004], 'Measured 0.0030 ± 0.0014 over 2 seeds, asked ≤\u00a00.012: reached.'],
  ] as const)('%s %d: %j', (comparison, value, figures, text) => {
    expect(about(comparison, value, figures)).toBe(text);
  });
  it('halves go up wherever a figure is read, whatever a mean of floats is off by', () => {
    const bound = { comparison: '>=', value: 0.9 } as const;
    expect(figureText(bound, (0.905 * 3) / 3)).toBe('0.91');
    expect(figureText(bound, 0.9049999999999999)).toBe('0.91');
    expect(figureText(bound, -1.2)).toBe('\u22121.20');
    expect(boundText({ comparison: '<=', value: 0.375 })).toBe('≤\u00a00.375');
  });
});
