/**
 * One update of a transformer (forward, backward, Adam) against other libraries. All are measured together, so that
 * they compete in the same rounds.
 */

import type { Results } from '../page/race';
import type { TransformerLibrary } from '../page/transformer';
import type { Bench, Row } from '../row';
import { compare, holdsRatio } from './compare';

const ROUNDS = 5;

interface Contest {
  readonly name: string;
  readonly against: Exclude<TransformerLibrary, 'ours'>;
  /** How many times as fast. */
  readonly factor: number;
}

const CONTESTS: readonly Contest[] = [
  { name: 'transformer-update-jax', against: 'jax-js webgpu', factor: 2.5 },
  { name: 'transformer-update-tfjs', against: 'tfjs webgpu', factor: 10 },
];

export const transformerRows: readonly Row[] = CONTESTS.map(({ name, against, factor }) => ({
  name,
  title: `Transformer (2 layers, width 64, 4 heads, vocabulary 64, 64 × 64 tokens): update against ${against}`,
  unit: 'ms',
  bound: `ratio >= ${factor}`,
  measure: async (bench) => compare(await figuresOf(bench), ['ours'], [against], { rounds: ROUNDS }),
  holds: holdsRatio(factor),
}));

let measured: Promise<Results<TransformerLibrary>> | undefined;

function figuresOf({ browser, names }: Bench): Promise<Results<TransformerLibrary>> {
  const wanted = CONTESTS.filter(({ name }) => names.includes(name)).map(({ against }) => against);
  measured ??= browser.inTab((tab) => tab.call('transformerUpdate', ['ours', ...wanted], ROUNDS));
  return measured;
}
