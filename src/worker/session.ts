/**
 * One page's session with the engine: carries out commands in order, trains while it is told to, and
 * says what happens. Commands are also heard in the middle of an update, at its gates, so that Pause
 * and Stop answer within a second however long an update takes.
 */

import { type AnyRun, createRun, evaluateRun } from '../engine/create';
import { nextTask } from '../engine/device/cpu';
import { DeviceError, type Executor } from '../engine/device/executor';
import { openDevice } from '../engine/device/open';
import type { TuningMemory } from '../engine/device/tuning';
import { WebGpuExecutor } from '../engine/device/webgpu';
import { Health, type HealthCause, type HealthNotice } from '../engine/health';
import { PhaseStopped } from '../engine/phases/phase';
import { Play } from '../engine/play';
import { ScenarioProblems } from '../engine/problems';
import { actionBounds } from '../engine/resolve';
import type { Report, Run, Snapshot } from '../engine/run';
import type { Scenario } from '../engine/scenario';
import { TextPlay } from '../engine/text/play';
import { TextRun } from '../engine/text/run';
import { actionProbabilities, look, valueMap } from '../engine/value_map';
import { Watcher } from '../engine/watch';
import type { Command, DeviceInfo, Event, ExecutorChoice, Message, MetricsRow, RunStatus, Shapes } from './protocol';

/** At most ten joined metrics events a second. */
const METRICS_MS = 100;
const WORLD_MS = 300;
const VALUE_MAP_MS = 500;
/** Between two copies of the weights to the host. */
const CHECKPOINT_MS = 1000;

/** A text run's shapes: what it has of a control run's, and its own. */
function textShapes(run: TextRun): Shapes {
  const { environment } = run;
  return {
    parameterCount: run.count,
    observationSize: run.context,
    actionCount: environment.vocabulary.length,
    actionNames: environment.vocabulary,
    continuous: false,
    actionLow: [],
    actionHigh: [],
    signals: environment.signals.map(({ name }) => name),
    batch: run.resolved.batch,
    minibatch: run.resolved.minibatch,
    gpuBytes: run.executor.counters.liveBytes,
    text: {
      vocabulary: environment.vocabulary,
      signalHelp: environment.signals.map(({ help }) => help),
      voices: environment.voices,
      turns: environment.limits.turns,
      turnTokens: environment.limits.turnTokens,
      context: run.context,
      tasks: environment.tasks,
    },
  };
}

/** What failed, as a heading, by what the session was doing. */
const FAILED: Readonly<Record<string, string>> = {
  load: 'The run could not be built',
  training: 'Training failed',
  reset: 'The reset failed',
  evaluate: 'The evaluation failed',
  'try-out': 'The try-out failed',
};

/** Thrown at a gate to leave an update that a new command has made pointless. */
class Abandoned extends Error {}

export class Session {
  private readonly queue: Command[] = [];
  private wake = () => {};
  private executor: Executor | undefined;
  private device: DeviceInfo | undefined;
  private choice: ExecutorChoice | undefined;
  private deviceGone = false;
  private run: AnyRun | undefined;
  private scenario: Scenario | undefined;
  private seed = 1;
  private tuning: TuningMemory = {};
  private status: RunStatus = 'empty';
  /** Training goes on until this update; Infinity while Train is pressed. */
  private until = 0;
  private inUpdate = false;
  private health: Health | undefined;
  private good: Snapshot | undefined;
  private goodAt = 0;
  private beforeReset: { readonly snapshot: Snapshot; readonly seed: number; readonly seconds: number } | undefined;
  private rows: MetricsRow[] = [];
  private rowsSentAt = 0;
  private seconds = 0;
  private held = 0;
  private watched: Omit<Extract<Command, { type: 'watch' }>, 'type'> = { copies: 0, valueMap: false };
  private worldSentAt = 0;
  private valueMapSentAt = 0;
  private play: Play | TextPlay | undefined;
  private phase = -1;
  /** What the page calls the run at hand. */
  private number = 0;

  constructor(
    private readonly post: (message: Message) => void,
    private readonly gpu: GPU | undefined,
  ) {
    void this.live();
  }

  receive(command: Command): void {
    this.queue.push(command);
    this.wake();
  }

  /** The session’s whole life: commands first, then, if training, one update at a time. */
  private async live(): Promise<never> {
    for (;;) {
      await this.serve();
      if (this.training) await this.update();
      else await this.sleep();
    }
  }

  private get training(): boolean {
    return this.run !== undefined && this.status === 'training';
  }

