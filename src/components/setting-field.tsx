/** One setting of a choice, made from its schema: label, help, range, default, and what became of the last edit. */
import { CircleAlert } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { checkField, type Field, type ListField, type TextField } from '../engine/parameters';
import { readNumber, writeNumber } from '../formats/number';
import { same } from '../stores/scenario';
import { NumberInput, ResetToDefault } from './number-field';

export interface SettingFieldProps {
  readonly field: Field;
  readonly value: unknown;
  /** What the scenario as it was opened has here; a dot says that the value differs from it. */
  readonly base: unknown;
  /** In words, where the scenario as it was opened has another value than its preset. */
  readonly unlike?: string | undefined;
  /** The change waits for a reset. */
  readonly pending: boolean;
  /** Why the run did not take the value. */
  readonly notSet?: string | undefined;
  /** Gets the focus when it appears: a link from a banner leads here. */
  readonly focused?: boolean;
  readonly onChange: (value: unknown) => void;
}

export function SettingField(props: SettingFieldProps) {
  const { field, value, base, unlike, pending, notSet, focused = false, onChange } = props;
  const id = useId();
  const [fault, setFault] = useState<string>();
  const problem = fault ?? notSet;
  const changed = !same(value, base);
  const reset = same(value, field.default) ? undefined : () => onChange(field.default);
  const control: ControlProps = {
    id,
    describedBy: `${id}-help${problem === undefined ? '' : ` ${id}-fault`}`,
    onChange,
    onFault: setFault,
    reset,
  };
  return (
    <div
      className={`field setting${pending ? ' pending' : ''}`}
      ref={focused ? (element) => element?.querySelector<HTMLElement>('input, select, textarea')?.focus() : undefined}
    >
      {field.kind !== 'flag' && (
        <div className="field-head">
          <label htmlFor={id}>{field.label}</label>
          <Mark changed={changed} unlike={unlike} />
          <span className="range">{rangeOf(field)}</span>
        </div>
      )}
      <Control field={field} value={value} mark={<Mark changed={changed} unlike={unlike} />} {...control} />
      {problem !== undefined && (
        <p id={`${id}-fault`} className="field-fault" role="alert">
          <CircleAlert size={14} aria-hidden />
          {problem}
        </p>
      )}
      <p id={`${id}-help`} className="field-help">
        {field.help} {pending && <b>Takes effect at reset.</b>}
      </p>
    </div>
  );
}

/** Changed since the scenario was opened; or, as it was opened, other than its preset. */
export function Mark({ changed, unlike }: { readonly changed: boolean; readonly unlike: string | undefined }) {
  if (changed) return <span className="changed">changed</span>;
  return unlike === undefined ? null : <span className="unlike-preset">{unlike}</span>;
}

interface ControlProps {
  readonly id: string;
  readonly describedBy: string;
  readonly onChange: (value: unknown) => void;
  readonly onFault: (fault: string | undefined) => void;
  readonly reset: (() => void) | undefined;
}

function Control({ field, value, mark, ...control }: ControlProps & { field: Field; value: unknown; mark: ReactNode }) {
  const { id, describedBy, onChange, onFault, reset } = control;
  switch (field.kind) {
    case 'number':
      return (
        <NumberInput
          id={id}
          field={field}
          value={value as number}
          describedBy={describedBy}
          onCommit={onChange}
          onFault={onFault}
          onResetToDefault={reset}
        />
      );
    case 'choice':
      return (
        <select
          id={id}
          className="select"
          value={value as string}
          aria-describedby={describedBy}
          onChange={(event) => onChange(event.target.value)}
        >
          {field.options.map((option) => (
            <option key={option.value} value={option.value} title={option.help}>
              {option.label}
            </option>
          ))}
        </select>
      );
    case 'flag':
      return (
        <label className="check" htmlFor={id}>
          <input
            id={id}
            type="checkbox"
            checked={value as boolean}
            aria-describedby={describedBy}
            onChange={(event) => onChange(event.target.checked)}
          />
          {field.label}
          {mark}
        </label>
      );
    case 'list':
      return <ListInput field={field} value={value as readonly number[]} {...control} />;
    case 'text':
      return <TextInput field={field} value={value as string} {...control} />;
    case 'data':
      return <DataSummary id={id} value={value} />;
  }
}

/** Numbers with spaces or semicolons between them; a comma stays a decimal mark. */
function ListInput({
  field,
  value,
  id,
  describedBy,
  onChange,
  onFault,
  reset,
}: ControlProps & { field: ListField; value: readonly number[] }) {
  const [draft, setDraft] = useDraft(value.map(writeNumber).join('  '));
  const finish = () => {
    const parts = draft.split(/[\s;]+/).filter(Boolean);
    const numbers = parts.map(readNumber);
    const wrong = numbers.indexOf(undefined);
    const fault = wrong >= 0 ? `entry ${wrong + 1}, “${parts[wrong]}”, is not a number` : checkField(field, numbers);
    onFault(fault === undefined ? undefined : `${field.label}: ${fault}. The last valid list stays in force.`);
    if (fault === undefined && !same(numbers, value)) onChange(numbers);
  };
  return (
    <span className="input">
      <input
        id={id}
        type="text"
        autoComplete="off"
        spellCheck={false}
        value={draft}
        aria-describedby={describedBy}
        onChange={(event) => setDraft(event.target.value)}
        onBlur={finish}
        onKeyDown={(event) => event.key === 'Enter' && finish()}
      />
      {reset && <ResetToDefault name={`${field.label}: back to ${field.default.join(' ')}`} onReset={reset} />}
    </span>
  );
}

function TextInput({
  field,
  value,
  id,
  describedBy,
  onChange,
  onFault,
}: ControlProps & { field: TextField; value: string }) {
  const [draft, setDraft] = useDraft(value);
  const finish = () => {
    const fault = checkField(field, draft);
    onFault(fault === undefined ? undefined : `${field.label} ${fault}.`);
    if (fault === undefined && draft !== value) onChange(draft);
  };
  return (
    <textarea
      id={id}
      className="select"
      rows={Math.min(12, Math.max(2, draft.split('\n').length))}
      spellCheck={false}
      value={draft}
      aria-describedby={describedBy}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={finish}
    />
  );
}

/** Tables come with the scenario file; here they are described, not edited. */
function DataSummary({ id, value }: { id: string; value: unknown }) {
  const size =
    value === null || value === undefined
      ? 'none'
      : Array.isArray(value)
        ? `${value.length} rows`
        : `${Object.keys(value).length} entries`;
  return (
    <output id={id} className="mono data-summary">
      {size}, from the scenario file
    </output>
  );
}

/** Text being typed, replaced when the value changes from outside. */
function useDraft(text: string): [string, (text: string) => void] {
  const [state, setState] = useState({ text, draft: text });
  if (state.text !== text) setState({ text, draft: text });
  return [state.text === text ? state.draft : text, (draft) => setState({ text, draft })];
}

function rangeOf(field: Field): string {
  if (field.kind === 'number') return `${writeNumber(field.min)} to ${writeNumber(field.max)}`;
  if (field.kind === 'list') return `${field.minLength} to ${field.maxLength} numbers`;
  return '';
}
