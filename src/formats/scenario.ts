/**
 * The scenario file: one schema for every door it comes through (file, storage, headless, the project's own).
 *
 *   { kind: 'agentic-rl-scenario', version: 2, id, title, summary, capabilities, fields, paper?, seconds?, preset,
 *     slots: { environment: { id, parameters }, policy, rollout, reward, filter, advantage, loss, optimizer },
 *     training: { updates, evaluateEvery, evaluationEpisodes, greedyEvaluation },
 *     phases?: [{ id, from, parameters, with? }, ...], claims: [...], lesson? }
 *
 * The outer structure is checked here; each slot's parameters by the schema of the choice it names. Text of a file
 * is only ever text. An older version is brought up step by step, a newer one is refused with a sentence.
 */
import * as v from 'valibot';
import { checkParameters, isRecord, type Problem, type Schema } from '../engine/parameters';
import type { Scenario, Slot } from '../engine/scenario';
import type { Described } from '../engine/stages/stage';
import { describePlace, findForbiddenKeys, findSyntaxFault } from './json';
import { CAPABILITIES, FIELDS } from './scenario-words';
import { settingProblem } from './settings';
import { decodeText } from './text';

export const KIND = 'agentic-rl-scenario';
export const VERSION = 2;
/** Bytes; a file above it is refused before it is read. */
export const MAX_BYTES = 2_000_000;
/** A file that is wrong all over is told so many problems, each in so many characters: enough to read and to draw. */
const MAX_PROBLEMS = 50;
const MAX_LENGTH = 400;
const MAX_PHASES = 12;

/** The choices that exist, by slot and id, and the kinds of phases. */
export type Registry = Readonly<Record<Slot | 'phase', Readonly<Record<string, Described>>>>;
export type Parsed = { readonly scenario: Scenario } | { readonly problems: readonly Problem[] };
/** One step from version n to n + 1, over the plain object of the file. */
export type Migration = (file: Readonly<Record<string, unknown>>) => Record<string, unknown>;

/** `MIGRATIONS[n - 1]` brings version n to n + 1. */
export const MIGRATIONS: readonly Migration[] = [
  // Version 2 has a filter between reward and advantage; version 1 knew none.
  (file) =>
    isRecord(file.slots) ? { ...file, slots: { ...file.slots, filter: { id: 'none', parameters: {} } } } : { ...file },
];

/** The plan of training as a form; `TrainingPlan` has the same fields. */
export const TRAINING = {
  updates: {
    kind: 'number',
    label: 'Updates',
    help: 'Length of the run. Annealed settings reach their end at the last update.',
    default: 200,
    min: 1,
    max: 1_000_000,
    integer: true,
    step: 10,
  },
  evaluateEvery: {
    kind: 'number',
    label: 'Evaluate every',
    help: 'Updates between two evaluations. Rarer is faster; the success curve gets fewer points.',
    default: 10,
    min: 1,
    max: 1_000_000,
    integer: true,
    unit: 'updates',
  },
  evaluationEpisodes: {
    kind: 'number',
    label: 'Evaluation episodes',
    help: 'Episodes in each evaluation. More make the figure steadier.',
    default: 100,
    min: 1,
    max: 10_000,
    integer: true,
    step: 10,
  },
  greedyEvaluation: {
    kind: 'flag',
    label: 'Greedy evaluation',
    help: 'Takes the likeliest action (or the mean) instead of sampling one.',
    default: false,
  },
} as const satisfies Schema;

/* ---- the outer structure ---- */

const missing = (what: string) => (issue: { received: string }) =>
  issue.received === 'undefined'
    ? 'is missing'
    : `must be ${what}, not ${issue.received === 'Array' ? 'a list' : issue.received}`;
const text = (maximum: number) =>
  v.pipe(v.string(missing('text')), v.maxLength(maximum, `must have at most ${maximum} characters`));
const title = (maximum: number) => v.pipe(text(maximum), v.trim(), v.minLength(1, 'must not be empty'));
const number = v.pipe(v.number(missing('a number')), v.finite('must be a finite number'));
const ID = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const id = v.pipe(text(64), v.regex(ID, 'must be small letters, digits and hyphens, such as “frozen-lake-8x8”'));
const oneOf = (known: Readonly<Record<string, string>>) =>
  v.picklist(Object.keys(known), (issue) => `must be one of ${Object.keys(known).join(', ')}, not ${issue.received}`);
