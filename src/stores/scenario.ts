/**
 * The scenario being edited, with undo. History starts at the loaded state: undo never goes past it, and it holds
 * the scenario alone, so a run in progress is never undone.
 */
import { temporal } from 'zundo';
import { create } from 'zustand';
import { checkParameters, defaultsOf } from '../engine/parameters';
import { type Choice, type Phase, type Scenario, SLOTS, type Slot, type TrainingPlan } from '../engine/scenario';
import type { Registry } from '../formats/scenario';
import { addPhase, movePhase, removePhase } from './phases';

/** Where a setting stands: `loss.parameters.clip`, `loss.id`, `training.updates`. */
export type SettingPath = string;

export interface ScenarioState {
  /** Undefined until one was opened. */
  readonly scenario: Scenario | undefined;
  /** The scenario as it was opened. */
  readonly opened: Scenario | undefined;
  open(scenario: Scenario): void;
  setParameter(slot: Slot, key: string, value: unknown): void;
  setPlan(key: keyof TrainingPlan, value: number | boolean): void;
  /** Another choice for the slot: changed settings that both know stay, the rest take their defaults. */
  choose(slot: Slot, id: string, registry: Registry): void;
  /** The preset's choices and settings; slots that it does not name stay. */
  applyPreset(id: string, slots: Partial<Record<Slot, Choice>>, registry: Registry): void;
  /** One more phase at the end of the schedule, with the defaults of its kind. */
  addPhase(id: string, registry: Registry): void;
  removePhase(index: number): void;
  movePhase(index: number, by: 1 | -1): void;
  changePhase(index: number, change: Partial<Omit<Phase, 'id'>>): void;
}

export const useScenario = create<ScenarioState>()(
  temporal(
    (set, get) => {
      const edit = (change: (scenario: Scenario) => Scenario) => {
        const { scenario } = get();
        if (scenario === undefined) return;
        const next = change(scenario);
        if (!same(next, scenario)) set({ scenario: next });
      };
      const editSlot = (slot: Slot, change: (choice: Choice) => Choice) =>
        edit((scenario) => ({ ...scenario, slots: { ...scenario.slots, [slot]: change(scenario.slots[slot]) } }));
      const editPhases = (change: (phases: readonly Phase[], scenario: Scenario) => readonly Phase[]) =>
        edit((scenario) => ({ ...scenario, phases: change(scenario.phases, scenario) }));
      return {
        scenario: undefined,
        opened: undefined,
        open: (scenario) => {
          set({ scenario, opened: scenario });
          useScenario.temporal.getState().clear();
        },
        setParameter: (slot, key, value) =>
          editSlot(slot, (choice) => ({ ...choice, parameters: { ...choice.parameters, [key]: value } })),
        setPlan: (key, value) =>
          edit((scenario) => ({ ...scenario, training: { ...scenario.training, [key]: value } })),
        choose: (slot, id, registry) =>
          editSlot(slot, (choice) =>
            choice.id === id ? choice : { id, parameters: carryOver(registry[slot], choice, id) },
          ),
        applyPreset: (id, slots, registry) =>
          edit((scenario) => ({
            ...scenario,
            preset: id,
            slots: {
              ...scenario.slots,
              ...Object.fromEntries(
                SLOTS.flatMap((slot) => {
                  const choice = slots[slot];
                  const schema = choice === undefined ? undefined : registry[slot][choice.id]?.parameters;
                  if (choice === undefined || schema === undefined) return [];
                  return [[slot, { id: choice.id, parameters: { ...defaultsOf(schema), ...choice.parameters } }]];
                }),
              ),
            },
          })),
        addPhase: (id, registry) =>
          editPhases((phases, { training }) =>
            addPhase(phases, id, defaultsOf(registry.phase[id]?.parameters ?? {}), training.updates),
          ),
        removePhase: (index) => editPhases((phases) => removePhase(phases, index)),
        movePhase: (index, by) => editPhases((phases) => movePhase(phases, index, by)),
        changePhase: (index, change) =>
          editPhases((phases) => phases.map((phase, at) => (at === index ? { ...phase, ...change } : phase))),
      };
    },
    {
      limit: 200,
      partialize: (state) => ({ scenario: state.scenario }),
      equality: (past, current) => past.scenario === current.scenario,
    },
  ),
);

export const undo = () => useScenario.temporal.getState().undo();
export const redo = () => useScenario.temporal.getState().redo();

/** The other choice's parameters: what the person had changed stays, where both know the name and the value fits. */
function carryOver(known: Registry[Slot], old: Choice, id: string): Choice['parameters'] {
  const schema = known[id]?.parameters ?? {};
  const before = known[old.id]?.parameters ?? {};
  const changed = Object.entries(old.parameters).filter(
    ([key, value]) => Object.hasOwn(schema, key) && !same(value, before[key]?.default),
  );
  return checkParameters(schema, Object.fromEntries(changed), '').parameters;
}

/** Deep equality of plain data. */
export function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const keys = Object.keys(a);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    keys.length === Object.keys(b).length &&
    keys.every(
      (key) => Object.hasOwn(b, key) && same((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
    )
  );
}

/** One setting that differs between two scenarios. */
export interface Difference {
  readonly path: SettingPath;
  readonly value: unknown;
  /** It can take effect in the running run; the others wait for a reset. */
  readonly live: boolean;
}

/** What differs in `next` from what runs now. A new choice in a slot is one difference, at `slot.id`. */
export function differences(running: Scenario, next: Scenario, registry: Registry): Difference[] {
  const slots = SLOTS.flatMap((slot): Difference[] => {
    const before = running.slots[slot];
    const after = next.slots[slot];
    if (before === after) return [];
    if (before.id !== after.id) return [{ path: `${slot}.id`, value: after.id, live: false }];
    const schema = registry[slot][after.id]?.parameters ?? {};
    return Object.keys(schema)
      .filter((key) => !same(before.parameters[key], after.parameters[key]))
      .map((key) => ({
        path: `${slot}.parameters.${key}`,
        value: after.parameters[key],
        live: schema[key]?.live === true,
      }));
  });
  const plan = (Object.keys(next.training) as (keyof TrainingPlan)[])
    .filter((key) => running.training[key] !== next.training[key])
    .map((key) => ({ path: `training.${key}`, value: next.training[key], live: false }));
  const phases = same(running.phases, next.phases) ? [] : [{ path: 'phases', value: next.phases, live: false }];
  return [...slots, ...plan, ...phases];
}

/** `scenario` with one setting as a Difference has it. */
export function withSetting(scenario: Scenario, { path, value }: Pick<Difference, 'path' | 'value'>): Scenario {
  const [slot, , key] = path.split('.') as [Slot, string, string];
  const choice = scenario.slots[slot];
  return {
    ...scenario,
    slots: { ...scenario.slots, [slot]: { ...choice, parameters: { ...choice.parameters, [key]: value } } },
  };
}
