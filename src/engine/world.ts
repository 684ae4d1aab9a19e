/**
 * Copies of an environment and the policy acting in them, on the device: what training and evaluation
 * have in common. One call records one step of all copies; nothing is read back here.
 */
import { EPISODES_SIZE, episodes, RUNNING_SIZE } from '../../kernels/environment/episodes';
import { actionSize, policyOutputs, STATE_HEADER } from '../../kernels/environment/program';
import { environmentKernels } from '../../kernels/environment/step';
import type { Kernel } from '../../kernels/kernel';
import { normalizeObservations } from '../../kernels/normalize/observations';
import { STREAM } from '../../kernels/random/threefry';
import { PARTIALS, sum } from '../../kernels/reduce/sum';
import { categoricalSample } from '../../kernels/sampling/categorical_sample';
import { gaussianSample } from '../../kernels/sampling/gaussian_sample';
import type { DeviceBuffer } from './device/executor';
import type { BufferPool } from './device/pool';
import type { Mlp } from './policies/mlp';
import type { Resolved } from './resolve';

export type Purpose = 'training' | 'evaluation';

const STREAMS = {
  training: { action: STREAM.action, step: STREAM.environmentStep, reset: STREAM.environmentReset },
  evaluation: { action: STREAM.evaluationAction, step: STREAM.evaluationStep, reset: STREAM.evaluationReset },
} as const;

export class World {
  /** [copies, header + state]; see step.wgsl. */
  readonly state: DeviceBuffer;
  /** Raw: [(T + 1) · copies] rows, then the last observations of ended episodes from row `finalFirst` on. */
  readonly observations: DeviceBuffer;
  /** What the policy sees: the same rows, normalised if the run does so. */
  readonly seen: DeviceBuffer;
  readonly finalFirst: number;
  readonly masks: DeviceBuffer;
  readonly actions: DeviceBuffer;
  readonly logProbs: DeviceBuffer;
  readonly signals: DeviceBuffer;
  readonly terminated: DeviceBuffer;
  readonly truncated: DeviceBuffer;
  readonly running: DeviceBuffer;
  readonly episodes: DeviceBuffer;
  readonly episodeTotals: DeviceBuffer;
  private readonly tables: DeviceBuffer;
  private readonly outputs: DeviceBuffer;
  private readonly kernels_: ReturnType<typeof environmentKernels>;
  /** Step of the record whose row holds what the copies see now; steps of the record not yet counted into episodes. */
  private now = 0;
  private uncounted = 0;

  constructor(
    private readonly pool: BufferPool,
    private readonly resolved: Resolved,
    private readonly mlp: Mlp,
    private readonly purpose: Purpose,
    readonly copies: number,
    /** Steps of which a record is kept, T. */
    readonly steps: number,
    /** Statistics of the observation normaliser; only training changes them. */
    private readonly normalizer: DeviceBuffer | undefined,
  ) {
    const { program } = resolved.environment;
    const rows = copies * steps;
    const f32 = (name: string, length: number) => pool.f32(`${purpose} ${name}`, length);
    this.finalFirst = rows + copies;
    this.state = f32('state', copies * (STATE_HEADER + program.stateSize));
    this.observations = f32('observations', (this.finalFirst + rows) * program.observationSize);
    this.seen = normalizer
      ? f32('normalised observations', (this.finalFirst + rows) * program.observationSize)
      : this.observations;
    this.masks = pool.u32(`${purpose} masks`, this.finalFirst);
    this.actions = f32('actions', rows * actionSize(program.action));
    this.logProbs = f32('log-probabilities', rows);
    this.signals = f32('signals', rows * program.signals.length);
    this.terminated = f32('terminated', rows);
    this.truncated = f32('truncated', rows);
    this.running = f32('running episodes', copies * RUNNING_SIZE);
    this.episodes = f32('episodes', copies * EPISODES_SIZE);
    this.episodeTotals = f32('episode totals', EPISODES_SIZE);
    this.outputs = f32('actor outputs', copies * policyOutputs(program.action));
    this.tables = pool.f32('tables', Math.max(1, program.tables.length));
    if (program.tables.length > 0) pool.executor.upload(this.tables, program.tables);
    this.kernels_ = environmentKernels(program);
  }

  kernels(): Kernel[] {
    const sample = this.resolved.distribution === 'categorical' ? categoricalSample : gaussianSample;
    const all = [
      this.kernels_.step,
      this.kernels_.reset,
      sample,
      episodes,
      sum,
      ...(this.normalizer ? [normalizeObservations] : []),
    ];
    return all as unknown as Kernel[];
  }

  /** Every copy begins its episode 0; the first observation is row 0. */
  reset(seed: number): void {
    this.now = 0;
    this.uncounted = 0;
    this.pool.executor.upload(this.running, new Float32Array(this.running.length));
    this.pool.executor.run(this.kernels_.reset, this.stepBuffers(), this.stepUniforms(seed, 0, 0, 0));
  }

