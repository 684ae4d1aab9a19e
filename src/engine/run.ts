/**
 * A run: one scenario, one seed, being trained. Reads top to bottom as one update does: rollout →
 * reward → values → advantage → loss → optimiser. Everything stays on the device; an update reads back
 * once, the report.
 */
import {
  EXPLAINED_VARIANCE_PARTIALS_SIZE,
  explainedVariance,
  explainedVariancePartials,
} from '../../kernels/advantage/explained_variance';
import { finalValues, truncatedRows, truncationSlots } from '../../kernels/advantage/final_values';
import { minibatchMoments, minibatchPartials, minibatchPartialsSize } from '../../kernels/advantage/minibatch_moments';
import { SAMPLE_SIZE, samples } from '../../kernels/advantage/samples';
import { EPISODES } from '../../kernels/environment/episodes';
import type { Kernel } from '../../kernels/kernel';
import { LOSS_STATISTICS, lossStatistics, STATISTICS_SIZE } from '../../kernels/loss/loss_statistics';
import { gradientSize, statisticsSize } from '../../kernels/loss/policy_loss';
import { initialRunning, normalizeObservations, observationMoments } from '../../kernels/normalize/observations';
import { CONTROL, CONTROL_SIZE } from '../../kernels/optimizer/control';
import { targetKl } from '../../kernels/optimizer/target_kl';
import { permutation } from '../../kernels/random/permutation';
import { momentsPartials } from '../../kernels/reduce/moments';
import { PARTIALS, sum } from '../../kernels/reduce/sum';
import type { DeviceBuffer, Executor } from './device/executor';
import { BufferPool } from './device/pool';
import { type Tuned, type TuningMemory, tune } from './device/tuning';
import { liveSetting } from './live_setting';
import { Mlp } from './policies/mlp';
import { checkChoices, type Resolved, resolve } from './resolve';
import type { Scenario } from './scenario';
import type { Minibatch, PolicyOnDevice, Rollout, StageContext } from './stages/stage';
import { World } from './world';

/** What an update tells: metrics by CleanRL's names, and what the health checks need. */
export interface Report {
  readonly update: number;
  readonly steps: number;
  readonly metrics: Readonly<Record<string, number>>;
  /** A gradient was not finite: the step was not taken, the weights are the last good ones. */
  readonly nonfinite: boolean;
  readonly episodesEnded: number;
}

/** Everything that a run is, on the host: what undo, the last good weights and a lost device need. */
export interface Snapshot {
  readonly update: number;
  readonly stepCount: number;
  readonly buffers: Readonly<Record<string, Float32Array | Uint32Array>>;
}

export type Progress = (what: string, done: number, total: number) => void;

export class Run {
  readonly kind = 'control';
  update = 0;
  /** Environment steps of one copy so far: the step part of every random number. */
  private stepCount = 0;
  readonly world: World;
  readonly parameters: DeviceBuffer;
  readonly mlp: Mlp;
  private readonly pool: BufferPool;
  private readonly control: DeviceBuffer;
  private readonly normalizer: DeviceBuffer | undefined;
  private readonly rollout: Rollout;
  private readonly policy: PolicyOnDevice;
  private settings: Resolved['parameters'];
  /** Live settings as the person last left them; they become `settings` where an update begins. */
  private wanted: Resolved['parameters'];
  /** Updates of the whole plan; annealed settings reach their end here. */
  private plan: number;

