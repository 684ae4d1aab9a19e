import { expect, it } from 'vitest';
import { ENTRIES, matches } from './gallery';

const found = (query: string) => ENTRIES.filter((entry) => matches(entry, query)).map(({ id }) => id);

it.each([
  ['DPO', 'dpo'],
  ['mask', 'search-r1-mask'],
  ['async', 'async-decoupled'],
  ['GRPO', 'grpo-deviation'],
  ['pendulum', 'pendulum'],
  ['turn-level credit', 'turn-level-credit'],
])('finds %s by its method', (query, id) => {
  expect(found(query)).toContain(id);
  expect(found(query).length).toBeLessThan(ENTRIES.length);
});

it('finds nothing where a word stands nowhere', () => {
  expect(found('dpo zeppelin')).toEqual([]);
});
