import { describe, expect, it } from 'vitest';
import type { Claim } from '../engine/scenario';
import { deviation, verdictOf, verdictOfAll } from './verdict';

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