  private constructor(
    readonly executor: Executor,
    readonly resolved: Resolved,
    readonly tuned: Tuned,
    private seed: number,
  ) {
    const { environment, rollout, batch, policy } = resolved;
    const pool = new BufferPool(executor);
    this.pool = pool;
    this.settings = resolved.parameters;
    this.wanted = resolved.parameters;
    this.plan = resolved.scenario.training.updates;
    this.mlp = new Mlp(policy, tuned.forms, pool, Math.max(resolved.minibatch, rollout.copies));
    this.parameters = pool.f32('parameters', this.mlp.layout.size);
    this.control = pool.f32('control', CONTROL_SIZE);
    const dimensions = environment.program.observationSize;
    this.normalizer = rollout.normalize_observations
      ? pool.f32('observation statistics', 2 * dimensions + 1)
      : undefined;
    this.world = new World(pool, resolved, this.mlp, 'training', rollout.copies, rollout.steps, this.normalizer);
    this.rollout = {
      steps: rollout.steps,
      copies: rollout.copies,
      signalCount: environment.program.signals.length,
      signals: this.world.signals,
      rewards: pool.f32('rewards', batch),
      values: pool.f32('values', batch + rollout.copies),
      finalValues: pool.f32('final values', batch),
      terminated: this.world.terminated,
      truncated: this.world.truncated,
      actions: this.world.actions,
      logProbs: this.world.logProbs,
      masks: this.world.masks,
      advantages: pool.f32('advantages', batch),
      weights: pool.f32('weights', batch),
      returns: pool.f32('returns', batch),
    };
    this.policy = {
      mlp: this.mlp,
      parameters: this.parameters,
      distribution: resolved.distribution,
      masked: environment.program.masksActions,
    };
  }

  /** Checks the scenario (throws ScenarioProblems), measures tiles, compiles, and begins at the seed's initial weights. */
  static async create(
    executor: Executor,
    scenario: Scenario,
    seed: number,
    memory: TuningMemory = {},
    progress: Progress = () => {},
  ): Promise<Run> {
    const resolved = resolve(scenario, executor.limits.maxBufferBytes);
    progress('measuring kernels', 0, 1);
    const tuned = await tune(executor, resolved.policy, memory);
    const run = new Run(executor, resolved, tuned, seed);
    try {
      await executor.prepare(run.kernels(), (done, total) => progress('compiling kernels', done, total));
      run.reset(seed);
      await executor.finished();
    } catch (error) {
      run.destroy();
      throw error;
    }
    return run;
  }

  /** Every kernel that an update runs. */
  kernels(): Kernel[] {
    const { reward, advantage, loss, optimizer, distribution } = this.resolved;
    const own = [
      truncatedRows,
      finalValues,
      permutation,
      minibatchPartials,
      minibatchMoments,
      samples,
      lossStatistics,
      targetKl,
      explainedVariancePartials,
      explainedVariance,
      sum,
      ...(this.normalizer ? [momentsPartials, observationMoments] : []),
    ] as unknown as Kernel[];
    return [
      ...this.mlp.kernels(),
      ...this.world.kernels(),
      ...reward.kernels,
      ...advantage.kernels,
      loss.kernel(distribution),
      ...optimizer.kernels,
      ...own,
    ];
  }

  /** Back to the initial weights of a seed, with fresh environments and optimiser. */
  reset(seed: number): void {
    this.seed = seed;
    this.update = 0;
    this.stepCount = 0;
    this.plan = this.resolved.scenario.training.updates;
    this.settings = this.wanted;
    for (const name of this.stateNames()) {
      const buffer = this.pool.f32(name, this.mlp.layout.size);
      this.executor.upload(buffer, new Float32Array(buffer.length));
    }
    this.executor.upload(this.parameters, this.mlp.layout.initialize(seed));
    this.executor.upload(this.control, new Float32Array(CONTROL_SIZE));
    this.executor.upload(this.rollout.weights, new Float32Array(this.resolved.batch).fill(1));
    if (this.normalizer)
      this.executor.upload(this.normalizer, initialRunning(this.resolved.environment.program.observationSize));
    this.resolved.reward.begin(
      { executor: this.executor, pool: this.pool, rollout: this.rollout },
      this.settings.reward as never,
    );
    this.world.reset(seed);
  }

