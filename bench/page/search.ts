/** Scenarios of worlds of tokens: the project's search scenario as the page loads it, and small ones to measure with. */
import file from '../../scenarios/search-r1-mask/scenario.json';
import type { Scenario } from '../../src/engine/scenario';
import { type TextChanges, textScenario } from '../../src/engine/text/testing';

export const SEARCH_R1 = { ...file, lesson: '' } as unknown as Scenario;

/** GRPO on questions to a search tool, with what `changes` say; the policy is not trained before. */
export function search(changes: TextChanges): Scenario {
  return textScenario({ environment: { id: 'mini-kg' }, policy: { id: 'gru' }, ...changes });
}
