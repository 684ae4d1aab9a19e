/**
 * Joins the scenario being edited with the run. A live setting goes to the run at once; any other waits for a
 * reset, unless nothing has been trained yet. Every door to the run that a button, a key or a menu uses is here.
 */
import { create } from 'zustand';
import type { Problem } from '../engine/parameters';
import { ScenarioProblems } from '../engine/problems';
import { type Resolved, resolve } from '../engine/resolve';
import type { Scenario } from '../engine/scenario';
import { resolveText } from '../engine/text/resolve';
import { type Parsed, parseScenario } from '../formats/scenario';
import { readOwnScenario } from './gallery';
import { lackAt } from './phases';
import { PRESET_IDS, REGISTRY, worldOf } from './registry';
import { type RunState, useRun } from './run';
import { type Difference, differences, useScenario, withSetting } from './scenario';
import { useSettings } from './settings';
import { useToasts } from './toasts';

interface SessionState {
  /** Address of the project's own scenario that is open; undefined when it came from a file. */
  readonly own: string | undefined;
  /** The seed of the next load or reset. */
  readonly seed: number;
  /** Settings that wait for a reset. */
  readonly pending: readonly Difference[];
  /** What is wrong with the scenario as it stands in the editor; the run before it goes on. */
  readonly problems: readonly Problem[];
  /** A scenario of control as the engine understands it; the last one that could run. */
  readonly meaning: Resolved | undefined;
}
export const useSession = create<SessionState>()(() => ({
  own: undefined,
  seed: 1,
  pending: [],
  problems: [],
  meaning: undefined,
}));

/** Reads what the engine would make of the scenario; the sizes a device allows are the worker's to check. */
export function findProblems(scenario: Scenario): readonly Problem[] {
  const understood = understand(scenario);
  return 'problems' in understood ? understood.problems : [];
}
function understand(
  scenario: Scenario,
): { readonly meaning: Resolved | undefined } | { readonly problems: readonly Problem[] } {
  try {
    if (worldOf(scenario) === 'control') return { meaning: resolve(scenario, Number.POSITIVE_INFINITY) };
    resolveText(scenario, Number.POSITIVE_INFINITY);
    return { meaning: undefined };
  } catch (error) {
    if (error instanceof ScenarioProblems) return { problems: error.problems };
    throw error;
  }
}

/** Opens a scenario in place of the one before, and takes its place back when the toast's Undo is pressed. */
export function openScenario(scenario: Scenario, own?: string): void {
  const before = useScenario.getState();
  const history = useScenario.temporal.getState().pastStates.length;
  if (before.scenario !== undefined && history > 0) {
    const edited = before.scenario;
    const ownBefore = useSession.getState().own;
    useToasts.getState().show(`${edited.title} was closed with your changes.`, () => openScenario(edited, ownBefore));
  }
  before.open(scenario);
  useSession.setState({ own, seed: 1 });
  look(scenario);
  loadRun();
}

/** Reads one of the project's own scenarios through the same door as any file. */
export async function loadOwnScenario(id: string): Promise<Parsed> {
  const file = await readOwnScenario(id);
  return file === undefined
    ? {
        problems: [
          {
            path: 'address',
            message: `There is no scenario named “${id.length > 60 ? `${id.slice(0, 60)}…` : id}” here.`,
          },
        ],
      }
    : parseScenario(file, REGISTRY, PRESET_IDS);
}

/** Builds the run anew from the scenario as it stands in the editor. */
export function loadRun(): void {
  const { scenario } = useScenario.getState();
  if (scenario === undefined || useSession.getState().problems.length > 0) return;
  const { executor, tuning } = useSettings.getState();
  useSession.setState({ pending: [] });
  useRun.getState().load(scenario, useSession.getState().seed, executor, tuning);
}

export function trainOrPause(): void {
  const { status, train, pause } = useRun.getState();
  if (status === 'training') pause();
  else if (canTrain()) train();
}
export function oneUpdate(): void {
  if (canTrain()) useRun.getState().oneUpdate();
}
export function canTrain(): boolean {
  const { status } = useRun.getState();
  return (
    (status === 'ready' || status === 'paused' || status === 'finished') && lackNow(useRun.getState()) === undefined
  );
}

