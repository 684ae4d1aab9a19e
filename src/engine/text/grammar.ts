/**
 * Writes the grammar of a turn as rules (one token of a set, sequences, choices, repetitions) and turns
 * them into the table that the sampler walks: Thompson's construction and the subset construction
 * (Aho, Sethi, Ullman, Compilers, 1986, §3.7).
 *
 * State 0 of every grammar is free: all tokens but padding are legal in it and it leads to itself. It is
 * the state of a turn whose grammar is switched off, and of observation tokens.
 */
import type { Grammar } from './environment';

export const FREE = 0;

export type Rule =
  | { readonly kind: 'one of'; readonly tokens: readonly number[] }
  | { readonly kind: 'sequence'; readonly parts: readonly Rule[] }
  | { readonly kind: 'choice'; readonly parts: readonly Rule[] }
  | { readonly kind: 'repeat'; readonly part: Rule; readonly min: number; readonly max: number };

export function oneOf(...tokens: readonly number[]): Rule {
  return { kind: 'one of', tokens };
}
export function sequence(...parts: readonly Rule[]): Rule {
  return { kind: 'sequence', parts };
}
export function choice(...parts: readonly Rule[]): Rule {
  return { kind: 'choice', parts };
}
/** `min` to `max` times; `max` may be Infinity. */
export function repeat(part: Rule, min: number, max: number): Rule {
  return { kind: 'repeat', part, min, max };
}

/** A nondeterministic automaton: nodes that lead on by a token of a set, or without one. */
interface Node {
  readonly byToken: { readonly tokens: readonly number[]; readonly to: number }[];
  readonly free: number[];
}

function addNode(nodes: Node[]): number {
  return nodes.push({ byToken: [], free: [] }) - 1;
}

/** Adds what `rule` allows from node `from` on; returns the node where it has been written. */
function addRule(nodes: Node[], rule: Rule, from: number): number {
  switch (rule.kind) {
    case 'one of': {
      const to = addNode(nodes);
      nodes[from].byToken.push({ tokens: rule.tokens, to });
      return to;
    }
    case 'sequence':
      return rule.parts.reduce((at, part) => addRule(nodes, part, at), from);
    case 'choice': {
      const to = addNode(nodes);
      for (const part of rule.parts) nodes[addRule(nodes, part, from)].free.push(to);
      return to;
    }
    case 'repeat': {
      let at = from;
      for (let time = 0; time < rule.min; time++) at = addRule(nodes, rule.part, at);
      if (rule.max === Number.POSITIVE_INFINITY) {
        const loop = addNode(nodes);
        nodes[at].free.push(loop);
        nodes[addRule(nodes, rule.part, loop)].free.push(loop);
        return loop;
      }
      const end = addNode(nodes);
      for (let time = rule.min; time < rule.max; time++) {
        nodes[at].free.push(end);
        at = addRule(nodes, rule.part, at);
      }
      nodes[at].free.push(end);
      return end;
    }
  }
}

/** `nodes` and all that they lead to without a token, sorted. */
function closure(automaton: readonly Node[], nodes: Iterable<number>): number[] {
  const reached = new Set(nodes);
  for (const node of reached) for (const next of automaton[node].free) reached.add(next);
  return [...reached].sort((a, b) => a - b);
}

/**
 * The table of a turn's rules over `vocabulary` tokens, and the state in which each of `rules` begins. A
 * rule that is written to its end leads to state 0; there a turn has ended at its stop token.
 */
export function compileGrammar(vocabulary: number, rules: readonly Rule[]): { grammar: Grammar; starts: number[] } {
  const automaton: Node[] = [];
  const states = new Map<string, number>();
  const waiting: { readonly state: number; readonly nodes: readonly number[] }[] = [];
  const stateOf = (nodes: readonly number[]): number => {
    if (nodes.every((node) => automaton[node].byToken.length === 0)) return FREE;
    const key = nodes.join();
    const known = states.get(key);
    if (known !== undefined) return known;
    const state = states.size + 1;
    states.set(key, state);
    waiting.push({ state, nodes });
    return state;
  };

  const entries = rules.map((rule) => {
    const entry = addNode(automaton);
    addRule(automaton, rule, entry);
    return entry;
  });
  const starts = entries.map((entry) => stateOf(closure(automaton, [entry])));
  const rows = [Uint32Array.from({ length: vocabulary }, (_, token) => (token === 0 ? 0 : FREE + 1))];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const targets = new Map<number, number[]>();
    for (const node of next.nodes)
      for (const { tokens, to } of automaton[node].byToken)
        for (const token of tokens) targets.set(token, [...(targets.get(token) ?? []), to]);
    const row = new Uint32Array(vocabulary);
    for (const [token, nodes] of targets) row[token] = stateOf(closure(automaton, nodes)) + 1;
    rows[next.state] = row;
  }
  const table = new Uint32Array(rows.length * vocabulary);
  for (const [state, row] of rows.entries()) table.set(row, state * vocabulary);
  return { grammar: { states: rows.length, table }, starts };
}

/** Tokens that may be written in `state`. */
export function legalTokens({ states, table }: Grammar, state: number): number[] {
  const vocabulary = table.length / states;
  const legal: number[] = [];
  for (let token = 0; token < vocabulary; token++) if (table[state * vocabulary + token] !== 0) legal.push(token);
  return legal;
}

/** The state after `token`; undefined where it is illegal. */
export function nextState({ states, table }: Grammar, state: number, token: number): number | undefined {
  const entry = table[state * (table.length / states) + token];
  return entry === 0 ? undefined : entry - 1;
}
