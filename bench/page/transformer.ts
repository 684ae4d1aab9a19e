/** One update of a transformer (forward, backward, Adam) by this project and by other libraries. */
import type { Peer } from '../peers/peer';
import { jaxTransformers } from '../peers/transformer/jax';
import { ourTransformer } from '../peers/transformer/ours';
import {
  makeTransformerProblem,
  type TransformerOutcome,
  type TransformerProblem,
  transformerDifference,
} from '../peers/transformer/problem';
import { updateTransformerReference } from '../peers/transformer/reference';
import { tfjsTransformer } from '../peers/transformer/tfjs';
import { type Results, race } from './race';

export type TransformerLibrary = 'ours' | 'jax-js webgpu' | 'tfjs webgpu';

const ENTRIES: Readonly<Record<TransformerLibrary, readonly Peer<TransformerProblem, TransformerOutcome>[]>> = {
  ours: [ourTransformer],
  'jax-js webgpu': jaxTransformers,
  'tfjs webgpu': [tfjsTransformer],
};

const CHECKED_UPDATES = 2;

export async function transformerUpdate(
  libraries: readonly TransformerLibrary[],
  rounds: number,
): Promise<Results<TransformerLibrary>> {
  const problem = makeTransformerProblem();
  const reference = updateTransformerReference(problem, CHECKED_UPDATES);
  const contest = {
    entries: ENTRIES,
    problem,
    checkedUpdates: CHECKED_UPDATES,
    differenceOf: (outcome: TransformerOutcome) => transformerDifference(outcome, reference),
    // Two steps of Adam move weights by 2e-3: an error in any gradient would be seen.
    tolerance: 5e-5,
  };
  return race(contest, libraries, rounds);
}