  private sleep(): Promise<void> {
    if (this.queue.length > 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  /** Carries out what has been asked; an error becomes an event, never an end. */
  private async serve(): Promise<void> {
    for (let command = this.queue.shift(); command; command = this.queue.shift()) {
      try {
        await this.execute(command);
      } catch (error) {
        if (error instanceof Abandoned) throw error;
        this.report(error, command.type);
      }
    }
  }

  /** Waited for between the steps of an update: hears commands, and holds while paused. */
  private readonly gate = async (): Promise<void> => {
    if (this.queue.length === 0 && this.training) return this.yieldNow();
    const start = performance.now();
    await this.serve();
    while (!this.training) {
      this.flushMetrics();
      await this.sleep();
      await this.serve();
    }
    this.held += performance.now() - start;
  };

  /** Lets messages in, now and then. */
  private async yieldNow(): Promise<void> {
    if (performance.now() - this.yieldedAt < METRICS_MS) return;
    await nextTask();
    this.yieldedAt = performance.now();
  }
  private yieldedAt = 0;

  private emit(event: Event): void {
    this.post({ ...event, run: this.number });
  }

  private async execute(command: Command): Promise<void> {
    if ('run' in command) this.number = command.run;
    switch (command.type) {
      case 'load':
        return this.load(command.scenario, command.seed, command.executor, command.tuning);
      case 'train':
        if (this.run?.finished && !this.inUpdate) this.run.extend();
        return this.trainUntil(Number.POSITIVE_INFINITY);
      case 'one-update':
        if (this.run?.finished && !this.inUpdate) this.run.extend();
        return this.trainUntil((this.run?.update ?? 0) + 1);
      case 'pause':
        if (this.status === 'training') this.say('paused');
        return;
      case 'reset':
        return this.reset(command.seed);
      case 'undo-reset':
        return this.undoReset();
      case 'set': {
        const message = this.run?.set(command.path, command.value);
        if (message !== undefined) this.emit({ type: 'not-set', path: command.path, message });
        return;
      }
      case 'evaluate':
        return this.evaluateNow();
      case 'watch':
        this.watched = command;
        return this.showWorld(true);
      case 'play-start':
        return this.startPlay(command.seed);
      case 'play-act':
        if (this.play instanceof TextPlay) this.emit({ type: 'text-play', ...this.playOn(this.play, command.action) });
        else if (this.play) this.emit({ type: 'play', ...this.play.act(command.action) });
        return;
      case 'play-back':
        if (this.play instanceof TextPlay) this.emit({ type: 'text-play', ...this.play.back() });
        return;
      case 'play-hint':
        return this.hint();
      case 'play-stop':
        this.play = undefined;
        return;
      case 'try-out':
        return this.tryOut(command);
      case 'prefer':
      case 'pick':
      case 'forget':
        return this.collect(command);
      case 'restore-good':
        return this.restoreGood();
      case 'dismiss-health':
        return this.health?.dismiss(command.cause as HealthCause);
      case 'continue-on':
        return this.continueOn(command.executor);
      case 'lose-device':
        if (this.executor instanceof WebGpuExecutor) this.executor.loseDevice();
        return;
      case 'kernels':
        return this.listKernels();
    }
  }

  private say(status: RunStatus): void {
    this.status = status;
    this.emit({ type: 'status', status, update: this.run?.update ?? 0, steps: this.run?.steps ?? 0 });
  }

  private trainUntil(update: number): void {
    if (!this.run || this.deviceGone) return;
    this.until = update;
    this.say('training');
  }

  private async load(scenario: Scenario, seed: number, choice: ExecutorChoice, tuning: TuningMemory): Promise<void> {
    this.abandonIfLoading();
    this.say('loading');
    // What the person gathered belongs to the scenario: it outlives a change of its settings, and goes with it.
    const gathered = this.run instanceof TextRun && this.scenario?.id === scenario.id ? this.run : undefined;
    this.scenario = scenario;
    this.seed = seed;
    this.tuning = { ...this.tuning, ...tuning };
    this.run?.destroy();
    this.run = undefined;
    this.play = undefined;
    try {
      await this.ensureDevice(choice);
      await this.build(gathered);
    } catch (error) {
      if (error instanceof ScenarioProblems) {
        this.emit({ type: 'refused', problems: error.problems });
        this.say('empty');
      } else throw error;
    }
    if (this.inUpdate) throw new Abandoned();
  }

  /** A newer load in the queue makes this one pointless. */
  private abandonIfLoading(): void {
    const next = this.queue.findIndex((command) => command.type === 'load');
    if (next >= 0) this.queue.splice(0, next);
  }

  private async ensureDevice(choice: ExecutorChoice): Promise<void> {
    if (this.executor && !this.deviceGone && this.choice === choice) return;
    // Forgotten first: what is given up on purpose is not a lost device.
    const old = this.executor;
    this.executor = undefined;
    old?.destroy();
    this.choice = choice;
    this.deviceGone = false;
    this.emit({ type: 'progress', what: 'looking for a graphics adapter', done: 0, total: 1 });
    const { executor, reason } = await openDevice(choice, this.gpu);
    this.executor = executor;
    this.device = {
      kind: executor.kind,
      description: executor.description,
      fingerprint: executor.fingerprint,
      ...(reason ? { reason } : {}),
    };
    void executor.lost.then((why) => {
      if (this.executor === executor) this.loseDevice(why);
    });
  }

  /** The run for the scenario and seed at hand, from its initial weights. */
  private async build(gathered?: TextRun): Promise<void> {
    const executor = this.executor as Executor;
    const run = await createRun(executor, this.scenario as Scenario, this.seed, this.tuning, (what, done, total) =>
      this.emit({ type: 'progress', what, done, total }),
    );
    this.run = run;
    this.tuning = run.tuned.memory;
    this.begin(run);
    this.good = await run.snapshot('learned');
    this.emit({ type: 'ready', device: this.device as DeviceInfo, shapes: this.shapes(run), tuning: this.tuning });
    if (gathered && run instanceof TextRun) run.inherit(gathered);
    this.sayCollected();
    this.say('ready');
    await this.showWorld(true);
  }

  private begin(run: AnyRun): void {
    this.phase = -1;
    this.health = new Health(run.resolved, () => run.inForce);
    this.beforeReset = undefined;
    this.rows = [];
    this.recent = [];
    this.seconds = 0;
    this.until = 0;
  }

  private shapes(run: AnyRun): Shapes {
    if (run instanceof TextRun) return textShapes(run);
    const { program } = run.resolved.environment;
    const { low, high } = actionBounds(program.action);
    return {
      parameterCount: run.mlp.layout.size,
      observationSize: program.observationSize,
      actionCount: run.resolved.policy.outputs,
      actionNames: program.action.kind === 'discrete' ? program.action.names : [],
      continuous: program.action.kind === 'continuous',
      actionLow: low,
      actionHigh: high,
      signals: program.signals,
      batch: run.resolved.batch,
      minibatch: run.resolved.minibatch,
      gpuBytes: run.executor.counters.liveBytes,
    };
  }

  /** One update, what it tells, and what is due after it. */
  private async update(): Promise<void> {
    const run = this.run as AnyRun;
    // It waits for the person, who gathers and presses Train again; the page says what for.
    if (run instanceof TextRun && run.lacks !== undefined) return this.say('paused');
    try {
      this.inUpdate = true;
      const start = performance.now();
      this.held = 0;
      const before = run.steps;
      const watcher =
        run.kind === 'control' && this.worldIsDue(run)
          ? new Watcher(run, Math.min(this.watched.copies, run.resolved.rollout.copies))
          : undefined;
      const report = await (run instanceof TextRun
        ? run.train(this.gate, () => this.showTranscripts(run, false))
        : run.train(this.gate, watcher?.before));
      const seconds = (performance.now() - start - this.held) / 1000;
      this.inUpdate = false;
      this.seconds += seconds;
      this.addRow(report, this.speed(report.steps - before, seconds));
      if (run instanceof TextRun) this.sayPhase(run);
      if (watcher) this.sendWorld(await watcher.read());
      await this.after(run, report);
    } catch (error) {
      if (!(error instanceof Abandoned)) this.report(error, 'training');
    } finally {
      this.inUpdate = false;
    }
  }

  /** Steps a second over about the last second, so that the read-out can be read. */
  private speed(steps: number, seconds: number): number {
    this.recent.push({ steps, seconds });
    const sum = (of: 'steps' | 'seconds') => this.recent.reduce((total, one) => total + one[of], 0);
    while (this.recent.length > 1 && sum('seconds') - this.recent[0].seconds > 1) this.recent.shift();
    return sum('steps') / sum('seconds');
  }
  private recent: { readonly steps: number; readonly seconds: number }[] = [];

  private async after(run: AnyRun, report: Report): Promise<void> {
    const notice = this.health?.check(report);
    if (notice) this.alarm(notice);
    else if (!this.health?.alarmed && performance.now() - this.goodAt > CHECKPOINT_MS) {
      this.goodAt = performance.now();
      this.good = await run.snapshot('learned');
    }
    await this.showWorld(false);
    const { evaluateEvery } = run.resolved.scenario.training;
    if (report.update % evaluateEvery === 0 || run.finished) await this.evaluateNow();
    if (this.status === 'training' && run.finished) this.say('finished');
    else if (this.status === 'training' && run.update >= this.until) this.say('paused');
    if (this.status !== 'training') this.flushMetrics();
    // The page may still be reading what was sent; commands that came meanwhile are heard now.
    await nextTask();
  }

  private alarm(notice: HealthNotice): void {
    this.emit({ type: 'health', notice });
    if (notice.cause === 'not-finite') this.say('stopped');
  }

  private addRow(report: Report, stepsPerSecond: number): void {
    this.rows.push({
      update: report.update,
      steps: report.steps,
      seconds: this.seconds,
      values: { ...report.metrics, 'charts/SPS': stepsPerSecond },
    });
    if (performance.now() - this.rowsSentAt >= METRICS_MS) this.flushMetrics();
  }

  private flushMetrics(): void {
    if (this.rows.length === 0) return;
    this.emit({ type: 'metrics', rows: this.rows });
    this.rows = [];
    this.rowsSentAt = performance.now();
  }

  private async evaluateNow(): Promise<void> {
    const { run } = this;
    if (!run) return;
    const { evaluationEpisodes, greedyEvaluation } = run.resolved.scenario.training;
    const stop = () => this.queue.some(({ type }) => type === 'load' || type === 'reset' || type === 'pause');
    const result = await evaluateRun(run, evaluationEpisodes, greedyEvaluation, this.seed, stop);
    if (!result) return;
    this.flushMetrics();
    const { episodes, returnMean, returnDeviation, success, length } = result;
    this.emit({ type: 'evaluation', update: run.update, episodes, returnMean, returnDeviation, success, length });
  }

  private worldIsDue(run: AnyRun): boolean {
    return this.watched.copies > 0 && run === this.run && performance.now() - this.worldSentAt >= WORLD_MS;
  }

  private sendWorld(frames: Awaited<ReturnType<Watcher['read']>>): void {
    this.worldSentAt = performance.now();
    this.emit({ type: 'world', update: this.run?.update ?? 0, frames });
  }

  /** The heat map, when it is due or `now`. */
  private async showWorld(now: boolean): Promise<void> {
    const { run } = this;
    if (run instanceof TextRun) return this.showTranscripts(run, now);
    const due = now || performance.now() - this.valueMapSentAt >= VALUE_MAP_MS || this.until <= (run?.update ?? 0);
    if (!run || !this.watched.valueMap || !due || this.deviceGone) return;
    this.valueMapSentAt = performance.now();
    const map = await valueMap(run);
    if (map) this.emit({ type: 'value-map', update: run.update, map });
  }

  private async reset(seed: number): Promise<void> {
    const { run } = this;
    if (!run) return;
    const before = { snapshot: await run.snapshot('all'), seed: this.seed, seconds: this.seconds };
    this.seed = seed;
    this.begin(run);
    this.beforeReset = before;
    run.reset(seed);
    this.good = await run.snapshot('learned');
    this.sayCollected();
    this.say('ready');
    await this.showWorld(true);
    if (this.inUpdate) throw new Abandoned();
  }

  private async undoReset(): Promise<void> {
    const { run, beforeReset } = this;
    if (!run || !beforeReset) return;
    this.seed = beforeReset.seed;
    this.begin(run);
    run.restore(beforeReset.snapshot, this.seed);
    this.seconds = beforeReset.seconds;
    this.good = await run.snapshot('learned');
    this.sayCollected();
    this.say('paused');
    await this.showWorld(true);
    if (this.inUpdate) throw new Abandoned();
  }

  private async restoreGood(): Promise<void> {
    const { run, good } = this;
    if (!run || !good) return;
    run.restore(good, this.seed);
    this.health = new Health(run.resolved, () => run.inForce);
    this.emit({ type: 'restored', update: run.update });
    this.sayCollected();
    this.say('paused');
    await this.showWorld(true);
    if (this.inUpdate) throw new Abandoned();
  }

  private loseDevice(reason: string): void {
    this.deviceGone = true;
    this.flushMetrics();
    this.emit({ type: 'device-lost', reason, update: this.good?.update ?? 0 });
    this.say('device-lost');
  }

  /** A new device (or the CPU), the same run, from the last good weights; its environments begin anew. */
  private async continueOn(choice: ExecutorChoice): Promise<void> {
    const { good, seconds } = this;
    if (!this.scenario) return;
    const gathered = this.run instanceof TextRun ? this.run : undefined;
    this.run = undefined;
    await this.ensureDevice(choice);
    this.status = 'loading';
    await this.build(gathered);
    this.seconds = seconds;
    if (good) await this.resume(good);
    if (this.inUpdate) throw new Abandoned();
  }

  private async resume(good: Snapshot): Promise<void> {
    const run = this.run as Run;
    run.restore(good, this.seed);
    this.good = good;
    this.emit({ type: 'restored', update: run.update });
    this.say('paused');
    await this.showWorld(true);
  }

  private startPlay(seed: number): void {
    const { run } = this;
    if (run instanceof TextRun) {
      const play = new TextPlay(run.environment, run.nextAside(), seed, run.earned);
      this.play = play;
      this.emit({ type: 'text-play', ...play.show() });
    } else if (run) {
      const play = new Play(run.resolved.environment, seed);
      this.play = play;
      this.emit({ type: 'play', ...play.show() });
    }
  }

  /** The person writes on; an episode that ends can be gathered like any other. */
  private playOn(play: TextPlay, tokens: readonly number[]) {
    const state = play.act(tokens);
    const { run } = this;
    if (run instanceof TextRun && play.over) run.keep(play.trajectory);
    return state;
  }

  /** Episodes as they stand, when they are due or `now`. Where there is none yet, what is shown stays. */
  private showTranscripts(run: TextRun, now: boolean): void {
    if (this.watched.copies === 0 || (!now && performance.now() - this.worldSentAt < WORLD_MS)) return;
    const transcripts = run.look(this.watched.copies, this.watched.taught);
    if (transcripts.length === 0) return;
    this.worldSentAt = performance.now();
    this.emit({ type: 'transcripts', update: run.update, transcripts });
  }

  private sayPhase(run: TextRun): void {
    if (run.phaseIndex === this.phase) return;
    this.phase = run.phaseIndex;
    this.emit({ type: 'phase', index: run.phaseIndex, id: run.phaseKind.id, update: run.update - 1 });
  }

  private async tryOut(wish: Extract<Command, { type: 'try-out' }>): Promise<void> {
    const { run } = this;
    if (!(run instanceof TextRun) || this.deviceGone) return;
    const written = await run.tryOut(wish);
    if (typeof written === 'string') this.emit({ type: 'no-try-out', message: written });
    else this.emit({ type: 'try-out', update: run.update, transcripts: written });
  }

  private collect(command: Extract<Command, { type: 'prefer' | 'pick' | 'forget' }>): void {
    const { run } = this;
    if (!(run instanceof TextRun)) return;
    let done = true;
    if (command.type === 'pick') done = run.pick(command.episode);
    else if (command.type === 'prefer') done = run.preferEpisode(command.chosen, command.rejected);
    else run.forget();
    this.sayCollected(!done);
  }

  private sayCollected(missed = false): void {
    const { run } = this;
    if (!(run instanceof TextRun)) return;
    const { pairs, demonstrations } = run.collected;
    this.emit({
      type: 'collected',
      pairs: pairs.length,
      demonstrations: demonstrations.length,
      picked: run.picked,
      missed,
    });
  }

  private async hint(): Promise<void> {
    const { run, play } = this;
    if (run instanceof TextRun && play instanceof TextPlay) {
      const probabilities = await run.nextToken(play.tokens, play.state);
      return this.emit({ type: 'play-hint', probabilities });
    }
    if (!run || !play || run instanceof TextRun || play instanceof TextPlay) return;
    const { outputs } = await look(run, play.state, 1);
    const { program } = run.resolved.environment;
    const probabilities =
      run.resolved.distribution === 'categorical'
        ? actionProbabilities(outputs, 0, outputs.length, program.legal(play.state, 0))
        : [...outputs];
    this.emit({ type: 'play-hint', probabilities });
  }

  private listKernels(): void {
    const { run } = this;
    if (!run) return;
    const seen = new Map(run.kernels().map(({ name, wgsl }) => [name, { name, wgsl, form: run.tuned.choice }]));
    this.emit({ type: 'kernels', kernels: [...seen.values()] });
  }

  /** An error becomes an event that says what happened and what to do. */
  private report(error: unknown, what: string): void {
    // Said already, by the device’s own promise.
    if (error instanceof DeviceError && error.kind === 'lost') return;
    this.flushMetrics();
    const message = error instanceof Error ? error.message : String(error);
    const memory = error instanceof DeviceError && error.kind === 'out-of-memory';
    const advice = memory
      ? 'Use fewer copies, shorter rollouts or narrower layers, and reset.'
      : error instanceof PhaseStopped
        ? ''
        : 'Reset the run; if it happens again, choose the CPU.';
    this.emit({ type: 'failed', what: FAILED[what] ?? 'The engine failed', message, advice });
    this.say('failed');
  }
}