/** What the person has yet to gather before the run can go on. */
export function lackNow({ running, update, collected }: Pick<RunState, 'running' | 'update' | 'collected'>) {
  return running && lackAt(running.scenario.phases, update, collected);
}

/** Lets the policy as it is now write episodes of one task, to pick and to prefer from. */
export function writeEpisodes(): void {
  const { shapes, tryOut } = useRun.getState();
  const tasks = shapes?.text?.tasks ?? 1;
  tryOut({ task: Math.floor(Math.random() * tasks), count: 6, temperature: 1, greedy: false, given: [] });
}

/** Back to the initial weights of the seed, with the settings that waited for it. */
export function reset(): void {
  const { update, running, status } = useRun.getState();
  const { seed, pending } = useSession.getState();
  if (running === undefined || pending.length > 0 || status === 'failed' || status === 'stopped') return loadRun();
  if (status === 'loading') return;
  useRun.getState().reset(seed);
  if (update > 0)
    useToasts.getState().show(`Reset to the initial weights of seed ${seed}.`, () => useRun.getState().undoReset());
}

/** Changes that wait for a reset, the seed's among them. */
export function usePendingCount(): number {
  return useSession((state) => state.pending.length) + Number(useSeedPending());
}
export function useSeedPending(): boolean {
  const seed = useSession((state) => state.seed);
  return useRun(({ running }) => running !== undefined && running.seed !== seed);
}

export function setSeed(seed: number): void {
  useSession.setState({ seed });
  const { update, status, running } = useRun.getState();
  if (running !== undefined && update === 0 && status === 'ready') useRun.getState().reset(seed);
}

export function playItYourself(): void {
  const { play, textPlay, playStart, playStop, shapes } = useRun.getState();
  if (play !== undefined || textPlay !== undefined) playStop();
  else if (shapes !== undefined) playStart(Math.floor(Math.random() * 2 ** 31));
}

/** Notes what is wrong with the scenario, or what it means. */
function look(scenario: Scenario): void {
  const understood = understand(scenario);
  useSession.setState(
    'problems' in understood ? { problems: understood.problems } : { problems: [], meaning: understood.meaning },
  );
}

/** Sends what changed in the editor to the run; called on every edit, undo and redo. */
function synchronize(edited: Scenario): void {
  look(edited);
  const { running, update, status, set } = useRun.getState();
  if (running === undefined) return loadSoon();
  const changes = differences(running.scenario, edited, REGISTRY);
  let scenario = running.scenario;
  if (useSession.getState().problems.length === 0) {
    for (const change of changes.filter(({ live }) => live)) {
      scenario = withSetting(scenario, change);
      set(change.path, change.value, scenario, labelOf(edited, change));
    }
  }
  const pending = changes.filter(({ live }) => !live);
  useSession.setState({ pending });
  if (pending.length > 0 && update === 0 && status !== 'training') loadSoon();
}

/** Nothing is lost by building an untrained run anew; a moment's wait joins edits that follow each other. */
let loadTimer: ReturnType<typeof setTimeout> | undefined;
function loadSoon(): void {
  clearTimeout(loadTimer);
  loadTimer = setTimeout(loadRun, 400);
}

useScenario.subscribe(({ scenario, opened }, before) => {
  // Opening loads the run itself; an edit changes the scenario alone.
  if (scenario !== undefined && scenario !== before.scenario && opened === before.opened) synchronize(scenario);
});
useRun.subscribe(({ tuning }, before) => {
  if (tuning !== undefined && tuning !== before.tuning) useSettings.getState().change({ tuning });
});

useSettings.subscribe(({ executor }, before) => {
  if (executor !== before.executor) loadRun();
});

/** “Clip range 0.1”: the setting by its label, for the mark in the curves. */
function labelOf(scenario: Scenario, { path, value }: Difference): string {
  const [slot, , key] = path.split('.') as [keyof Scenario['slots'], string, string];
  const field = REGISTRY[slot][scenario.slots[slot].id]?.parameters[key];
  return `${field?.label ?? key} ${typeof value === 'number' ? value : value === true ? 'on' : value === false ? 'off' : String(value)}`;
}