  /** Environment steps of all copies so far. */
  get steps(): number {
    return this.stepCount * this.resolved.rollout.copies;
  }

  /** Parameters of each slot as the last update used them. */
  get inForce(): Resolved['parameters'] {
    return this.settings;
  }

  /** Share of the plan that lies ahead: 1 at the first update. */
  private get remaining(): number {
    return Math.max(0, 1 - this.update / this.plan);
  }

  get finished(): boolean {
    return this.update >= this.plan;
  }

  /** Goes on for as many updates again. */
  extend(): void {
    this.plan += this.resolved.scenario.training.updates;
  }

  /**
   * One update. `gate` is waited for between steps: it may hold the update, or end it by throwing.
   * `watch` is called before step t, to look on.
   */
  async train(gate: () => Promise<void> | void = () => {}, watch?: (t: number) => void): Promise<Report> {
    this.settings = this.wanted;
    await this.gather(gate, watch);
    const context: StageContext = { executor: this.executor, pool: this.pool, rollout: this.rollout };
    this.resolved.reward.apply(context, this.settings.reward as never);
    this.computeValues();
    this.resolved.advantage.apply(context, this.settings.advantage as never);
    const rows = await this.learn(context, gate);
    this.measureFit();
    if (this.normalizer) this.learnStatistics(this.normalizer);
    const learningRate = this.resolved.optimizer.learningRate(this.settings.optimizer as never, this.remaining);
    this.update += 1;
    return this.report(rows, learningRate);
  }

  /** T steps of all copies with the current policy. */
  private async gather(gate: () => Promise<void> | void, watch?: (t: number) => void): Promise<void> {
    const { steps } = this.rollout;
    this.world.continueFromLastRow();
    for (let t = 0; t < steps; t++) {
      watch?.(t);
      this.world.step(this.parameters, t, this.seed, this.stepCount++, false, 0);
      await this.executor.breathe();
      await gate();
    }
    this.world.normalize(steps * this.rollout.copies, this.rollout.copies);
    this.world.countEpisodes(steps);
  }

  /** V of every row, and of the real last observation where a time limit cut an episode. */
  private computeValues(): void {
    if (!this.resolved.policy.critic) return;
    const { steps, copies, values, truncated, finalValues: final_values } = this.rollout;
    const { seen, finalFirst } = this.world;
    this.mlp.critic(this.parameters, { observations: seen, first: 0, count: (steps + 1) * copies }, values);
    const slots = truncationSlots(steps, this.resolved.environment.program.maxSteps);
    if (slots === 0) return;
    this.world.normalize(finalFirst, steps * copies);
    const list = this.pool.u32('truncated rows', slots * copies);
    const slot_values = this.pool.f32('truncated values', slots * copies);
    this.executor.run(truncatedRows, { truncated, list }, { steps, copies, slots, final_first: finalFirst });
    this.mlp.critic(
      this.parameters,
      { observations: seen, first: 0, count: slots * copies, indices: list },
      slot_values,
    );
    this.executor.run(
      finalValues,
      { list, slot_values, final_values },
      { count: slots * copies, final_first: finalFirst },
    );
  }