  /** A new record goes on where the last one was left, at its end or before: what was seen last becomes the first row. */
  continueFromLastRow(): void {
    if (this.now === 0) return;
    this.hold();
    this.resume();
  }

  /**
   * Copies aside what the copies see now, and accounts for steps that were not counted yet: with `state`,
   * `running` and `held()` the environments can go on as they stand, also on another device.
   */
  hold(): void {
    if (this.uncounted > 0) this.countEpisodes(this.uncounted);
    for (const { buffer, held, length } of this.seenNow())
      this.pool.executor.copy(buffer, this.now * length, held, 0, length);
  }

  /** What was held becomes the first row. */
  resume(): void {
    for (const { buffer, held, length } of this.seenNow()) this.pool.executor.copy(held, 0, buffer, 0, length);
    this.now = 0;
    this.uncounted = 0;
  }

  held(): Readonly<Record<'observations' | 'masks', DeviceBuffer>> {
    const [observations, masks] = this.seenNow();
    return { observations: observations.held, masks: masks.held };
  }

  /** The record’s rows, and a buffer for one of them: WebGPU copies no buffer onto itself. */
  private seenNow() {
    const length = this.copies * this.resolved.environment.program.observationSize;
    return [
      { buffer: this.observations, held: this.pool.f32(`${this.purpose} held observations`, length), length },
      { buffer: this.masks, held: this.pool.u32(`${this.purpose} held masks`, this.copies), length: this.copies },
    ] as const;
  }

  /** Rows first … first + count - 1 as the policy will see them. */
  normalize(first: number, rows: number): void {
    if (!this.normalizer) return;
    const { observation_clip } = this.resolved.rollout;
    this.pool.executor.run(
      normalizeObservations,
      { observations: this.observations, running: this.normalizer, normalized: this.seen },
      { first, rows, dimensions: this.resolved.environment.program.observationSize, clip: observation_clip },
    );
  }

  /**
   * Policy and environment take step t of the record. `step` counts all steps of the run, so that no
   * random number is drawn twice; `episodeLimit` lets a copy rest after so many episodes (0: never).
   */
  step(parameters: DeviceBuffer, t: number, seed: number, step: number, greedy: boolean, episodeLimit: number): void {
    const first = t * this.copies;
    this.normalize(first, this.copies);
    this.mlp.actor(parameters, { observations: this.seen, first, count: this.copies }, this.outputs);
    this.sample(parameters, first, seed, step, greedy);
    this.pool.executor.run(this.kernels_.step, this.stepBuffers(), this.stepUniforms(seed, first, step, episodeLimit));
    this.now = t + 1;
    this.uncounted = t + 1;
  }

  /** Sums what ended in the last `steps` steps into `episodeTotals`. */
  countEpisodes(steps: number): void {
    const { program } = this.resolved.environment;
    const { executor } = this.pool;
    const { signals, terminated, truncated, masks, running } = this;
    this.uncounted = 0;
    executor.run(
      episodes,
      { signals, terminated, truncated, masks, running, episodes: this.episodes },
      { steps, copies: this.copies, signals: program.signals.length, masked: Number(program.masksActions) },
    );
    const scratch = this.pool.f32(`${this.purpose} episode partials`, PARTIALS * EPISODES_SIZE);
    executor.run(
      sum,
      { input: this.episodes, sums: scratch },
      { rows: this.copies, columns: EPISODES_SIZE, partials: PARTIALS },
    );
    executor.run(
      sum,
      { input: scratch, sums: this.episodeTotals },
      { rows: PARTIALS, columns: EPISODES_SIZE, partials: 1 },
    );
  }

  private sample(parameters: DeviceBuffer, first: number, seed: number, step: number, greedy: boolean): void {
    const { program } = this.resolved.environment;
    const { executor } = this.pool;
    const draw = { rows: this.copies, first, seed, stream: STREAMS[this.purpose].action, step, greedy: Number(greedy) };
    const written = { actions: this.actions, log_probs: this.logProbs };
    if (this.resolved.distribution === 'categorical')
      executor.run(
        categoricalSample,
        { logits: this.outputs, masks: this.masks, ...written },
        { ...draw, actions: policyOutputs(program.action), masked: Number(program.masksActions) },
      );
    else
      executor.run(
        gaussianSample,
        { means: this.outputs, parameters, ...written },
        { ...draw, size: policyOutputs(program.action), log_std_offset: this.mlp.logStdOffset },
      );
  }

  private stepBuffers() {
    const { state, tables, actions, observations, signals, terminated, truncated, masks } = this;
    return { state, tables, actions, observations, signals, terminated, truncated, masks };
  }

  private stepUniforms(seed: number, first: number, step: number, episode_limit: number) {
    const streams = STREAMS[this.purpose];
    return {
      copies: this.copies,
      first,
      final_first: this.finalFirst,
      seed,
      step_stream: streams.step,
      reset_stream: streams.reset,
      step,
      max_steps: this.resolved.environment.program.maxSteps,
      episode_limit,
    };
  }
}
