/** The schedule: each phase with its kind, its first update, its settings, and what differs from the scenario in it. */
import { ArrowDown, ArrowUp, ChevronDown, type LucideIcon, Plus, Trash2, X } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { useContext, useId, useRef, useState } from 'react';
import { Button, FloatingLayer, IconButton } from '../../components/button';
import { SettingField } from '../../components/setting-field';
import type { Field, NumberField } from '../../engine/parameters';
import type { Phase, Scenario } from '../../engine/scenario';
import { lackOf, roomOf } from '../../stores/phases';
import { choicesFor, REGISTRY } from '../../stores/registry';
import { useRun } from '../../stores/run';
import { useScenario } from '../../stores/scenario';
import { useSession } from '../../stores/session';
import { KINDS } from './cards';
import { CHANGEABLE, settingAt, unchangedSettings } from './phase-settings';
import { FormFrame } from './stage-form';
import { useWorkbench } from './state';

export function PhasesForm({ icon }: { icon: LucideIcon }) {
  const scenario = useScenario((state) => state.scenario);
  const now = useRun((state) => state.phase?.index);
  const focus = useWorkbench((state) => state.focus);
  const [open, setOpen] = useState(() => (focus === undefined ? undefined : Number(focus.split('.')[0])));
  const list = useRef<HTMLOListElement>(null);
  if (scenario === undefined) return null;
  const { addPhase, movePhase, removePhase } = useScenario.getState();
  const { phases } = scenario;
  /** Opens a phase and gives it the focus, which its place in the list may have lost. */
  const lead = (index: number) => {
    setOpen(index);
    requestAnimationFrame(() => list.current?.querySelectorAll('summary')[index]?.focus());
  };
  return (
    <FormFrame stage="phases" icon={icon}>
      <p className="stage-summary">
        Training goes through these in order, each until the next begins.{' '}
        {phases.length === 0 && 'There is none yet: every update reinforces.'}
      </p>
      <ol className="phases" ref={list}>
        {phases.map((phase, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a phase is its place in the schedule; it has no name of its own.
          <li key={index}>
            <PhaseItem
              scenario={scenario}
              phase={phase}
              index={index}
              now={now === index}
              open={open === index}
              onToggle={() => setOpen(open === index ? undefined : index)}
              onMove={(by) => {
                movePhase(index, by);
                lead(index + by);
              }}
              onRemove={() => {
                removePhase(index);
                lead(Math.max(0, index - 1));
              }}
            />
          </li>
        ))}
      </ol>
      <AddPhase
        onAdd={(id) => {
          addPhase(id, REGISTRY);
          lead(phases.length);
        }}
      />
    </FormFrame>
  );
}

