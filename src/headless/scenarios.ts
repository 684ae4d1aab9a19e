/** Finds a scenario by the id of one of the project's own, or by the path of a file. */
import { readFileSync, statSync } from 'node:fs';
import type { Problem } from '../engine/parameters';
import { PRESETS, REGISTRY } from '../engine/registry';
import type { Scenario } from '../engine/scenario';
import { MAX_BYTES, parseScenario, sizeMessage } from '../formats/scenario';

const OWN = import.meta.glob('../../scenarios/*/scenario.json', {
  query: '?raw',
  import: 'default',
  eager: true,
}) as Record<string, string>;

export function ownScenarioIds(): string[] {
  return Object.keys(OWN).map((path) => path.split('/').at(-2) as string);
}

export function loadScenario(name: string): { scenario: Scenario } | { problems: readonly Problem[] } {
  const own = Object.entries(OWN).find(([path]) => path.split('/').at(-2) === name);
  if (own) return parseScenario(own[1], REGISTRY, Object.keys(PRESETS));
  let size: number;
  try {
    size = statSync(name).size;
  } catch {
    return { problems: [{ path: name, message: `is neither a scenario (${ownScenarioIds().join(', ')}) nor a file` }] };
  }
  if (size > MAX_BYTES) return { problems: [{ path: name, message: sizeMessage(size) }] };
  return parseScenario(new Uint8Array(readFileSync(name)), REGISTRY, Object.keys(PRESETS));
}
