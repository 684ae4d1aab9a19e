/** The policy as it is now, asked for episodes aside from the run. */
import { Play } from 'lucide-react';
import { useId } from 'react';
import type { NumberField } from '../../engine/parameters';
import type { TryOut } from '../../stores/run';
import { Button } from '../button';
import { LabelledNumber } from '../number-field';
import { tokensOf } from './choosing';
import type { Language } from './episode';

export interface TryOutFormProps {
  /** Tasks that there are. */
  readonly tasks: number;
  readonly language: Language;
  readonly trying: boolean;
  /** Why the last wish could not be met. */
  readonly fault: string | undefined;
  /** Why it cannot be asked now; undefined when it can. */
  readonly unavailable: string | undefined;
  readonly wish: Wish;
  readonly onWish: (wish: Wish) => void;
  readonly onTry: (wish: TryOut) => void;
}

/** What stands in the form. */
export interface Wish {
  /** The task with the number below, instead of the next held-out ones. */
  readonly numbered: boolean;
  readonly task: number;
  readonly count: number;
  readonly temperature: number;
  readonly greedy: boolean;
  /** What the first turn is to begin with, as typed. */
  readonly begin: string;
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

export const FIRST_WISH: Wish = {
  numbered: false,
  task: 0,
  count: COUNT.default,
  temperature: TEMPERATURE.default,
  greedy: false,
  begin: '',
};

export function TryOutForm(props: TryOutFormProps) {
  const { tasks, language, trying, fault, unavailable, wish, onWish, onTry } = props;
  const id = useId();
  const { numbered, count, temperature, greedy, begin } = wish;
  const given = tokensOf(begin, language);
  const problem = 'problem' in given ? given.problem : fault;
  const task = Math.min(wish.task, tasks - 1);
  const change = (part: Partial<Wish>) => onWish({ ...wish, ...part });
  return (
    <section className="try-form" aria-label="Try the policy">
      <label htmlFor={id}>
        <b>Try the policy</b>
      </label>
      <select
        id={id}
        className="select"
        value={numbered ? 'number' : 'next'}
        onChange={({ target }) => change({ numbered: target.value === 'number' })}
      >
        <option value="next">next tasks</option>
        <option value="number">task number</option>
      </select>
      {numbered && (
        <LabelledNumber field={taskField(tasks)} value={task} onCommit={(value) => change({ task: value })} />
      )}
      <LabelledNumber field={COUNT} value={count} onCommit={(value) => change({ count: value })} />
      {!greedy && (
        <LabelledNumber field={TEMPERATURE} value={temperature} onCommit={(value) => change({ temperature: value })} />
      )}
      <label className="check">
        <input type="checkbox" checked={greedy} onChange={({ target }) => change({ greedy: target.checked })} />
        Greedy
      </label>
      <span className="try-begin">
        <label htmlFor={`${id}-begin`}>Begin with</label>
        <span className="input">
          <input
            id={`${id}-begin`}
            type="text"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            maxLength={400}
            value={begin}
            placeholder="tokens of its first turn"
            aria-invalid={problem !== undefined}
            aria-describedby={problem === undefined ? undefined : `${id}-fault`}
            onChange={({ target }) => change({ begin: target.value })}
          />
        </span>
      </span>
      <Button
        size="small"
        icon={Play}
        unavailable={trying ? 'It is writing' : 'problem' in given ? given.problem : unavailable}
        onClick={() =>
          'tokens' in given && onTry({ task: numbered ? task : null, count, temperature, greedy, given: given.tokens })
        }
      >
        {trying ? 'Writing…' : 'Run'}
      </Button>
      {problem !== undefined && (
        <p id={`${id}-fault`} className="field-fault" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}
