/**
 * One setting of a scenario by its path, as the command line and claims write it: `loss.clip`, `loss.id`,
 * `training.updates`; the slot's long form `slots.loss.parameters.clip` is the same.
 */
import { type AnyParameters, checkField, type Schema } from '../engine/parameters';
import type { Phase, Scenario, Slot } from '../engine/scenario';
import type { Registry } from './scenario';

export type Settings = Readonly<Record<string, unknown>>;

/** First and second part of a path; undefined where it has not two. `phases.1.quality` begins with `phases.1`. */
function partsOf(path: string): readonly [string, string] | undefined {
  const parts = path
    .replace(/^slots\./, '')
    .replace(/^phases\.(\d+)/, 'phases:$1')
    .split('.')
    .filter((part) => part !== 'parameters');
  return parts.length === 2 ? [parts[0], parts[1]] : undefined;
}

/** Which phase a path's head names; undefined where it names none. */
function phaseOf(head: string): number | undefined {
  const match = /^phases:(\d+)$/.exec(head);
  return match ? Number(match[1]) : undefined;
}

/** Another choice for a slot (`loss.id`) begins at its defaults. Values are not checked here: `resolve` does. */
export function changeSetting(scenario: Scenario, path: string, value: unknown): Scenario {
  const [head, key] = partsOf(path) ?? [];
  if (head === undefined || key === undefined) throw new Error(`“${path}” is not the path of a setting`);
  if (head === 'training') return { ...scenario, training: { ...scenario.training, [key]: value } };
  const index = phaseOf(head);
  if (index !== undefined) return { ...scenario, phases: changePhase(scenario.phases, index, key, value) };
  const choice = scenario.slots[head as Slot];
  const changed =
    key === 'id'
      ? { id: String(value), parameters: {} }
      : { ...choice, parameters: { ...choice.parameters, [key]: value } satisfies AnyParameters };
  return { ...scenario, slots: { ...scenario.slots, [head]: changed } };
}

/** `from` is the phase's own, everything else one of its parameters. */
function changePhase(phases: readonly Phase[], index: number, key: string, value: unknown): Phase[] {
  return phases.map((phase, i) => {
    if (i !== index) return phase;
    return key === 'from'
      ? { ...phase, from: Number(value) }
      : { ...phase, parameters: { ...phase.parameters, [key]: value } };
  });
}

export function changeSettings(scenario: Scenario, settings: Settings): Scenario {
  return Object.entries(settings).reduce((changed, [path, value]) => changeSetting(changed, path, value), scenario);
}

/** Why a setting cannot be changed so, or undefined. `training` is the schema of the plan. */
export function settingProblem(
  { slots, phases }: Pick<Scenario, 'slots' | 'phases'>,
  path: string,
  value: unknown,
  registry: Registry,
  training: Schema,
): string | undefined {
  const [head, key] = partsOf(path) ?? [];
  if (head === undefined || key === undefined) return 'must be a path of two parts, such as loss.clip';
  const index = phaseOf(head);
  if (index !== undefined) return phaseProblem(phases, index, key, value, registry);
  if (head !== 'training' && !(Object.hasOwn(registry, head) && head !== 'phase'))
    return `begins with “${head}”; known: ${[...Object.keys(slots), 'training', 'phases'].join(', ')}`;
  const slot = head as Slot;
  if (head !== 'training' && key === 'id') {
    if (typeof value !== 'string') return 'must be the id of a choice, in quotes';
    return Object.hasOwn(registry[slot], value)
      ? undefined
      : `“${value}” is not known here; known: ${Object.keys(registry[slot]).join(', ')}`;
  }
  const schema = head === 'training' ? training : registry[slot][slots[slot].id].parameters;
  if (!Object.hasOwn(schema, key))
    return `“${key}” is not a setting of ${head}; known: ${Object.keys(schema).join(', ')}`;
  return checkField(schema[key], value);
}

function phaseProblem(
  phases: readonly Phase[],
  index: number,
  key: string,
  value: unknown,
  registry: Registry,
): string | undefined {
  const phase = phases[index];
  if (phase === undefined) return `names phase ${index}, but there are ${phases.length}`;
  if (key === 'from')
    return Number.isInteger(value) && Number(value) >= 0 ? undefined : 'must be a whole number, 0 or more';
  const schema = registry.phase[phase.id].parameters;
  if (!Object.hasOwn(schema, key))
    return `“${key}” is not a setting of the phase ${phase.id}; known: from, ${Object.keys(schema).join(', ')}`;
  return checkField(schema[key], value);
}
