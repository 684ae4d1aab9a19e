/** The form of one stage, made from the schema of its choice, in place of the cards; Esc leads back to them. */
import { ArrowLeft, type LucideIcon } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { IconButton } from '../../components/button';
import { Mark, SettingField } from '../../components/setting-field';
import type { Field, Schema } from '../../engine/parameters';
import type { Scenario, Slot, TrainingPlan } from '../../engine/scenario';
import { TRAINING } from '../../formats/scenario';
import { choicesFor, REGISTRY, worldOf } from '../../stores/registry';
import { useRun } from '../../stores/run';
import { useScenario } from '../../stores/scenario';
import { setSeed, useSeedPending, useSession } from '../../stores/session';
import { baseOf, unlikePreset } from './base';
import { KINDS } from './cards';
import { SEED } from './plan';
import { closeStage, type StageName, useWorkbench } from './state';

export function StageForm({ stage, icon }: { stage: Exclude<StageName, 'phases'>; icon: LucideIcon }) {
  const scenario = useScenario((state) => state.scenario);
  if (scenario === undefined) return null;
  return (
    <FormFrame stage={stage} icon={icon}>
      {stage === 'training' ? <PlanFields scenario={scenario} /> : <SlotFields scenario={scenario} slot={stage} />}
    </FormFrame>
  );
}

/** Heading, the way back, and Esc. */
export function FormFrame({
  stage,
  icon: Icon,
  children,
}: {
  stage: StageName;
  icon: LucideIcon;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The card that was pressed is gone: the focus goes on in its form, unless a setting has it already.
    if (useWorkbench.getState().focus === undefined) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Esc closes the form from any of its fields.
    <div className="stage-form" onKeyDown={(event) => event.key === 'Escape' && closeStage()}>
      <div className="panel-head">
        <IconButton size="small" icon={ArrowLeft} name="Back to the pipeline" shortcut="Esc" onClick={closeStage} />
        <h2 ref={heading} tabIndex={-1}>
          {KINDS[stage]}
        </h2>
        <span className="end stage-icon">
          <Icon size={18} strokeWidth={1.75} aria-hidden />
        </span>
      </div>
      <div className="panel-body">{children}</div>
    </div>
  );
}

function SlotFields({ scenario, slot }: { scenario: Scenario; slot: Slot }) {
  const id = useId();
  const pending = useSession((state) => state.pending);
  const notSet = useRun((state) => state.notSet);
  const focus = useWorkbench((state) => state.focus);
  const { choose, setParameter } = useScenario.getState();
  const choice = scenario.slots[slot];
  const known = choicesFor(slot, worldOf(scenario));
  const described = REGISTRY[slot][choice.id];
  const base = baseOf(scenario, slot);
  if (described === undefined) return null;
  return (
    <>
      <div className="field">
        <div className="field-head">
          <label htmlFor={id}>Choice</label>
          <Mark changed={base.id !== choice.id} unlike={unlikePreset(scenario, slot, 'id')} />
        </div>
        <select
          id={id}
          className="select"
          value={choice.id}
          onChange={({ target }) => choose(slot, target.value, REGISTRY)}
        >
          {known.map((one) => (
            <option key={one.id} value={one.id}>
              {one.title}
            </option>
          ))}
        </select>
      </div>
      <p className="stage-summary">{described.summary}</p>
      {described.formula !== '' && <p className="formula">{described.formula}</p>}
      {described.source !== '' && <p className="stage-source">{described.source}</p>}
      {slot === 'reward' && <Signals />}
      {groupsOf(described.parameters).map(({ group, fields }) => (
        <Group key={group} title={group}>
          {fields.map(([key, field]) => (
            <SettingField
              key={`${choice.id} ${key}`}
              field={field}
              value={choice.parameters[key]}
              base={base.id === choice.id ? base.parameters[key] : field.default}
              unlike={unlikePreset(scenario, slot, key)}
              pending={pending.some(({ path }) => path === `${slot}.parameters.${key}`)}
              notSet={notSet[`${slot}.parameters.${key}`]}
              focused={focus === key}
              onChange={(value) => setParameter(slot, key, value)}
            />
          ))}
        </Group>
      ))}
      {Object.keys(described.parameters).length === 0 && <p className="field-help">This choice has no settings.</p>}
    </>
  );
}

/** Settings by their heading, in the order in which headings first appear; those without one come first. */
function groupsOf(schema: Schema): { group: string; fields: [string, Field][] }[] {
  const fields = Object.entries(schema);
  const groups = new Set(['', ...fields.map(([, { group = '' }]) => group)]);
  return [...groups].map((title) => ({
    group: title,
    fields: fields.filter(([, { group = '' }]) => group === title),
  }));
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  if (title === '') return children;
  return (
    <fieldset className="setting-group">
      <legend>{title}</legend>
      {children}
    </fieldset>
  );
}

/** The numbers that the environment reports, in the order of the weights. */
function Signals() {
  const signals = useRun((state) => state.shapes?.signals);
  // Success is never part of the reward.
  const names = signals?.filter((name) => name !== 'success');
  return names === undefined ? null : (
    <p className="field-help">Signals of this environment, in order: {names.join(', ')}.</p>
  );
}

function PlanFields({ scenario }: { scenario: Scenario }) {
  const pending = useSession((state) => state.pending);
  const seed = useSession((state) => state.seed);
  const opened = useScenario((state) => state.opened);
  const { setPlan } = useScenario.getState();
  return (
    <>
      <p className="stage-summary">How long to train, how often to test, and the seed of all randomness.</p>
      <SettingField
        field={SEED}
        value={seed}
        base={seed}
        pending={useSeedPending()}
        onChange={(value) => setSeed(value as number)}
      />
      {(Object.entries(TRAINING) as [keyof TrainingPlan, Field][]).map(([key, field]) => (
        <SettingField
          key={key}
          field={field}
          value={scenario.training[key]}
          base={opened?.training[key]}
          pending={pending.some(({ path }) => path === `training.${key}`)}
          onChange={(value) => setPlan(key, value as number | boolean)}
        />
      ))}
    </>
  );
}
