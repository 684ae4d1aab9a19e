/**
 * Parameter schemas: one description of a choice's settings gives its form, its help text, its
 * validation and its defaults. Every environment, policy, stage and phase describes itself so.
 */

interface FieldBase {
  readonly label: string;
  /** One line: what it does to learning, and when to change it. */
  readonly help: string;
  /** Heading in the form above this setting and its neighbours of the same group; absent: none. */
  readonly group?: string;
}
export interface NumberField extends FieldBase {
  readonly kind: 'number';
  readonly default: number;
  readonly min: number;
  readonly max: number;
  readonly integer?: boolean;
  readonly unit?: string;
  /** Arrow-key step; log-scaled fields (learning rates) multiply by it instead. */
  readonly step?: number;
  readonly logarithmic?: boolean;
  /** Takes effect on the next update of a running run; the others ask for a reset. */
  readonly live?: boolean;
}
export interface ChoiceField extends FieldBase {
  readonly kind: 'choice';
  readonly default: string;
  readonly options: readonly { readonly value: string; readonly label: string; readonly help?: string }[];
  readonly live?: boolean;
}
export interface FlagField extends FieldBase {
  readonly kind: 'flag';
  readonly default: boolean;
  readonly live?: boolean;
}
/** A list of numbers, such as hidden layer widths or a reward's weights. */
export interface ListField extends FieldBase {
  readonly kind: 'list';
  readonly default: readonly number[];
  readonly min: number;
  readonly max: number;
  readonly integer?: boolean;
  readonly minLength: number;
  readonly maxLength: number;
  readonly live?: boolean;
}
/** Text of an environment, such as the rows of a map; checked further by its owner. */
export interface TextField extends FieldBase {
  readonly kind: 'text';
  readonly default: string;
  readonly maxLength: number;
  readonly live?: boolean;
}
/** Structured data such as a transition table: checked by its owner, edited by its own editor. */
export interface DataField extends FieldBase {
  readonly kind: 'data';
  readonly default: unknown;
  readonly live?: boolean;
}
export type Field = NumberField | ChoiceField | FlagField | ListField | TextField | DataField;
export type Schema = Readonly<Record<string, Field>>;

/** The same settings under one heading. */
export function grouped<const S extends Schema>(group: string, schema: S): S {
  return Object.fromEntries(Object.entries(schema).map(([key, field]) => [key, { ...field, group }])) as S;
}

type ValueOf<F extends Field> = F extends NumberField
  ? number
  : F extends ChoiceField
    ? string
    : F extends FlagField
      ? boolean
      : F extends ListField
        ? readonly number[]
        : F extends TextField
          ? string
          : unknown;
export type Parameters<S extends Schema = Schema> = { readonly [K in keyof S]: ValueOf<S[K]> };
/** Parameters of some schema, known only at run time. */
export type AnyParameters = Readonly<Record<string, unknown>>;

/** A thing that can be wrong in a scenario, and where: `loss.parameters.clip`. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

export function defaultsOf<S extends Schema>(schema: S): Parameters<S> {
  return Object.fromEntries(Object.entries(schema).map(([key, field]) => [key, field.default])) as Parameters<S>;
}

/**
 * Checks `value` against the schema; missing fields take their default, unknown ones are problems.
 * Returns the complete parameters (defaults where a field was wrong) and every problem found.
 */
export function checkParameters<S extends Schema>(
  schema: S,
  value: unknown,
  path: string,
): { parameters: Parameters<S>; problems: Problem[] } {
  const problems: Problem[] = [];
  const given = isRecord(value) ? value : {};
  if (value !== undefined && !isRecord(value)) problems.push({ path, message: 'must be an object' });
  for (const key of Object.keys(given)) {
    if (!Object.hasOwn(schema, key))
      problems.push({
        path: `${path}.${key}`,
        message: `is not a setting here; known: ${Object.keys(schema).join(', ') || 'none'}`,
      });
  }
  const parameters: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(schema)) {
    const own = Object.hasOwn(given, key) ? given[key] : undefined;
    const message = own === undefined ? undefined : checkField(field, own);
    if (message !== undefined) problems.push({ path: `${path}.${key}`, message });
    parameters[key] = own === undefined || message !== undefined ? field.default : own;
  }
  return { parameters: parameters as Parameters<S>, problems };
}

/** The reason why `value` does not fit the field, or undefined. */
export function checkField(field: Field, value: unknown): string | undefined {
  switch (field.kind) {
    case 'number':
      return checkNumber(field, value);
    case 'choice':
      if (field.options.some((option) => option.value === value)) return undefined;
      return `must be one of ${field.options.map((option) => option.value).join(', ')}, not ${show(value)}`;
    case 'flag':
      return typeof value === 'boolean' ? undefined : `must be true or false, not ${show(value)}`;
    case 'list': {
      if (!Array.isArray(value)) return `must be a list of numbers, not ${show(value)}`;
      if (value.length < field.minLength || value.length > field.maxLength)
        return `must have ${field.minLength} to ${field.maxLength} entries, not ${value.length}`;
      for (const [index, entry] of value.entries()) {
        const message = checkNumber(field, entry);
        if (message !== undefined) return `entry ${index + 1} ${message}`;
      }
      return undefined;
    }
    case 'text':
      if (typeof value !== 'string') return `must be text, not ${show(value)}`;
      return value.length <= field.maxLength
        ? undefined
        : `must have at most ${field.maxLength} characters, not ${value.length}`;
    case 'data':
      return undefined;
  }
}

function checkNumber(field: { min: number; max: number; integer?: boolean }, value: unknown): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return `must be a number, not ${show(value)}`;
  if (field.integer && !Number.isInteger(value)) return `must be a whole number, not ${value}`;
  if (value < field.min || value > field.max) return `must be ${field.min} to ${field.max}, not ${value}`;
  return undefined;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function show(value: unknown): string {
  // JSON has no infinity: 1e999 in a file must not be called null.
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