  /** Epochs over shuffled minibatches; returns how many rows of loss statistics there are. */
  private async learn(context: StageContext, gate: () => Promise<void> | void): Promise<number> {
    const { loss, batch, policy, distribution } = this.resolved;
    const plan = loss.plan(this.settings.loss as never);
    const minibatch = Math.ceil(batch / plan.minibatches);
    const count = Math.ceil(batch / minibatch);
    const statisticsOut = this.statisticsBuffer(plan.epochs * count);
    const shared = this.permutedBatch(plan.epochs, minibatch, count, plan.normalizeAdvantage);
    const made = {
      ...shared,
      outputs: this.pool.f32('minibatch outputs', minibatch * policy.outputs),
      values: this.pool.f32('minibatch values', minibatch),
      gradient: this.pool.f32('output gradient', gradientSize(distribution, minibatch, policy.outputs)),
      statistics: this.pool.f32('loss partials', statisticsSize(minibatch)),
    };
    this.executor.run(targetKl, { statistics: statisticsOut, control: this.control }, { row: 0, limit: 0 });
    for (let epoch = 0; epoch < plan.epochs; epoch++) {
      for (let m = 0; m < count; m++) {
        const size = Math.min(minibatch, batch - m * minibatch);
        const rows = {
          observations: this.world.seen,
          first: epoch * batch + m * minibatch,
          count: size,
          indices: shared.indices,
        };
        this.step(context, { ...made, rows });
        const row = epoch * count + m;
        this.executor.run(
          lossStatistics,
          { statistics: made.statistics, statistics_out: statisticsOut },
          { partials: statisticsSize(size) / STATISTICS_SIZE, rows: size, row },
        );
        await this.executor.breathe();
        await gate();
      }
      if (plan.targetKl > 0)
        this.executor.run(
          targetKl,
          { statistics: statisticsOut, control: this.control },
          { row: (epoch + 1) * count - 1, limit: plan.targetKl },
        );
    }
    return plan.epochs * count;
  }

  /** Forward, loss, backward, optimiser: one minibatch. */
  private step(context: StageContext, minibatch: Minibatch): void {
    const gradient = this.pool.f32('gradient', this.mlp.layout.size);
    this.mlp.forward(this.parameters, minibatch.rows, minibatch.outputs, minibatch.values);
    this.resolved.loss.apply(context, this.policy, minibatch, this.settings.loss as never);
    this.mlp.backward(this.parameters, minibatch.rows, minibatch.gradient, gradient);
    const state = {
      parameters: this.parameters,
      gradient,
      control: this.control,
      count: this.mlp.layout.size,
      remaining: this.remaining,
    };
    this.resolved.optimizer.apply(this.executor, this.pool, state, this.settings.optimizer as never);
  }

  /** A permutation an epoch, and the batch gathered in its order, advantages normalised by minibatch. */
  private permutedBatch(
    epochs: number,
    minibatch: number,
    count: number,
    normalize: boolean,
  ): { indices: DeviceBuffer; samples: DeviceBuffer } {
    const { batch } = this.resolved;
    const { advantages, weights, returns, values, logProbs: log_probs } = this.rollout;
    const { executor, pool } = this;
    const indices = pool.u32('indices', epochs * batch);
    const partials = pool.f32('minibatch partials', minibatchPartialsSize(epochs * count));
    const moments = pool.f32('minibatch moments', epochs * count * 2);
    const gathered = pool.f32('samples', epochs * batch * SAMPLE_SIZE);
    for (let epoch = 0; epoch < epochs; epoch++)
      executor.run(
        permutation,
        { indices },
        { count: batch, first: epoch * batch, seed: this.seed, step: this.update * epochs + epoch },
      );
    executor.run(minibatchPartials, { advantages, weights, indices, partials }, { batch, minibatch, epochs });
    executor.run(minibatchMoments, { partials, moments }, { count: epochs * count, enabled: Number(normalize) });
    executor.run(
      samples,
      { advantages, weights, returns, values, log_probs, indices, moments, samples: gathered },
      { batch, minibatch, epochs },
    );
    return { indices, samples: gathered };
  }

  private statisticsBuffer(rows: number): DeviceBuffer {
    return this.pool.f32('loss statistics', rows * STATISTICS_SIZE);
  }

