/**
 * The run as the page knows it: one worker, what it last said, and the metrics so far. Nothing waits: commands go
 * out, events come in. Series live outside React; `tick` changes at most four times a second and tells the
 * curves to look again.
 */
import { create } from 'zustand';
import type { Problem } from '../engine/parameters';
import type { Scenario } from '../engine/scenario';
import type { ValueMap } from '../engine/view';
import type {
  Command,
  DeviceInfo,
  Event,
  ExecutorChoice,
  HealthCause,
  HealthNotice,
  Message,
  RunStatus,
  Shapes,
  TuningMemory,
} from '../worker/protocol';
import { Series } from './series';

/** What the store needs of a Worker; tests give a plain object. */
export interface WorkerLike {
  postMessage(command: Command): void;
  onmessage: ((event: MessageEvent<Message>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  terminate(): void;
}

/** Where the person changed a setting while the run went on. */
export interface Mark {
  readonly update: number;
  /** The setting, or `weights` where older ones were put back. */
  readonly path: string;
  readonly label: string;
}
export type Evaluation = Extract<Event, { type: 'evaluation' }>;
export type PlayEvent = Extract<Event, { type: 'play' }>;
export type TextPlayEvent = Extract<Event, { type: 'text-play' }>;
export type WorldEvent = Extract<Event, { type: 'world' }>;
/** Episodes of tokens, and the update of the policy that writes them. */
export type Written = Omit<Extract<Event, { type: 'transcripts' }>, 'type'>;
/** What the person gathered, and whether the last wish was fulfilled: the run keeps an episode for a while only. */
export interface Collected {
  readonly pairs: number;
  readonly demonstrations: number;
  /** Episodes of this run that are demonstrations. */
  readonly picked: ReadonlySet<number>;
  /** The last wish named an episode that is no longer there. */
  readonly missed: boolean;
}
export type TryOut = Omit<Extract<Command, { type: 'try-out' }>, 'type'>;
export interface Failure {
  readonly what: string;
  readonly message: string;
  readonly advice: string;
}

/** Read-outs that change while training, replaced together at most four times a second. */
export interface Tick {
  readonly update: number;
  readonly steps: number;
  readonly seconds: number;
  /** The newest value of each metric. */
  readonly values: Readonly<Record<string, number>>;
}

export interface RunState {
  readonly status: RunStatus;
  readonly update: number;
  readonly tick: Tick;
  /** Series by metric name: mutable, read again when `tick` changes. */
  readonly series: ReadonlyMap<string, Series>;
  readonly marks: readonly Mark[];
  readonly device: DeviceInfo | undefined;
  readonly shapes: Shapes | undefined;
  /** Tiles measured on this adapter, to be remembered for the next run. */
  readonly tuning: TuningMemory | undefined;
  readonly progress: { readonly what: string; readonly done: number; readonly total: number } | undefined;
  readonly evaluation: Evaluation | undefined;
  /** Open notices, one a cause. */
  readonly health: readonly HealthNotice[];
  readonly failure: Failure | undefined;
  readonly lost: { readonly reason: string; readonly update: number } | undefined;
  /** Why the scenario cannot run; empty when it can. */
  readonly refused: readonly Problem[];
  /** Settings that the run did not take, by path. */
  readonly notSet: Readonly<Record<string, string>>;
  readonly world: WorldEvent | undefined;
  readonly valueMap: ValueMap | undefined;
  readonly play: PlayEvent | undefined;
  readonly textPlay: TextPlayEvent | undefined;
  readonly hint: readonly number[] | undefined;
  readonly transcripts: Written | undefined;
  /** The phase that the run is in; undefined where no phase has begun. */
  readonly phase: Omit<Extract<Event, { type: 'phase' }>, 'type'> | undefined;
  readonly tried: Written | undefined;
  /** A try-out was asked for and has not answered. */
  readonly trying: boolean;
  /** Why the last try-out that was asked for could not be. */
  readonly notTried: string | undefined;
  /** What the person gathered for the phases `prefer` and `imitate`. */
  readonly collected: Collected;
  /** The kernels of the run as they run, once asked for. */
  readonly kernels: Extract<Event, { type: 'kernels' }>['kernels'] | undefined;
  /** What the worker runs now, with the live settings that it was given since. */
  readonly running: { readonly scenario: Scenario; readonly seed: number } | undefined;

  load(scenario: Scenario, seed: number, executor: ExecutorChoice, tuning: TuningMemory): void;
  train(): void;
  pause(): void;
  oneUpdate(): void;
  evaluate(): void;
  listKernels(): void;
  reset(seed: number): void;
  undoReset(): void;
  /** A live setting: sent, and marked in the curves when the run has begun. */
  set(path: string, value: unknown, next: Scenario, label: string): void;
  watch(copies: number, valueMap: boolean, taught?: boolean): void;
  playStart(seed: number): void;
  playAct(action: readonly number[]): void;
  playHint(): void;
  /** Takes the last token back. */
  playBack(): void;
  playStop(): void;
  tryOut(wish: TryOut): void;
  prefer(chosen: number, rejected: number): void;
  /** The episode becomes a demonstration, or is one no longer. */
  pick(episode: number): void;
  /** Drops every pair and demonstration. */
  forget(): void;
  restoreGood(): void;
  dismissHealth(cause: HealthCause): void;
  continueOn(executor: ExecutorChoice): void;
}

/** Milliseconds between two changes of `tick`. */
const TICK = 250;
const NOTHING: Tick = { update: 0, steps: 0, seconds: 0, values: {} };
const FRESH = {
  update: 0,
  tick: NOTHING,
  marks: [],
  evaluation: undefined,
  health: [],
  failure: undefined,
  lost: undefined,
  refused: [],
  notSet: {},
  world: undefined,
  valueMap: undefined,
  play: undefined,
  textPlay: undefined,
  hint: undefined,
  transcripts: undefined,
  phase: undefined,
  tried: undefined,
  trying: false,
  notTried: undefined,
  collected: { pairs: 0, demonstrations: 0, picked: new Set<number>(), missed: false },
  kernels: undefined,
} satisfies Partial<RunState>;

/** What a reset that is taken back brings back, besides the curves. */
type KeptByReset = 'update' | 'tick' | 'marks' | 'evaluation' | 'running' | 'transcripts' | 'phase' | 'tried';

/** One mark a setting and update: the last value counts. */
function withMark(marks: readonly Mark[], mark: Mark): readonly Mark[] {
  return [...marks.filter(({ update, path }) => update !== mark.update || path !== mark.path), mark];
}

/** A run store over a worker that is started with the first command. */
export function createRun(startWorker: () => WorkerLike) {
  return create<RunState>()((set, get) => {
    let worker: WorkerLike | undefined;
    let series = new Map<string, Series>();
    let pending: Tick = NOTHING;
    let timer: ReturnType<typeof setTimeout> | undefined;
    /** Counts the beginnings of a run. What the worker still says of an earlier one is not heard. */
    let number = 0;
    let beforeReset: (Pick<RunState, KeptByReset> & { series: Map<string, Series> }) | undefined;

    const send = (command: Command) => {
      if (worker === undefined) {
        worker = startWorker();
        worker.onmessage = ({ data }) => {
          // A lost device is lost for every run.
          if (data.run === number || data.type === 'device-lost') receive(data);
        };
        worker.onerror = (event) => {
          event.preventDefault();
          // The next command starts another one.
          worker?.terminate();
          worker = undefined;
          set({
            status: 'failed',
            progress: undefined,
            failure: {
              what: 'The engine stopped',
              message: event.message || 'its worker could not be started',
              advice: 'Your scenario is kept. Save it, then open the page anew.',
            },
          });
        };
      }
      worker.postMessage(command);
    };
    const startAfresh = () => {
      clearTimeout(timer);
      timer = undefined;
      series = new Map();
      pending = NOTHING;
      number += 1;
      set({ ...FRESH, series });
    };
    const record = (name: string, update: number, value: number) => {
      const own = series.get(name) ?? new Series();
      own.push(update, value);
      series.set(name, own);
    };
    /** Joins what came since the last tick into one change of the store. */
    const tickSoon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        set({ tick: pending, update: Math.max(pending.update, get().update) });
      }, TICK);
    };

    function receive(event: Event): void {
      switch (event.type) {
        case 'progress':
          return set({ progress: event.done < event.total ? event : undefined });
        case 'ready':
          return set({ device: event.device, shapes: event.shapes, tuning: event.tuning, progress: undefined });
        case 'status': {
          pending = { ...pending, update: event.update, steps: event.steps };
          return set({
            status: event.status,
            update: event.update,
            tick: pending,
            progress: event.status === 'loading' ? get().progress : undefined,
            ...(event.status === 'failed' || event.status === 'device-lost' ? { trying: false } : {}),
          });
        }
        case 'metrics':
          for (const row of event.rows) {
            for (const [name, value] of Object.entries(row.values)) record(name, row.update, value);
            pending = {
              update: row.update,
              steps: row.steps,
              seconds: row.seconds,
              values: { ...pending.values, ...row.values },
            };
          }
          return tickSoon();
        case 'evaluation': {
          const values = {
            'eval/success': event.success,
            'eval/episodic_return': event.returnMean,
            'eval/episodic_length': event.length,
          };
          for (const [name, value] of Object.entries(values)) record(name, event.update, value);
          pending = { ...pending, values: { ...pending.values, ...values } };
          set({ evaluation: event });
          return tickSoon();
        }
        case 'world':
          return set({ world: event });
        case 'value-map':
          return set({ valueMap: event.map });
        case 'play':
          return set({ play: event, hint: undefined });
        case 'text-play':
          return set({ textPlay: event, hint: undefined });
        case 'transcripts':
          return set({ transcripts: event });
        case 'phase':
          return set({ phase: event });
        case 'try-out':
          return set({ tried: event, trying: false });
        case 'no-try-out':
          return set({ notTried: event.message, trying: false });
        case 'collected':
          return set({ collected: { ...event, picked: new Set(event.picked) } });
        case 'play-hint':
          return set({ hint: event.probabilities });
        case 'health':
          return set({ health: [...get().health.filter(({ cause }) => cause !== event.notice.cause), event.notice] });
        case 'restored':
          return set({
            health: [],
            update: event.update,
            marks: withMark(get().marks, { update: event.update, path: 'weights', label: 'good weights' }),
          });
        case 'device-lost':
          return set({
            status: 'device-lost',
            trying: false,
            lost: { reason: event.reason, update: event.update },
          });
        case 'refused':
          return set({ refused: event.problems, status: 'empty', progress: undefined, running: undefined });
        case 'failed':
          return set({ failure: event, status: 'failed', progress: undefined });
        case 'not-set':
          return set({ notSet: { ...get().notSet, [event.path]: event.message } });
        case 'kernels':
          return set({ kernels: event.kernels });
      }
    }

    return {
      status: 'empty',
      series,
      device: undefined,
      shapes: undefined,
      tuning: undefined,
      progress: undefined,
      running: undefined,
      ...FRESH,

      load: (scenario, seed, executor, tuning) => {
        startAfresh();
        beforeReset = undefined;
        set({ status: 'loading', running: { scenario, seed }, shapes: undefined });
        send({ type: 'load', run: number, scenario, seed, executor, tuning });
      },
      train: () => send({ type: 'train' }),
      pause: () => send({ type: 'pause' }),
      oneUpdate: () => send({ type: 'one-update' }),
      listKernels: () => send({ type: 'kernels' }),
      evaluate: () => send({ type: 'evaluate' }),
      reset: (seed) => {
        const { update, marks, evaluation, running, transcripts, phase, tried, collected } = get();
        beforeReset = { update, tick: pending, marks, evaluation, running, transcripts, phase, tried, series };
        startAfresh();
        // What the person gathered outlives a reset, as it does in the run; its episodes are no longer shown.
        set({ collected: { ...collected, picked: new Set() } });
        if (running !== undefined) set({ running: { ...running, seed } });
        send({ type: 'reset', run: number, seed });
      },
      undoReset: () => {
        if (beforeReset === undefined) return;
        const { collected } = get();
        startAfresh();
        series = beforeReset.series;
        pending = beforeReset.tick;
        set({ ...beforeReset, collected });
        beforeReset = undefined;
        send({ type: 'undo-reset', run: number });
      },
      set: (path, value, next, label) => {
        const { running, update, marks, notSet } = get();
        const { [path]: _mended, ...rest } = notSet;
        set({
          ...(running === undefined ? {} : { running: { ...running, scenario: next } }),
          notSet: rest,
          marks: update === 0 ? marks : withMark(marks, { update, path, label }),
        });
        send({ type: 'set', path, value });
      },
      watch: (copies, valueMap, taught) => send({ type: 'watch', copies, valueMap, taught }),
      playStart: (seed) => send({ type: 'play-start', seed }),
      playAct: (action) => send({ type: 'play-act', action }),
      playHint: () => send({ type: 'play-hint' }),
      playBack: () => send({ type: 'play-back' }),
      playStop: () => {
        set({ play: undefined, textPlay: undefined, hint: undefined });
        send({ type: 'play-stop' });
      },
      tryOut: (wish) => {
        set({ trying: true, notTried: undefined });
        send({ type: 'try-out', ...wish });
      },
      prefer: (chosen, rejected) => send({ type: 'prefer', chosen, rejected }),
      pick: (episode) => send({ type: 'pick', episode }),
      forget: () => send({ type: 'forget' }),
      restoreGood: () => send({ type: 'restore-good' }),
      dismissHealth: (cause) => {
        set({ health: get().health.filter((notice) => notice.cause !== cause) });
        send({ type: 'dismiss-health', cause });
      },
      continueOn: (executor) => {
        set({ lost: undefined, failure: undefined });
        send({ type: 'continue-on', executor });
      },
    };
  });
}

export const useRun = createRun(
  () => new Worker(new URL('../worker/worker.ts', import.meta.url), { type: 'module', name: 'engine' }) as WorkerLike,
);

/** The notice to show: the gravest, and among equals the oldest. */
export function gravest(health: readonly HealthNotice[]): HealthNotice | undefined {
  return health.find(({ severity }) => severity === 'alarm') ?? health[0];
}
