import { describe, expect, it } from 'vitest';
import { choosable, matching, tokensOf } from './choosing';

const language = { vocabulary: ['·', 'SEARCH', 'ANS', 'ada', 'adam', 'Bea'] };
const all = choosable([1, 2, 3, 4, 5], language);
const names = (typed: string) => matching(all, typed).map(({ name }) => name);

describe('choosing a token', () => {
  it('gives each a key of its own, and none that has another meaning', () => {
    const many = choosable(
      Array.from({ length: 60 }, (_, token) => token),
      language,
    ).flatMap(({ key }) => key ?? []);
    expect(new Set(many).size).toBe(many.length);
    for (const taken of ['r', 'h', '/']) expect(many).not.toContain(taken);
    expect(all[0]).toEqual({ token: 1, name: 'SEARCH', key: '1' });
  });
  it('finds names by how they begin, whatever the capitals', () => {
    expect(names('')).toHaveLength(5);
    expect(names('a')).toEqual(['ANS', 'ada', 'adam']);
    expect(names('sea')).toEqual(['SEARCH']);
    expect(names('x')).toEqual([]);
  });
  it('takes a whole name for itself, though others begin with it', () => {
    expect(names('ada')).toEqual(['ada']);
    expect(names('bea')).toEqual(['Bea']);
  });
});

it('typed names are tokens, or one of them is named that is none', () => {
  const language = { vocabulary: ['.', 'SEARCH', 'ada', 'Ben', 'BEN'] };
  expect(tokensOf(' SEARCH  Ada ', language)).toEqual({ tokens: [1, 2] });
  expect(tokensOf('', language)).toEqual({ tokens: [] });
  expect(tokensOf('Ben BEN', language)).toEqual({ tokens: [3, 4] });
  expect(tokensOf('ben', language)).toEqual({ problem: '“ben” is no token of this world.' });
  expect(tokensOf('ada <b>', language)).toEqual({ problem: '“<b>” is no token of this world.' });
});