  /** How well the values foretold the returns, and the mean reward. */
  private measureFit(): void {
    const { batch } = this.resolved;
    const { executor, pool } = this;
    const partials = pool.f32('explained variance partials', EXPLAINED_VARIANCE_PARTIALS_SIZE);
    executor.run(
      explainedVariancePartials,
      { predictions: this.rollout.values, targets: this.rollout.returns, partials },
      { count: batch },
    );
    executor.run(explainedVariance, { partials, output: pool.f32('explained variance', 1) }, {});
    const scratch = pool.f32('reward partials', PARTIALS);
    executor.run(sum, { input: this.rollout.rewards, sums: scratch }, { rows: batch, columns: 1, partials: PARTIALS });
    executor.run(sum, { input: scratch, sums: pool.f32('reward sum', 1) }, { rows: PARTIALS, columns: 1, partials: 1 });
  }

  /** Takes this rollout into the observation statistics; only now, so that acting and learning saw the same. */
  private learnStatistics(running: DeviceBuffer): void {
    const dimensions = this.resolved.environment.program.observationSize;
    const partials = this.pool.f32('observation partials', PARTIALS * dimensions * 3);
    this.executor.run(
      momentsPartials,
      { input: this.world.observations, partials },
      { rows: this.resolved.batch, columns: dimensions, partials: PARTIALS },
    );
    this.executor.run(observationMoments, { partials, running }, { dimensions, partials: PARTIALS });
  }

  /** The one readback of an update. */
  private async report(rows: number, learningRate: number): Promise<Report> {
    const { batch, policy, environment } = this.resolved;
    const [totals, statistics, control, fit, rewardSum, logStd] = await this.executor.downloadAll([
      { buffer: this.world.episodeTotals },
      { buffer: this.statisticsBuffer(rows), length: rows * STATISTICS_SIZE },
      { buffer: this.control },
      { buffer: this.pool.f32('explained variance', 1), length: 1 },
      { buffer: this.pool.f32('reward sum', 1), length: 1 },
      {
        buffer: this.parameters,
        offset: this.mlp.logStdOffset,
        length: policy.initialLogStd === undefined ? 0 : policy.outputs,
      },
    ]);
    if (environment.program.masksActions && totals[EPISODES.illegal] > 0) throw await this.illegalState();
    const ended = totals[EPISODES.ended];
    const last = Object.fromEntries(
      LOSS_STATISTICS.map((name, column) => [name, statistics[(rows - 1) * STATISTICS_SIZE + column]]),
    );
    const mean = (column: number) => {
      let total = 0;
      for (let row = 0; row < rows; row++) total += statistics[row * STATISTICS_SIZE + column];
      return total / rows;
    };
    const metrics: Record<string, number> = {
      'charts/learning_rate': learningRate,
      'charts/reward': rewardSum[0] / batch,
      'losses/policy_loss': last.policy_loss,
      'losses/entropy': last.entropy,
      'losses/old_approx_kl': last.old_approx_kl,
      'losses/approx_kl': last.approx_kl,
      'losses/clipfrac': mean(LOSS_STATISTICS.indexOf('clipped')),
      'losses/bounded_ratios': mean(LOSS_STATISTICS.indexOf('bounded')),
      'losses/grad_norm': control[CONTROL.norm],
    };
    if (policy.critic) {
      metrics['losses/value_loss'] = last.value_loss;
      metrics['losses/explained_variance'] = fit[0];
    }
    for (const [i, value] of logStd.entries()) metrics[`charts/log_std_${i}`] = value;
    if (ended > 0) {
      metrics['charts/episodic_return'] = totals[EPISODES.returns] / ended;
      metrics['charts/episodic_length'] = totals[EPISODES.lengths] / ended;
      metrics['charts/success'] = totals[EPISODES.successes] / ended;
    }
    return {
      update: this.update,
      steps: this.steps,
      metrics,
      nonfinite: control[CONTROL.nonfinite] !== 0,
      episodesEnded: ended,
    };
  }

  private async illegalState(): Promise<Error> {
    const { copies } = this.rollout;
    const table = await this.executor.download(this.world.episodes);
    const size = table.length / copies;
    const copy = Array.from({ length: copies }, (_, i) => i).find((i) => table[i * size + EPISODES.illegal] > 0) ?? 0;
    return new Error(
      `copy ${copy} met a state without a legal action at step ${table[copy * size + EPISODES.illegal] - 1} of update ${this.update}`,
    );
  }

