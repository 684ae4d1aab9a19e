/** The policy as it is now, asked for episodes aside from the run. */
import { Play } from 'lucide-react';
import { useId, useState } from 'react';
import type { NumberField } from '../../engine/parameters';
import type { TryOut } from '../../stores/run';
import { Button } from '../button';
import { LabelledNumber } from '../number-field';

export interface TryOutFormProps {
  /** Tasks that there are. */
  readonly tasks: number;
  readonly trying: boolean;
  /** Why it cannot be asked now; undefined when it can. */
  readonly unavailable: string | undefined;
  readonly onTry: (wish: TryOut) => void;
}

const COUNT: NumberField = {
  kind: 'number',
  label: 'Episodes',
  help: 'How many it writes.',
  default: 4,
  min: 1,
  max: 16,
  integer: true,
};
const TEMPERATURE: NumberField = {
  kind: 'number',
  label: 'Temp.',
  help: 'Temperature: above 1 it tries more, below 1 it keeps to what it likes. Only for this try-out.',
  default: 1,
  min: 0.05,
  max: 10,
  step: 0.1,
};
const taskField = (tasks: number): NumberField => ({
  kind: 'number',
  label: 'Task',
  help: 'The same number is the same task.',
  default: 0,
  min: 0,
  max: Math.max(0, tasks - 1),
  integer: true,
});

export function TryOutForm({ tasks, trying, unavailable, onTry }: TryOutFormProps) {
  const id = useId();
  const [numbered, setNumbered] = useState(false);
  const [task, setTask] = useState(0);
  const [count, setCount] = useState(COUNT.default);
  const [temperature, setTemperature] = useState(TEMPERATURE.default);
  const [greedy, setGreedy] = useState(false);
  return (
    <section className="try-form" aria-label="Try the policy">
      <label htmlFor={id}>
        <b>Try the policy</b>
      </label>
      <select
        id={id}
        className="select"
        value={numbered ? 'number' : 'next'}
        onChange={({ target }) => setNumbered(target.value === 'number')}
      >
        <option value="next">next tasks</option>
        <option value="number">task number</option>
      </select>
      {numbered && <LabelledNumber field={taskField(tasks)} value={Math.min(task, tasks - 1)} onCommit={setTask} />}
      <LabelledNumber field={COUNT} value={count} onCommit={setCount} />
      {!greedy && <LabelledNumber field={TEMPERATURE} value={temperature} onCommit={setTemperature} />}
      <label className="check">
        <input type="checkbox" checked={greedy} onChange={({ target }) => setGreedy(target.checked)} />
        Greedy
      </label>
      <Button
        size="small"
        icon={Play}
        unavailable={trying ? 'It is writing' : unavailable}
        onClick={() => onTry({ task: numbered ? task : null, count, temperature, greedy })}
      >
        {trying ? 'Writing…' : 'Run'}
      </Button>
    </section>
  );
}
