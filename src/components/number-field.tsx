/**
 * A number with its unit and range. Decimal comma or point; ↑↓ one step, Shift ten. A value that does not fit stays
 * in the field with a sentence, and the last valid value stays in force until it is mended.
 */
import { RotateCcw } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { checkField, type NumberField as NumberSchema } from '../engine/parameters';
import { readNumber, writeNumber } from '../formats/number';

export interface NumberInputProps {
  readonly id: string;
  readonly field: NumberSchema;
  readonly value: number;
  readonly describedBy?: string | undefined;
  readonly label?: string;
  /** Called with valid values only; arrow steps are joined. */
  readonly onCommit: (value: number) => void;
  /** The sentence for a value that does not fit, or undefined when all is well. */
  readonly onFault: (fault: string | undefined) => void;
  readonly onResetToDefault?: (() => void) | undefined;
}

/** Arrow keys held down are one change, not forty. */
const JOIN = 300;

export function NumberInput({
  id,
  field,
  value,
  describedBy,
  label,
  onCommit,
  onFault,
  onResetToDefault,
}: NumberInputProps) {
  const [draft, setDraft] = useState(() => writeNumber(value));
  const [faulty, setFaulty] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const commitSoon = useRef<(() => void) | undefined>(undefined);
  const known = useRef(value);
  const report = (fault: string | undefined) => {
    setFaulty(fault !== undefined);
    onFault(fault);
  };
  useEffect(() => {
    // A change from outside (undo, preset) replaces the draft; our own does not.
    if (known.current === value) return;
    known.current = value;
    setDraft(writeNumber(value));
    setFaulty(false);
  }, [value]);
  // A step that waits to be joined with the next is not lost when the form closes.
  useEffect(() => () => commitSoon.current?.(), []);

  const commit = (next: number) => {
    clearTimeout(timer.current);
    commitSoon.current = undefined;
    if (next === known.current) return;
    known.current = next;
    onCommit(next);
  };
  /** Returns the number when the text is one that fits. */
  const take = (text: string): number | undefined => {
    const number = readNumber(text);
    const fault =
      number === undefined ? (text.trim() === '' ? 'needs a number' : 'is not a number') : checkField(field, number);
    report(fault === undefined ? undefined : `${field.label} ${fault}. ${writeNumber(known.current)} stays in force.`);
    return fault === undefined ? number : undefined;
  };
  const finish = () => {
    const number = take(draft);
    if (number === undefined) return;
    setDraft(writeNumber(number));
    commit(number);
  };
  const step = (direction: number) => {
    const from = readNumber(draft) ?? known.current;
    const next = stepped(field, from, direction);
    setDraft(writeNumber(next));
    if (take(writeNumber(next)) === undefined) return;
    clearTimeout(timer.current);
    commitSoon.current = () => commit(next);
    timer.current = setTimeout(commitSoon.current, JOIN);
  };

  return (
    <span className={`input${faulty ? ' faulty' : ''}`}>
      <input
        id={id}
        type="text"
        inputMode="decimal"
        autoComplete="off"
        spellCheck={false}
        value={draft}
        aria-label={label}
        aria-invalid={faulty || undefined}
        aria-describedby={describedBy}
        onChange={(event) => {
          setDraft(event.target.value);
          if (faulty) take(event.target.value);
        }}
        onBlur={finish}
        onKeyDown={(event) => {
          if (event.key === 'Enter') finish();
          else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
            event.preventDefault();
            step((event.key === 'ArrowUp' ? 1 : -1) * (event.shiftKey ? 10 : 1));
          }
        }}
      />
      {field.unit !== undefined && <span className="unit">{field.unit}</span>}
      {onResetToDefault && (
        <ResetToDefault name={`${field.label}: back to ${writeNumber(field.default)}`} onReset={onResetToDefault} />
      )}
    </span>
  );
}

export function ResetToDefault({ name, onReset }: { name: string; onReset: () => void }) {
  return (
    <button type="button" aria-label={name} title={name} onClick={onReset}>
      <RotateCcw size={14} aria-hidden />
    </button>
  );
}

/** One arrow key's change, within the range and free of rounding dust. Logarithmic fields multiply. */
export function stepped(field: NumberSchema, from: number, direction: number): number {
  const step = field.step ?? (field.integer ? 1 : (field.max - field.min) / 100);
  const ratio = field.step !== undefined && field.step > 1 ? field.step : 1.25;
  const moved = field.logarithmic && from > 0 ? from * ratio ** direction : from + step * direction;
  const bounded = Math.min(field.max, Math.max(field.min, moved));
  return field.integer ? Math.round(bounded) : Number(bounded.toPrecision(field.logarithmic ? 3 : 12));
}

/** A labelled number outside a schema's form, such as the seed. */
export function LabelledNumber({
  field,
  value,
  onCommit,
}: {
  field: NumberSchema;
  value: number;
  onCommit: (value: number) => void;
}) {
  const id = useId();
  const [fault, setFault] = useState<string>();
  return (
    <span className="labelled-number" title={field.help}>
      <label htmlFor={id}>{field.label}</label>
      <NumberInput
        id={id}
        field={field}
        value={value}
        describedBy={fault && `${id}-fault`}
        onCommit={onCommit}
        onFault={setFault}
      />
      {fault !== undefined && (
        <span id={`${id}-fault`} className="field-fault" role="alert">
          {fault}
        </span>
      )}
    </span>
  );
}