  /**
   * A live setting by its path, `loss.parameters.clip`; takes effect at the next update. Returns the
   * reason where it does not.
   */
  set(path: string, value: unknown): string | undefined {
    const setting = liveSetting(this.resolved.scenario, path, value);
    if (typeof setting === 'string') return setting;
    const { slot, key, label } = setting;
    const wanted = { ...this.wanted, [slot]: { ...this.wanted[slot], [key]: value } };
    const [problem] = checkChoices({ ...this.resolved, parameters: wanted });
    if (problem) return `${label} ${problem.message}`;
    this.wanted = wanted;
    return undefined;
  }

  async weights(): Promise<Float32Array> {
    return (await this.executor.download(this.parameters)) as Float32Array;
  }

  /** Buffers that are the run's memory besides weights, control word, statistics and environments. */
  private stateNames(): readonly string[] {
    return this.resolved.optimizer.moments;
  }

  /** What has been learned; enough to go on from on another device. */
  private learned(): Record<string, DeviceBuffer> {
    const moments = this.stateNames().map((name) => [name, this.pool.f32(name, this.mlp.layout.size)]);
    return {
      ...Object.fromEntries(moments),
      parameters: this.parameters,
      control: this.control,
      ...(this.normalizer ? { normalizer: this.normalizer } : {}),
    };
  }

  /** The environments as they stand. */
  private surroundings(): Record<string, DeviceBuffer> {
    const { state, running } = this.world;
    return {
      state,
      running,
      ...this.world.held(),
      ...this.resolved.reward.memory(this.pool, this.rollout, this.settings.reward as never),
    };
  }

  /** Copies the run to the host: one readback. `what` 'learned' leaves the environments out. */
  async snapshot(what: 'all' | 'learned'): Promise<Snapshot> {
    if (what === 'all') this.world.hold();
    const memory = Object.entries(what === 'all' ? { ...this.learned(), ...this.surroundings() } : this.learned());
    const data = await this.executor.downloadAll(memory.map(([, buffer]) => ({ buffer })));
    return {
      update: this.update,
      stepCount: this.stepCount,
      buffers: Object.fromEntries(memory.map(([name], i) => [name, data[i]])),
    };
  }

  /** Puts a snapshot back, also one that was taken on another device. Without environments in it, those at hand go on. */
  restore(snapshot: Snapshot, seed: number): void {
    this.seed = seed;
    for (const [name, buffer] of Object.entries({ ...this.learned(), ...this.surroundings() }))
      if (snapshot.buffers[name]) this.executor.upload(buffer, snapshot.buffers[name]);
    if (snapshot.buffers.state) this.world.resume();
    this.update = snapshot.update;
    this.stepCount = snapshot.stepCount;
  }

  /** Observations as the policy would see them now. */
  normalized(observations: DeviceBuffer, rows: number): DeviceBuffer {
    if (!this.normalizer) return observations;
    const dimensions = this.resolved.environment.program.observationSize;
    const normalized = this.pool.f32('probe observations normalised', rows * dimensions);
    this.executor.run(
      normalizeObservations,
      { observations, running: this.normalizer, normalized },
      { first: 0, rows, dimensions, clip: this.resolved.rollout.observation_clip },
    );
    return normalized;
  }

  /** Scratch buffers for those who look at the run; destroyed with it. */
  get scratch(): BufferPool {
    return this.pool;
  }

  /** A world of its own for evaluation, on the same policy and with frozen statistics. */
  evaluationWorld(copies: number, steps: number): World {
    return new World(this.pool, this.resolved, this.mlp, 'evaluation', copies, steps, this.normalizer);
  }

  destroy(): void {
    this.pool.destroy();
  }
}