function AddPhase({ onAdd }: { onAdd: (id: string) => void }) {
  const added = useRef(false);
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button icon={Plus}>Add a phase</Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={useContext(FloatingLayer)}>
        <DropdownMenu.Content
          className="menu presets"
          align="start"
          sideOffset={6}
          collisionPadding={8}
          onCloseAutoFocus={(event) => {
            // The focus is led to the new phase, not back to the button.
            if (added.current) event.preventDefault();
            added.current = false;
          }}
        >
          {choicesFor('phase', 'text').map(({ id, title, summary, source }) => (
            <DropdownMenu.Item
              key={id}
              className="menu-item preset-item"
              onSelect={() => {
                added.current = true;
                onAdd(id);
              }}
            >
              <span className="preset-title">{title}</span>
              <span>{summary}</span>
              <span className="muted">{source}</span>
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

interface PhaseItemProps {
  readonly scenario: Scenario;
  readonly phase: Phase;
  readonly index: number;
  /** The run is in it. */
  readonly now: boolean;
  readonly open: boolean;
  readonly onToggle: () => void;
  readonly onMove: (by: 1 | -1) => void;
  readonly onRemove: () => void;
}

function PhaseItem({ scenario, phase, index, now, open, onToggle, onMove, onRemove }: PhaseItemProps) {
  const { changePhase } = useScenario.getState();
  const pending = useSession((state) => state.pending.some(({ path }) => path === 'phases'));
  const problems = useSession((state) => state.problems);
  const focus = useWorkbench((state) => state.focus);
  const described = REGISTRY.phase[phase.id];
  const title = described?.title ?? phase.id;
  const number = index + 1;
  const last = scenario.phases.length - 1;
  const problemAt = (path: string) => problems.find((one) => one.path === `phases.${index}.${path}`)?.message;
  const lack = lackOf(
    phase,
    useRun((state) => state.collected),
  );
  return (
    <details className="phase" open={open} onToggle={({ currentTarget }) => currentTarget.open !== open && onToggle()}>
      <summary>
        <ChevronDown size={16} aria-hidden />
        <span className="phase-title">
          {number} {title}
        </span>
        {now && <span className="changed">now</span>}
        <span className="range">from update {phase.from}</span>
      </summary>
      <div className="phase-ways">
        <IconButton
          size="small"
          icon={ArrowUp}
          name={`Phase ${number} earlier`}
          unavailable={index === 0 ? 'It is the first' : undefined}
          onClick={() => onMove(-1)}
        />
        <IconButton
          size="small"
          icon={ArrowDown}
          name={`Phase ${number} later`}
          unavailable={index === last ? 'It is the last' : undefined}
          onClick={() => onMove(1)}
        />
        <IconButton size="small" icon={Trash2} name={`Remove phase ${number}`} onClick={onRemove} />
      </div>
      {described !== undefined && (
        <>
          <p className="stage-summary">{described.summary}</p>
          {described.formula !== '' && <p className="formula">{described.formula}</p>}
          {described.source !== '' && <p className="stage-source">{described.source}</p>}
        </>
      )}
      {index > 0 && (
        <SettingField
          field={fromField(scenario, index)}
          value={phase.from}
          base={phase.from}
          pending={pending}
          notSet={problemAt('from')}
          focused={focus === `${index}.from`}
          onChange={(from) => changePhase(index, { from: from as number })}
        />
      )}
      {Object.entries(described?.parameters ?? {}).map(([key, field]) => (
        <SettingField
          key={`${phase.id} ${key}`}
          field={field}
          value={phase.parameters[key]}
          base={field.default}
          pending={pending}
          notSet={problemAt(`parameters.${key}`) ?? (lack?.key === key ? lack.message : undefined)}
          focused={focus === `${index}.parameters.${key}`}
          onChange={(value) => changePhase(index, { parameters: { ...phase.parameters, [key]: value } })}
        />
      ))}
      <Changes scenario={scenario} phase={phase} index={index} pending={pending} problemAt={problemAt} />
    </details>
  );
}

function fromField({ phases, training }: Scenario, index: number): NumberField {
  const [min, max] = roomOf(phases, index, training.updates);
  return {
    kind: 'number',
    label: 'First update',
    help: 'Updates done when it begins; the phase before it ends there.',
    default: phases[index]?.from ?? min,
    min,
    max,
    integer: true,
    step: 1,
  };
}

interface ChangesProps {
  readonly scenario: Scenario;
  readonly phase: Phase;
  readonly index: number;
  readonly pending: boolean;
  readonly problemAt: (path: string) => string | undefined;
}

/** The settings that are others while the phase lasts. */
function Changes({ scenario, phase, index, pending, problemAt }: ChangesProps) {
  const id = useId();
  const { changePhase } = useScenario.getState();
  const set = (path: string, value: unknown) => changePhase(index, { with: { ...phase.with, [path]: value } });
  const remove = (path: string) => {
    const { [path]: _removed, ...rest } = phase.with;
    changePhase(index, { with: rest });
  };
  return (
    <fieldset className="phase-changes">
      <legend>Settings that differ in this phase</legend>
      {Object.entries(phase.with).map(([path, value]) => {
        const setting = settingAt(scenario, path);
        return (
          <div key={path} className="phase-change">
            {setting === undefined ? (
              <p className="field-fault">{path} is not a setting of this scenario</p>
            ) : (
              <SettingField
                field={named(setting.field, `${KINDS[setting.slot]}: ${setting.field.label}`)}
                value={value}
                base={setting.value}
                pending={pending}
                notSet={problemAt(`with.${path}`)}
                onChange={(next) => set(path, next)}
              />
            )}
            <IconButton
              size="small"
              icon={X}
              name={`As in the rest of the run: ${setting?.field.label ?? path}`}
              onClick={() => remove(path)}
            />
          </div>
        );
      })}
      <div className="field">
        <label htmlFor={id} className="field-help">
          Another setting
        </label>
        <select
          id={id}
          className="select"
          value=""
          onChange={({ target }) => {
            const setting = settingAt(scenario, target.value);
            if (setting !== undefined) set(target.value, setting.value);
          }}
        >
          <option value="">Choose…</option>
          {CHANGEABLE.map((slot) => {
            const settings = unchangedSettings(scenario, phase, slot);
            return settings.length === 0 ? null : (
              <optgroup key={slot} label={KINDS[slot]}>
                {settings.map(({ path, label }) => (
                  <option key={path} value={path}>
                    {label}
                  </option>
                ))}
              </optgroup>
            );
          })}
        </select>
      </div>
    </fieldset>
  );
}

const named = (field: Field, label: string): Field => ({ ...field, label });
