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
  try {
    const stats = statSync(name);
    if (stats.isDirectory() || stats.isCharacterDevice())
      return refuse(name, `is ${stats.isDirectory() ? 'a folder' : 'a device'}, not a file`);
    if (stats.size > MAX_BYTES) return refuse(name, sizeMessage(stats.size));
    return parseScenario(new Uint8Array(readFileSync(name)), REGISTRY, Object.keys(PRESETS));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return refuse(
      name,
      code === 'ENOENT'
        ? `is neither a scenario (${ownScenarioIds().join(', ')}) nor a file`
        : `cannot be read: ${message}`,
    );
  }
}

function refuse(path: string, message: string): { problems: readonly Problem[] } {
  return { problems: [{ path, message }] };
}