const list = <T extends v.GenericSchema>(item: T, maximum: number) =>
  v.pipe(v.array(item, missing('a list')), v.maxLength(maximum, `must have at most ${maximum} entries`));
// Valibot's own record takes a list for one.
const record = v.pipe(
  v.custom<Record<string, unknown>>(isRecord, missing('an object')),
  v.record(v.string(), v.unknown()),
);
const unknownKey = (issue: { expected: string | null; received: string }) =>
  issue.expected === 'never' ? 'is not part of a scenario' : missing('an object')(issue);

const choice = v.strictObject({ id: text(64), parameters: v.optional(record, {}) }, unknownKey);
const claim = v.strictObject(
  {
    id,
    sentence: title(300),
    metric: title(64),
    comparison: v.picklist(['>=', '<='], (issue) => `must be ">=" or "<=", not ${issue.received}`),
    value: number,
    with: v.optional(record),
    measured: v.optional(
      v.strictObject(
        { seeds: list(number, 100), figures: list(number, 100), adapter: text(200), date: text(40) },
        unknownKey,
      ),
    ),
  },
  unknownKey,
);
const phase = v.strictObject(
  {
    id: text(64),
    from: v.pipe(number, v.integer('must be a whole number'), v.minValue(0, 'must be 0 or more')),
    parameters: v.optional(record, {}),
    with: v.optional(record, {}),
  },
  unknownKey,
);
const outer = v.strictObject(
  {
    kind: v.literal(KIND),
    version: v.literal(VERSION),
    id,
    title: title(80),
    summary: title(300),
    capabilities: list(oneOf(CAPABILITIES), 7),
    fields: list(oneOf(FIELDS), 7),
    paper: v.optional(
      v.strictObject(
        { title: title(200), url: v.pipe(text(500), v.regex(/^https:\/\//, 'must start with https://')) },
        unknownKey,
      ),
    ),
    seconds: v.optional(v.pipe(number, v.minValue(0, 'must be 0 or more'))),
    preset: text(64),
    slots: v.strictObject(
      {
        environment: choice,
        policy: choice,
        rollout: choice,
        reward: choice,
        filter: choice,
        advantage: choice,
        loss: choice,
        optimizer: choice,
      },
      unknownKey,
    ),
    training: record,
    phases: v.optional(list(phase, MAX_PHASES), []),
    claims: list(claim, 20),
    lesson: v.optional(text(50_000), ''),
  },
  unknownKey,
);
type ScenarioFile = v.InferOutput<typeof outer>;

/* ---- reading ---- */

/**
 * Reads a scenario from a file's bytes, from text, or from a parsed value. Returns every problem with its place;
 * the place of a problem with the file as a whole is `file`.
 */
export function parseScenario(input: unknown, registry: Registry, presets: readonly string[]): Parsed {
  const parsed = parseAny(input, registry, presets);
  return 'problems' in parsed ? { problems: readable(parsed.problems) } : parsed;
}

/** The first problems, and how many more there are; no name or value of a file is repeated at any length. */
function readable(problems: readonly Problem[]): Problem[] {
  const first = problems
    .slice(0, MAX_PROBLEMS)
    .map(({ path, message }) => ({ path: shorten(path, MAX_LENGTH), message: shorten(message, MAX_LENGTH) }));
  const more = problems.length - first.length;
  return more > 0 ? [...first, { path: 'file', message: `has ${more} more problems` }] : first;
}

function parseAny(input: unknown, registry: Registry, presets: readonly string[]): Parsed {
  if (input instanceof Uint8Array) {
    if (input.length > MAX_BYTES) return refuse(sizeMessage(input.length));
    const decoded = decodeText(input);
    return 'problem' in decoded ? refuse(decoded.problem) : parseText(decoded.text, registry, presets);
  }
  return typeof input === 'string' ? parseText(input, registry, presets) : parseValue(input, registry, presets);
}

/** For a file's size before it is read at all. */
export function sizeMessage(bytes: number): string {
  return `is ${(bytes / 1e6).toFixed(1)} MB; a scenario file has at most ${MAX_BYTES / 1e6} MB`;
}

function refuse(message: string): Parsed {
  return { problems: [{ path: 'file', message }] };
}

function parseText(given: string, registry: Registry, presets: readonly string[]): Parsed {
  if (given.length > MAX_BYTES) return refuse(sizeMessage(given.length));
  const content = given.startsWith('\uFEFF') ? given.slice(1) : given;
  if (content.trim() === '') return refuse('is empty');
  const fault = findSyntaxFault(content);
  if (fault !== undefined) return refuse(`is not JSON at ${describePlace(content, fault.index)}: ${fault.message}`);
  return parseValue(JSON.parse(content), registry, presets);
}

function parseValue(value: unknown, registry: Registry, presets: readonly string[]): Parsed {
  if (!isRecord(value))
    return refuse(
      `must hold one object, not ${Array.isArray(value) ? 'a list' : shorten(JSON.stringify(value) ?? '')}`,
    );
  const forbidden = findForbiddenKeys(value);
  if (forbidden.length > 0)
    return { problems: forbidden.map((path) => ({ path, message: 'is a name that no file may use' })) };
  const current = migrate(value, MIGRATIONS);
  if ('problem' in current) return { problems: [current.problem] };

  const checked = v.safeParse(outer, current.file);
  const frame = (checked.issues ?? []).map((issue) => ({
    path: v.getDotPath(issue) ?? 'file',
    message: issue.message,
  }));
  // Slots and plan are looked at even when the frame has faults, so that one look shows all of them.
  const slots = isRecord(current.file.slots) ? current.file.slots : {};
  const { phase: kinds, ...known } = registry;
  const choices = Object.entries(known).map(([slot, ids]) => ({
    slot,
    ...checkChoice(`slots.${slot}`, slots[slot], ids),
  }));
  const training = checkParameters(TRAINING, isRecord(current.file.training) ? current.file.training : {}, 'training');
  // Joined without a spread into arguments: a file can hold more problems than a call takes.
  const problems: Problem[] = [frame, ...choices.map((choice) => choice.problems), training.problems].flat();
  const preset = current.file.preset;
  if (typeof preset === 'string' && !presets.includes(preset))
    problems.push({ path: 'preset', message: `“${shorten(preset)}” is not known here; known: ${presets.join(', ')}` });
  if (!checked.success || problems.length > 0) return { problems };

  const { kind: _kind, version: _version, paper, seconds, claims, phases: named, ...rest } = checked.output;
  const phases = named.map((one, index) => ({ one, ...checkChoice(`phases.${index}`, one, kinds) }));
  const unfit = phases.flatMap((one) => one.problems);
  if (unfit.length > 0) return { problems: unfit };
  const scenario = {
    ...rest,
    ...(paper === undefined ? {} : { paper }),
    ...(seconds === undefined ? {} : { seconds }),
    slots: Object.fromEntries(choices.map(({ slot, choice }) => [slot, choice])) as Scenario['slots'],
    training: training.parameters,
    phases: phases.map(({ one, choice }) => ({ ...one, parameters: choice?.parameters ?? {} })),
    claims: claims.map(({ measured, with: changed, ...claimed }) => ({
      ...claimed,
      ...(changed === undefined ? {} : { with: changed }),
      ...(measured === undefined ? {} : { measured }),
    })),
  };
  const wrong = [...checkPhases(scenario, registry), ...checkClaims(scenario, registry)];
  return wrong.length > 0 ? { problems: wrong } : { scenario };
}

/** Phases begin one after the other, the first at update 0, and change settings that exist. A control world has none. */
function checkPhases(scenario: Scenario, registry: Registry): Problem[] {
  const { id } = scenario.slots.environment;
  if (scenario.phases.length > 0 && registry.environment[id].world === 'control')
    return [
      { path: 'phases', message: `work in worlds of tokens alone, and “${id}” is a control world: leave them out` },
    ];
  return scenario.phases.flatMap(({ from, with: changed }, index) => {
    const before = scenario.phases[index - 1]?.from;
    const late = index === 0 ? from !== 0 : from <= before;
    const where =
      index === 0 ? 'must be 0: training begins with it' : `must be above ${before}, where the phase before begins`;
    return [
      ...(late ? [{ path: `phases.${index}.from`, message: where }] : []),
      ...unsettable(scenario, changed, `phases.${index}.with`, registry),
    ];
  });
}

function unsettable(
  scenario: Scenario,
  changed: Readonly<Record<string, unknown>>,
  place: string,
  registry: Registry,
): Problem[] {
  return Object.entries(changed).flatMap(([path, value]) => {
    const message = settingProblem(scenario, path, value, registry, TRAINING);
    return message === undefined ? [] : [{ path: `${place}.${path}`, message }];
  });
}

/** Claims have names of their own, and may only change settings that exist, to values that they take. */
function checkClaims(scenario: Scenario, registry: Registry): Problem[] {
  const ids = scenario.claims.map((one) => one.id);
  const repeated = ids.flatMap((id, index) =>
    ids.indexOf(id) === index ? [] : [{ path: `claims.${index}.id`, message: `“${id}” names another claim already` }],
  );
  const wrong = scenario.claims.flatMap(({ with: changed = {} }, index) =>
    unsettable(scenario, changed, `claims.${index}.with`, registry),
  );
  return [...repeated, ...wrong];
}

function checkChoice(path: string, value: unknown, known: Readonly<Record<string, Described>>) {
  const given = isRecord(value) ? value : {};
  const name = given.id;
  // A missing or misshapen choice was already named by the outer structure.
  if (typeof name !== 'string') return { choice: undefined, problems: [] };
  const described = Object.hasOwn(known, name) ? known[name] : undefined;
  if (described === undefined)
    return {
      choice: undefined,
      problems: [
        {
          path: `${path}.id`,
          message: `“${shorten(name)}” is not known here; known: ${Object.keys(known).join(', ')}`,
        },
      ],
    };
  const parameters = isRecord(given.parameters) ? given.parameters : {};
  const checked = checkParameters(described.parameters, parameters, `${path}.parameters`);
  return { choice: { id: name, parameters: checked.parameters }, problems: checked.problems };
}

const shorten = (text: string, length = 40) => (text.length > length ? `${text.slice(0, length)}…` : text);

/** Kind and version, and the steps from the file's version to the present one. */
export function migrate(
  file: Readonly<Record<string, unknown>>,
  migrations: readonly Migration[],
): { readonly file: Record<string, unknown> } | { readonly problem: Problem } {
  const present = migrations.length + 1;
  const { kind, version } = file;
  if (kind !== KIND) {
    const found = kind === undefined ? 'it names no kind' : `its kind is ${JSON.stringify(kind)?.slice(0, 60)}`;
    return {
      problem: { path: 'kind', message: `This is not a scenario file: ${found}, where “${KIND}” is expected.` },
    };
  }
  if (version === undefined)
    return { problem: { path: 'version', message: `is missing; the present version is ${present}` } };
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1)
    return {
      problem: {
        path: 'version',
        message: `must be a whole number from 1, not ${JSON.stringify(version)?.slice(0, 40)}`,
      },
    };
  if (version > present) {
    const message = `This file is of version ${version}; this page reads versions up to ${present}. Open it in a newer playground. The file is unchanged.`;
    return { problem: { path: 'version', message } };
  }
  const steps = migrations.slice(version - 1);
  return {
    file: steps.reduce<Record<string, unknown>>(
      (old, step, index) => ({ ...step(old), version: version + index + 1 }),
      { ...file },
    ),
  };
}

/* ---- writing ---- */

/** The scenario as a file's text; `parseScenario` reads it back to an equal scenario. */
export function formatScenario(scenario: Scenario): string {
  const { lesson, phases, ...rest } = scenario;
  const file = {
    kind: KIND,
    version: VERSION,
    ...rest,
    ...(phases.length === 0 ? {} : { phases }),
    ...(lesson === '' ? {} : { lesson }),
  };
  return `${JSON.stringify(file satisfies Partial<Record<keyof ScenarioFile, unknown>>, null, 2)}\n`;
}
