/** Scenarios of worlds of tokens: the project's search scenario as the page loads it, and small ones to measure with. */
import file from '../../scenarios/search-r1-mask/scenario.json';
import { PRESETS, REGISTRY } from '../../src/engine/registry';
import type { Scenario } from '../../src/engine/scenario';
import { type TextChanges, textScenario } from '../../src/engine/text/testing';
import { parseScenario } from '../../src/formats/scenario';

export function searchR1(): Scenario {
  const parsed = parseScenario(file, REGISTRY, Object.keys(PRESETS));
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.scenario;
}

/** GRPO on questions to a search tool, with what `changes` say; the policy is not trained before. */
export function search(changes: TextChanges): Scenario {
  return textScenario({ environment: { id: 'mini-kg' }, policy: { id: 'gru' }, ...changes });
}
