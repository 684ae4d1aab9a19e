import { describe, expect, it } from 'vitest';
import type { Grammar } from './environment';
import { choice, compileGrammar, FREE, legalTokens, nextState, oneOf, type Rule, repeat, sequence } from './grammar';

const [A, B, C, STOP] = [1, 2, 3, 4];
const VOCABULARY = 5;

/** All complete turns of at most `longest` tokens. */
function turns(grammar: Grammar, start: number, longest: number): string[] {
  const found: string[] = [];
  const write = (state: number, turn: number[]) => {
    for (const token of legalTokens(grammar, state)) {
      const next = nextState(grammar, state, token) ?? FREE;
      if (next === FREE) found.push([...turn, token].join(''));
      else if (turn.length + 1 < longest) write(next, [...turn, token]);
    }
  };
  write(start, []);
  return found.sort();
}

function turnsOf(rule: Rule, longest = 9): string[] {
  const { grammar, starts } = compileGrammar(VOCABULARY, [rule]);
  return turns(grammar, starts[0], longest);
}

describe('grammar', () => {
  it('writes sequences, choices and repetitions', () => {
    expect(turnsOf(sequence(oneOf(A, B), oneOf(STOP)))).toEqual(['14', '24']);
    expect(turnsOf(choice(sequence(oneOf(A), oneOf(STOP)), sequence(oneOf(A), oneOf(B), oneOf(STOP))))).toEqual([
      '124',
      '14',
    ]);
    expect(turnsOf(sequence(repeat(oneOf(A), 1, 3), oneOf(STOP)))).toEqual(['1114', '114', '14']);
    expect(turnsOf(sequence(repeat(sequence(oneOf(A), oneOf(B)), 0, 2), oneOf(C)))).toEqual(['12123', '123', '3']);
  });

  it('repeats without end', () => {
    const rule = sequence(
      choice(repeat(oneOf(A), 0, Number.POSITIVE_INFINITY), repeat(oneOf(B), 2, Infinity)),
      oneOf(C),
    );
    expect(turnsOf(rule, 4)).toEqual(['1113', '113', '13', '2223', '223', '3']);
  });

  it('keeps apart what begins alike', () => {
    const rule = choice(
      sequence(oneOf(A), oneOf(A), oneOf(B)),
      sequence(oneOf(A), oneOf(C)),
      sequence(oneOf(A, B), oneOf(STOP)),
    );
    expect(turnsOf(rule)).toEqual(['112', '13', '14', '24']);
  });

  it('has several starts, and a free state', () => {
    const { grammar, starts } = compileGrammar(VOCABULARY, [sequence(oneOf(A), oneOf(STOP)), oneOf(B)]);
    expect(turns(grammar, starts[0], 4)).toEqual(['14']);
    expect(turns(grammar, starts[1], 4)).toEqual(['2']);
    expect(legalTokens(grammar, FREE)).toEqual([A, B, C, STOP]);
    expect(nextState(grammar, FREE, 0)).toBeUndefined();
    expect(nextState(grammar, FREE, A)).toBe(FREE);
  });

  it('leaves no token where nothing is allowed', () => {
    const { grammar, starts } = compileGrammar(VOCABULARY, [sequence(oneOf(), oneOf(STOP))]);
    expect(legalTokens(grammar, starts[0])).toEqual([]);
  });
});
