/**
 * A run in a world of tokens: one scenario, one seed, being trained. An update of the phase at hand reads
 * top to bottom: episodes → reward → filter → advantage → epochs of loss, gradient and optimiser. The
 * policy lives on the device; a turn of all episodes costs one readback, an update one more.
 */
import { MASKED_PARTIALS, maskedMoments, maskedPartials, whiten } from '../../../kernels/advantage/whiten';
import type { Kernel } from '../../../kernels/kernel';
import { TOKEN_STATISTICS_SIZE, tokenMetrics } from '../../../kernels/loss/token_statistics';
import { CONTROL, CONTROL_SIZE } from '../../../kernels/optimizer/control';
import { interpolate } from '../../../kernels/optimizer/interpolate';
import { Random, STREAM } from '../../../kernels/random/threefry';
import type { DeviceBuffer, Executor } from '../device/executor';
import { BufferPool } from '../device/pool';
import { type Tuned, type TuningMemory, tuneLayer } from '../device/tuning';
import { type Evaluation, evaluationOf } from '../evaluate';
import { liveSetting } from '../live_setting';
import { type AnyParameters, defaultsOf } from '../parameters';
import type { PhaseKind } from '../phases/phase';
import { type ActorCritic, buildPolicy } from '../policies/sequence_policies';
import type { Progress, Report, Snapshot } from '../run';
import { type Scenario, SLOTS, type Slot } from '../scenario';
import type { SlotParameters } from '../slots';
import { keepGroups } from '../stages/filters';
import { PREFERENCE_LOSSES } from '../stages/preference_losses';
import { type TurnRollout, turnRollout } from '../stages/rollouts/turns';
import { TEXT_REWARDS } from '../stages/text_rewards';
import type { TextRewardStage } from '../stages/text_rewards/stage';
import { TOKEN_LOSSES } from '../stages/token_losses';
import { klReward } from '../stages/token_losses/kl_reward';
import type { TokenLossContext, TokenLossPlan, TokenRollout } from '../stages/token_stage';
import type { Transcript } from '../view';
import { type BatchOnDevice, pack, upload } from './batch';
import { demonstrate, demonstration } from './demonstrations';
import type { TextEnvironment } from './environment';
import { Episodes, type Order, walk } from './episodes';
import { type Gathered, gatheredMetrics } from './gathered';
import { LEARNER_KERNELS, Learner, type Part } from './learner';
import type { Pair } from './pairs';
import { checkNeeds, type ResolvedPhase, resolveText, type TextResolved } from './resolve';
import { type Rules, rulesOnDevice } from './rules';
import { SAMPLER_KERNELS, type SamplingSettings, TurnSampler } from './sampler';
import { evaluationTask, learnableTask, SuccessByKind, trainingTask } from './tasks';
import { ASIDE, score, type Trajectory } from './trajectory';

type Gate = () => Promise<void> | void;

/** What a phase may do with the run. */
export interface PhaseContext {
  readonly environment: TextEnvironment;
  readonly seed: number;
  /** What the person has gathered in the page. */
  readonly collected: { readonly demonstrations: readonly Trajectory[]; readonly pairs: readonly Pair[] };
  /** `count` of these, drawn with replacement; `step` tells the draws of one update apart. */
  draw<T>(items: readonly T[], count: number, step: number): T[];
  /** The expert's episodes; the same for the same arguments. */
  expert(count: number, quality: number): readonly Trajectory[];
  /** One of them, by number, as the page shows it. */
  demonstration(episode: number, quality: number): Transcript;
  /** One gradient step towards these; `smoothing`: share of each token's target that other tokens have. */
  imitate(shown: readonly Trajectory[], smoothing: number): Promise<void>;
  reinforce(): Promise<Readonly<Record<string, number>>>;
  /** At least `count` pairs of episodes by the policy as the phase began; 0: of this update's policy. */
  pairs(count: number, rank: (groups: readonly (readonly Trajectory[])[]) => Pair[]): Promise<readonly Pair[]>;
  prefer(pairs: readonly Pair[], loss: string, parameters: AnyParameters): Promise<void>;
  /** The weights become (1 − α) those that phase `first` ended with + α those of phase `second`, counted from 1. */
  merge(first: number, second: number, alpha: number): void;
}

/** What a person asks of the policy aside from the run. */
export interface TryOut {
  /** null: the next held-out ones. */
  readonly task: number | null;
  readonly count: number;
  readonly temperature: number;
  readonly greedy: boolean;
  /** Tokens that the policy's first turn begins with. */
  readonly given: readonly number[];
}

/** Rows of loss statistics that one update may fill. */
const MAX_ROWS = 1024;
/** Rounds of episodes that a search for pairs may take. */
const MAX_PAIR_ROUNDS = 50;
/** An episode that the page shows, and where the advantages of its tokens are. */
interface Lesson {
  readonly episode: number;
  readonly observations: boolean;
  readonly range: { readonly buffer: DeviceBuffer; readonly offset: number; readonly length: number };
}

/** Slots of an evaluation, a try-out. */
const ASIDE_SLOTS = 128;

export class TextRun implements PhaseContext {
  readonly kind = 'text';
  update = 0;
  /** Turns that were played so far. */
  steps = 0;
  readonly parameters: DeviceBuffer;
  readonly collected: { demonstrations: Trajectory[]; pairs: Pair[] } = { demonstrations: [], pairs: [] };
  /** Demonstrations by the number under which the page shows them now. */
  private readonly shown = new Map<number, Trajectory>();
  /** Episodes that were written aside from training and may be gathered, by number; the last ones. */
  private readonly besides = new Map<number, Trajectory>();
  private asideCount = 0;
  private readonly models: ActorCritic;
  private learner: Learner;
  private readonly control: DeviceBuffer;
  private readonly statistics: DeviceBuffer;
  private rules: Rules;
  private episodes: Episodes;
  private aside: TurnSampler | undefined;
  private phase: ResolvedPhase;
  private plan: number;
  /** Settings that the person changed while the run went on, by slot. */
  private changed: Partial<Record<Slot, AnyParameters>> = {};
  private wanted: Partial<Record<Slot, AnyParameters>> = {};
  private episodeCount = 0;
  private groupCount = 0;
  /** Complete and incomplete groups of an asynchronous rollout. */
  private waiting = new Map<number, Trajectory[]>();
  private rates = new SuccessByKind();
  private kept: { readonly key: string; readonly value: readonly unknown[] } | undefined;
  private statisticsRows = 0;
  private gate: Gate = () => {};
  private watch: (() => void) | undefined;

  private constructor(
    readonly executor: Executor,
    readonly resolved: TextResolved,
    readonly tuned: Tuned,
    private seed_: number,
  ) {
    const { policy, parameters, needs, room, phases } = resolved;
    this.pool = new BufferPool(executor);
    this.models = buildPolicy(policy, parameters.policy, needs.has('critic'), {
      room,
      pool: this.pool,
      forms: tuned.forms,
    });
    this.parameters = this.pool.f32('parameters', this.count);
    this.control = this.pool.f32('control', CONTROL_SIZE);
    this.statistics = this.pool.f32('statistics', MAX_ROWS * TOKEN_STATISTICS_SIZE);
    this.phase = phases[0];
    this.plan = resolved.scenario.training.updates;
    this.rules = this.makeRules();
    this.learner = new Learner(this.pool, this.models, room, this.rules);
    this.episodes = this.makeEpisodes();
  }
  private readonly pool: BufferPool;

  /** Checks the scenario (throws ScenarioProblems), measures tiles, compiles, and begins at the seed's initial weights. */
  static async create(
    executor: Executor,
    scenario: Scenario,
    seed: number,
    memory: TuningMemory = {},
    progress: Progress = () => {},
  ): Promise<TextRun> {
    const resolved = resolveText(scenario, executor.limits.maxBufferBytes);
    progress('measuring kernels', 0, 1);
    const { policy, parameters, room } = resolved;
    const tuned = await tuneLayer(executor, policy.widest(parameters.policy as never, room.vocabulary), memory);
    const run = new TextRun(executor, resolved, tuned, seed);
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

  kernels(): Kernel[] {
    const { advantage, loss, optimizer, phases } = this.resolved;
    const { actor, critic } = this.models;
    return [
      ...actor.kernels(),
      ...(critic && critic !== actor ? critic.kernels() : []),
      ...SAMPLER_KERNELS,
      ...LEARNER_KERNELS,
      ...advantage.kernels,
      ...loss.kernels,
      ...phases.flatMap(({ kind }) => kind.kernels),
      ...optimizer.kernels,
      ...klReward.kernels,
      ...([maskedPartials, maskedMoments, whiten] as unknown as Kernel[]),
    ];
  }

  get count(): number {
    return this.models.layout.size;
  }
  get seed(): number {
    return this.seed_;
  }
  get environment(): TextEnvironment {
    return this.phase.environment;
  }
  get phaseIndex(): number {
    return this.phase.index;
  }
  get phaseKind(): PhaseKind {
    return this.phase.kind;
  }
  /** What the person has yet to gather before the next update can be; undefined where nothing is missing. */
  get lacks(): string | undefined {
    const { pairs, demonstrations } = this.collected;
    const { kind, own } = this.due;
    return kind.lacks?.(own as never, { pairs: pairs.length, demonstrations: demonstrations.length })?.message;
  }
  get finished(): boolean {
    return this.update >= this.plan;
  }
  get context(): number {
    return this.resolved.room.context;
  }
  /** Settings of each slot as the update at hand uses them. */
  get inForce(): SlotParameters {
    return overlaid(this.phase.parameters, this.changed);
  }
  get rollout(): TurnRollout {
    return turnRollout(this.resolved.scenario.slots.rollout.id, this.inForce.rollout);
  }
  /** Share of the plan that lies ahead: 1 at the first update. */
  private get remaining(): number {
    return Math.max(0, 1 - this.update / this.plan);
  }

  extend(): void {
    this.plan += this.resolved.scenario.training.updates;
  }

  /** Back to the initial weights of a seed. */
  reset(seed: number): void {
    this.seed_ = seed;
    this.update = 0;
    this.steps = 0;
    // Their numbers are given anew.
    this.shown.clear();
    this.episodeCount = 0;
    this.groupCount = 0;
    this.plan = this.resolved.scenario.training.updates;
    this.changed = this.wanted;
    this.executor.upload(this.parameters, this.models.layout.initialize(seed));
    this.rates.clear();
    this.enter(this.resolved.phases[0]);
  }

  /** A phase begins with a fresh optimiser, and with what it holds on to as its reference. */
  private enter(phase: ResolvedPhase): void {
    this.phase = phase;
    this.kept = undefined;
    const start = Number(phase.own.start ?? 0);
    if (start > 0) this.executor.copy(this.checkpoint(start), 0, this.parameters, 0, this.count);
    for (const name of this.resolved.optimizer.moments)
      this.executor.upload(this.pool.f32(name, this.count), new Float32Array(this.count));
    this.executor.upload(this.control, new Float32Array(CONTROL_SIZE));
    this.executor.copy(this.parameters, 0, this.reference, 0, this.count);
    this.deliver(this.rollout.delay);
    // What holds the grammar is made anew with it.
    this.rules = this.makeRules();
    this.learner = new Learner(this.pool, this.models, this.resolved.room, this.rules);
    this.aside = undefined;
    this.waiting.clear();
    this.orders = [];
    this.requests = 0;
    this.begunBefore = this.episodeCount;
    this.episodes = this.makeEpisodes();
  }

  /** Weights that phase `index`, counted from 1, ended with. */
  private checkpoint(index: number): DeviceBuffer {
    return this.pool.f32(`weights after phase ${index}`, this.count);
  }
  private get reference(): DeviceBuffer {
    return this.pool.f32('reference', this.count);
  }
  /** Weights of `age` updates ago, in a ring. */
  private delayed(age: number): DeviceBuffer {
    const ring = this.rollout.delay + 1;
    return this.pool.f32(`weights in delivery ${(this.update + ring - (age % ring)) % ring}`, this.count);
  }

  /** The weights as they are now are those of the last `oldest` updates too; nothing to do where none wait. */
  private deliver(oldest: number): void {
    if (this.rollout.delay === 0) return;
    for (let age = 0; age <= oldest; age++) this.executor.copy(this.parameters, 0, this.delayed(age), 0, this.count);
  }

  private makeRules(): Rules {
    return rulesOnDevice(
      this.pool,
      this.environment,
      turnRollout(this.resolved.scenario.slots.rollout.id, this.phase.parameters.rollout).grammar,
    );
  }

  private makeEpisodes(): Episodes {
    const { slots, groups, group_size } = this.rollout;
    const count = slots || Math.min(groups * group_size, this.resolved.batch);
    const sampler = new TurnSampler(this.pool, this.models.actor, this.environment, this.rules, count, STREAM.turn);
    return new Episodes(this.environment, sampler, STREAM.answer, this.turnLimit, this.earned);
  }

  private get turnLimit(): number {
    return this.rollout.turns || this.environment.limits.turns;
  }
  /** What each turn of an episode earns under the reward at hand. */
  readonly earned = (trajectory: Trajectory): readonly number[] =>
    this.rewardStage.turns(trajectory, this.environment, this.inForce.reward as never);

  private get rewardStage(): TextRewardStage {
    return TEXT_REWARDS[this.resolved.scenario.slots.reward.id];
  }

  /** Groups as they earn together, where the reward hangs on the whole group. */
  private judged(groups: Trajectory[][]): Trajectory[][] {
    const { rewardStage } = this;
    return groups.map((group) => {
      const rewards = rewardStage.group?.(group, this.inForce.reward as never);
      if (!rewards) return group;
      return group.map((trajectory, i) => ({
        ...trajectory,
        turns: trajectory.turns.map((turn, t) => ({ ...turn, reward: rewards[i][t] })),
      }));
    });
  }

  private sampling(): SamplingSettings {
    const { temperature, top_k, top_p, turn_tokens } = this.rollout;
    const turnTokens = Math.min(turn_tokens || Number.POSITIVE_INFINITY, this.environment.limits.turnTokens);
    return { temperature, topK: top_k, topP: top_p, greedy: false, turnTokens };
  }

  /** One update of the phase at hand. `gate` is waited for between steps; `watch` is called when the episodes have moved on. */
  async train(gate: Gate = () => {}, watch?: () => void): Promise<Report> {
    this.changed = this.wanted;
    this.gate = gate;
    this.watch = watch;
    this.nextPhase();
    this.statisticsRows = 0;
    const known = await this.phase.kind.update(this, this.phase.own as never);
    const learningRate = this.resolved.optimizer.learningRate(this.inForce.optimizer as never, this.remaining);
    this.update += 1;
    this.deliver(0);
    return this.report(known, learningRate);
  }

  /** The phase that the next update belongs to. */
  private get due(): ResolvedPhase {
    return this.resolved.phases.findLast(({ from }) => from <= this.update) ?? this.phase;
  }

  /** Enters the phase that is due, and keeps what the last one ended with. */
  private nextPhase(): void {
    const next = this.due;
    if (next === this.phase) return;
    this.executor.copy(this.parameters, 0, this.checkpoint(this.phase.index + 1), 0, this.count);
    this.enter(next);
  }

  /* ---- what phases are made of ---- */

  draw<T>(items: readonly T[], count: number, step: number): T[] {
    const random = new Random(this.seed_, STREAM.shuffle, this.update, step);
    return Array.from({ length: count }, () => items[random.below(items.length)]);
  }

  expert(count: number, quality: number): readonly Trajectory[] {
    return this.remembered(`expert ${count} ${quality}`, () =>
      demonstrate(this.environment, this.seed_, count, quality),
    );
  }

  private remembered<T>(key: string, make: () => readonly T[]): readonly T[] {
    if (this.kept?.key !== key) this.kept = { key, value: make() };
    return this.kept.value as readonly T[];
  }

  demonstration(episode: number, quality: number): Transcript {
    const written = demonstration(this.environment, this.seed_, episode, quality, this.earned);
    return { ...written.transcript(), expert: true };
  }

  async imitate(shown: readonly Trajectory[], smoothing: number): Promise<void> {
    const batch = this.upload(shown, false);
    const part = this.learner.whole(batch);
    this.learner.forward(this.parameters, part, 1, smoothing);
    const loss = TOKEN_LOSSES['cross-entropy'];
    loss.apply(
      this.lossContext(part, () => part.values),
      defaultsOf(loss.parameters) as never,
    );
    await this.descend(part, 1, smoothing);
  }

  async prefer(pairs: readonly Pair[], loss: string, parameters: AnyParameters): Promise<void> {
    const batch = this.upload(
      pairs.flatMap(({ chosen, rejected }) => [chosen, rejected]),
      false,
    );
    const { pool, executor, learner } = this;
    const reference = pool.f32('reference log-probabilities', batch.sequences * batch.length);
    await this.logProbsUnder(this.reference, batch, reference);
    const part = learner.whole(batch);
    const { temperature } = this.rollout;
    learner.forward(this.parameters, part, temperature);
    executor.upload(part.entropyGradient, new Float32Array(batch.sequences * batch.length));
    executor.upload(part.valueGradient, new Float32Array(batch.sequences * batch.length));
    PREFERENCE_LOSSES[loss].apply(
      {
        executor,
        pool,
        pairs: pairs.length,
        length: batch.length,
        mask: part.mask,
        logProbs: part.logProbs,
        referenceLogProbs: reference,
        logProbGradient: part.logProbGradient,
        statistics: part.statistics,
      },
      parameters as never,
    );
    await this.descend(part, temperature);
  }

  async pairs(count: number, rank: (groups: readonly (readonly Trajectory[])[]) => Pair[]): Promise<readonly Pair[]> {
    const key = `pairs ${count}`;
    if (count > 0 && this.kept?.key === key) return this.kept.value as readonly Pair[];
    const found: Pair[] = [];
    for (let round = 0; round < (count === 0 ? 1 : MAX_PAIR_ROUNDS) && found.length < Math.max(1, count); round++)
      found.push(...rank(await this.gatherGroups(this.rollout.groups)));
    if (count > 0) this.kept = { key, value: found };
    return found;
  }

  merge(first: number, second: number, alpha: number): void {
    this.executor.run(
      interpolate,
      { first: this.checkpoint(first), second: this.checkpoint(second), mixed: this.parameters },
      { count: this.count, alpha },
    );
  }

  /** Episodes → reward → filter → advantage → loss → optimiser. */
  async reinforce(): Promise<Readonly<Record<string, number>>> {
    const { loss } = this.resolved;
    const gathered = await this.gather();
    const trajectories = gathered.kept.flat();
    const metrics = gatheredMetrics(gathered, this.update, this.environment.signals);
    if (trajectories.length === 0) return metrics;
    const plan = loss.plan(this.inForce.loss as never);
    const batch = this.upload(trajectories, plan.observationsTeach);
    const rollout = await this.prepare(batch, gathered, plan);
    this.resolved.advantage.apply(
      { executor: this.executor, pool: this.pool, rollout },
      this.inForce.advantage as never,
    );
    this.taught = this.lessonsOf(trajectories, batch, rollout.advantages, plan.observationsTeach);
    await this.learn(batch, rollout, plan);
    this.refreshReference(plan.referenceEvery);
    return metrics;
  }

  /** Where the advantages of the episodes that the page shows stand, for the report to read. */
  private lessonsOf(
    trajectories: readonly Trajectory[],
    { length }: BatchOnDevice,
    buffer: DeviceBuffer,
    observations: boolean,
  ): Lesson[] {
    const shown = new Set(this.episodes.ended.map(({ episode }) => episode));
    return trajectories.flatMap(({ episode, tokens }, s) =>
      shown.has(episode)
        ? [{ episode, observations, range: { buffer, offset: s * length, length: tokens.length } }]
        : [],
    );
  }
  private taught: readonly Lesson[] = [];

  private refreshReference(every: number): void {
    if (every > 0 && (this.update + 1) % every === 0)
      this.executor.copy(this.parameters, 0, this.reference, 0, this.count);
  }

  /* ---- episodes ---- */

  /** Groups of episodes, after the filters; more are sampled while the filters ask for more. */
  private async gather(): Promise<Gathered> {
    const { groups } = this.rollout;
    const sampled: Trajectory[][] = [];
    let kept: Trajectory[][] = [];
    const use = this.episodes.use;
    use.slotTurns = 0;
    use.usedTurns = 0;
    const random = new Random(this.seed_, STREAM.shuffle, this.update, 0x10000);
    for (let round = 0; kept.length < groups; round++) {
      const fresh = await this.gatherGroups(groups);
      sampled.push(...fresh);
      const verdict = keepGroups(fresh, this.inForce.filter, random, this.environment.signals);
      kept = [...kept, ...verdict.kept].slice(0, groups);
      if (round + 1 >= verdict.rounds) break;
    }
    return { sampled, kept, use: { ...use }, baselines: await this.baselines(kept) };
  }

  private async gatherGroups(groups: number): Promise<Trajectory[][]> {
    const { asynchronous } = this.rollout;
    return this.judged(await (asynchronous ? this.gatherAsynchronously(groups) : this.gatherTogether(groups)));
  }

  /** All episodes begin together; where there are fewer slots than episodes, one batch of slots after the other. */
  private async gatherTogether(groups: number): Promise<Trajectory[][]> {
    const orders = Array.from({ length: groups }, () => this.newGroup()).flat();
    const ended: Trajectory[] = [];
    this.episodes.policyChanged();
    while (orders.length > 0) {
      for (const order of orders.splice(0, this.episodes.free)) this.episodes.begin(order, this.seed_, this.update);
      while (this.episodes.running > 0) ended.push(...(await this.playTurn()));
    }
    return grouped(ended);
  }

  /** Slots are never idle while new episodes may begin; groups count in the order in which they are complete. */
  private async gatherAsynchronously(groups: number): Promise<Trajectory[][]> {
    const { staleness, group_size } = this.rollout;
    const batch = groups * group_size;
    const complete: Trajectory[][] = [];
    this.requests += 1;
    this.episodes.policyChanged();
    for (;;) {
      while (this.episodes.free > 0) {
        if (this.orders.length === 0) {
          const begun = this.episodeCount - this.begunBefore;
          if (Math.floor((begun + group_size - 1) / batch) > this.requests - 1 + staleness) break;
          this.orders.push(...this.newGroup());
        }
        this.episodes.begin(this.orders.shift() as Order, this.seed_, this.update);
      }
      for (const trajectory of await this.playTurn()) {
        const group = [...(this.waiting.get(trajectory.group) ?? []), trajectory];
        this.waiting.set(trajectory.group, group);
      }
      for (const [number, group] of this.waiting)
        if (group.length === group_size && complete.length < groups) {
          complete.push(group);
          this.waiting.delete(number);
        }
      if (complete.length >= groups) return complete;
    }
  }
  /** Episodes of groups that have begun, still without a slot. */
  private orders: Order[] = [];
  /** Batches that were asked for in this phase, and episodes that had begun before it: counts of the staleness rule. */
  private requests = 0;
  private begunBefore = 0;

  /** One turn of every running episode, by the policy that has been delivered. */
  private async playTurn(): Promise<Trajectory[]> {
    const { delay } = this.rollout;
    const running = this.episodes.running;
    const weights = delay > 0 ? this.delayed(Math.min(delay, this.update)) : this.parameters;
    const version = Math.max(0, this.update - delay);
    const ended = await this.episodes.turn(weights, this.seed_, version, this.sampling());
    this.steps += running;
    for (const trajectory of ended) this.rates.add(this.kindOf(trajectory.task), trajectory.success);
    this.watch?.();
    await this.gate();
    return ended;
  }

  private kindOf(task: number): string {
    return this.environment.difficulty(this.environment.reset(task) as never).name;
  }

  private newGroup(): Order[] {
    const { group_size, task_selection } = this.rollout;
    const group = this.groupCount++;
    const random = new Random(this.seed_, STREAM.task, group, 0);
    const task =
      task_selection === 'learnability'
        ? learnableTask(this.environment, random, this.rates)
        : trainingTask(this.environment, random);
    return Array.from({ length: group_size }, () => ({ episode: this.episodeCount++, task, group }));
  }

  /** Score of a greedy episode of each kept group's task, by group (ReMax). */
  private async baselines(groups: readonly (readonly Trajectory[])[]): Promise<ReadonlyMap<number, number>> {
    if (!this.resolved.needs.has('greedy-baseline')) return new Map();
    const orders = groups.map(([first], i) => ({ episode: i, task: first.task, group: first.group }));
    const greedy = await this.playAside(orders, { ...this.sampling(), greedy: true });
    return new Map(greedy?.ended.map((trajectory) => [trajectory.group, score(trajectory)]));
  }

  /** Plays episodes with the present policy aside from the run; undefined when it was broken off. */
  private async playAside(
    orders: readonly Order[],
    settings: SamplingSettings,
    cancelled = () => false,
  ): Promise<{ readonly ended: readonly Trajectory[]; readonly transcripts: readonly Transcript[] } | undefined> {
    const slots = Math.min(ASIDE_SLOTS, this.resolved.room.sequences);
    this.aside ??= new TurnSampler(
      this.pool,
      this.models.actor,
      this.environment,
      this.rules,
      slots,
      STREAM.evaluationTurn,
    );
    const { environment, turnLimit } = this;
    const aside = new Episodes(environment, this.aside, STREAM.evaluationAnswer, turnLimit, this.earned);
    aside.policyChanged();
    const left = [...orders];
    const ended: Trajectory[] = [];
    while (left.length > 0 || aside.running > 0) {
      for (const order of left.splice(0, aside.free)) aside.begin(order, this.seed_, this.update);
      ended.push(...(await aside.turn(this.parameters, this.seed_, this.update, settings)));
      if (cancelled()) return undefined;
    }
    return { ended, transcripts: aside.ended };
  }

  /* ---- learning ---- */

  private upload(trajectories: readonly Trajectory[], observationsTeach: boolean): BatchOnDevice {
    return upload(this.pool, 'batch', pack(trajectories, this.context, this.rules.anything, observationsTeach));
  }

  /** What the stages need to know of a batch: values, log-probabilities now and of the reference, KL in the reward. */
  private async prepare(batch: BatchOnDevice, gathered: Gathered, plan: TokenLossPlan): Promise<TokenRollout> {
    const { pool, executor, resolved } = this;
    const size = batch.sequences * batch.length;
    const f32 = (name: string, length = size) => pool.f32(`rollout ${name}`, Math.max(1, length));
    const [values, finalValues, proximal] = [f32('values'), f32('final values', batch.sequences), f32('proximal')];
    const stale = this.rollout.asynchronous || plan.observationsTeach;
    if (resolved.needs.has('critic') || stale)
      await this.learner.inParts(batch, (part, first) => {
        this.learner.forward(this.parameters, part, this.rollout.temperature);
        const length = part.sequences * batch.length;
        executor.copy(part.logProbs, 0, proximal, first * batch.length, length);
        executor.copy(part.values, 0, values, first * batch.length, length);
        executor.copy(part.finalValues, 0, finalValues, first, part.sequences);
      });
    if (!stale) executor.copy(batch.logProbs, 0, proximal, 0, size);
    const reference = f32('reference');
    if (plan.needsReference) await this.logProbsUnder(this.reference, batch, reference);
    const baselines = f32('baselines', batch.sequences);
    executor.upload(
      baselines,
      Float32Array.from(gathered.kept.flat(), ({ group }) => gathered.baselines.get(group) ?? 0),
    );
    const rollout: TokenRollout = {
      sequences: batch.sequences,
      length: batch.length,
      mask: batch.mask,
      turns: batch.turns,
      groups: batch.groups,
      anchors: batch.anchors,
      rewards: batch.rewards,
      values,
      finalValues,
      baselines,
      // Observations that teach were not sampled: what the policy says of them now stands for what it said then.
      behaviourLogProbs: plan.observationsTeach ? proximal : batch.logProbs,
      proximalLogProbs: proximal,
      referenceLogProbs: reference,
      advantages: f32('advantages'),
      returns: f32('returns'),
    };
    if (plan.klReward.coefficient > 0) klReward.apply({ executor, pool, rollout }, plan.klReward);
    return rollout;
  }

  private async logProbsUnder(parameters: DeviceBuffer, batch: BatchOnDevice, into: DeviceBuffer): Promise<void> {
    await this.learner.inParts(batch, (part, first) => {
      this.learner.forward(parameters, part, this.rollout.temperature);
      this.executor.copy(part.logProbs, 0, into, first * batch.length, part.sequences * batch.length);
    });
  }

  /** Epochs over shuffled minibatches of whole episodes. */
  private async learn(batch: BatchOnDevice, rollout: TokenRollout, plan: TokenLossPlan): Promise<void> {
    const size = Math.ceil(batch.sequences / plan.minibatches);
    for (let epoch = 0; epoch < plan.epochs; epoch++) {
      const order = this.pool.u32('minibatch order', batch.sequences);
      this.executor.upload(order, this.shuffled(batch.sequences, epoch));
      for (let first = 0; first < batch.sequences; first += size)
        await this.step(batch, rollout, plan, order, first, Math.min(size, batch.sequences - first));
      if (plan.targetKl > 0 && (await this.approximateKl()) > plan.targetKl) break;
    }
  }

  private shuffled(count: number, epoch: number): Uint32Array {
    const order = Uint32Array.from({ length: count }, (_, i) => i);
    const random = new Random(this.seed_, STREAM.permutation, this.update, epoch);
    for (let i = count - 1; i > 0; i--) {
      const j = random.below(i + 1);
      [order[i], order[j]] = [order[j], order[i]];
    }
    return order;
  }

  /** Forward, loss, backward, optimiser: one minibatch. */
  private async step(
    batch: BatchOnDevice,
    rollout: TokenRollout,
    plan: TokenLossPlan,
    order: DeviceBuffer,
    first: number,
    count: number,
  ): Promise<void> {
    const part = this.learner.part(batch, order, first, count);
    const { temperature } = this.rollout;
    this.learner.forward(this.parameters, part, temperature);
    const gathered = (name: keyof TokenRollout & string) =>
      this.learner.gather(`rollout ${name}`, 'f32', rollout[name] as DeviceBuffer, batch.length, order, first, count);
    const context = this.lossContext(part, gathered);
    if (plan.normalizeAdvantage) this.normalize(context.minibatch.advantages, part);
    this.resolved.loss.apply(context, this.inForce.loss as never);
    await this.descend(part, temperature);
  }

  private lossContext(part: Part, gathered: (name: keyof TokenRollout & string) => DeviceBuffer): TokenLossContext {
    return {
      executor: this.executor,
      pool: this.pool,
      minibatch: {
        ...part,
        advantages: gathered('advantages'),
        returns: gathered('returns'),
        behaviourLogProbs: gathered('behaviourLogProbs'),
        proximalLogProbs: gathered('proximalLogProbs'),
        referenceLogProbs: gathered('referenceLogProbs'),
        oldValues: gathered('values'),
      },
    };
  }

  /** Advantages of a minibatch to mean 0 and deviation 1 over the tokens that teach. */
  private normalize(values: DeviceBuffer, { mask, sequences, length }: Part): void {
    const partials = this.pool.f32('advantage partials', 3 * MASKED_PARTIALS);
    const moments = this.pool.f32('advantage moments', 3);
    const count = sequences * length;
    this.executor.run(maskedPartials, { values, mask, partials }, { count, partials: MASKED_PARTIALS });
    this.executor.run(maskedMoments, { partials, moments }, { partials: MASKED_PARTIALS });
    this.executor.run(whiten, { mask, moments, values }, { count, center: 1, scale: 1 });
  }

  /** From a part's derivatives to a step of the weights; its statistics are kept for the report. */
  private async descend(part: Part, temperature: number, smoothing = 0): Promise<void> {
    const gradient = this.pool.f32('gradient', this.count);
    this.learner.backward(this.parameters, part, temperature, gradient, smoothing);
    const { control, count, remaining, parameters } = this;
    this.resolved.optimizer.apply(
      this.executor,
      this.pool,
      { parameters, gradient, control, count, remaining },
      this.inForce.optimizer as never,
    );
    this.learner.account(part, this.statistics, Math.min(this.statisticsRows++, MAX_ROWS - 1));
    await this.executor.breathe();
    await this.gate();
  }

  private async approximateKl(): Promise<number> {
    const row = Math.min(this.statisticsRows, MAX_ROWS) - 1;
    const size = TOKEN_STATISTICS_SIZE;
    const statistics = await this.executor.download(this.statistics, row * size, size);
    return tokenMetrics(statistics)['losses/approx_kl'] ?? 0;
  }

  /** The one readback of learning. */
  private async report(known: Readonly<Record<string, number>>, learningRate: number): Promise<Report> {
    const rows = Math.min(this.statisticsRows, MAX_ROWS);
    const size = TOKEN_STATISTICS_SIZE;
    const lessons = this.taught;
    this.taught = [];
    const [statistics, control, ...advantages] = await this.executor.downloadAll([
      { buffer: this.statistics, length: rows * size },
      { buffer: this.control },
      ...lessons.map(({ range }) => range),
    ]);
    this.episodes.credit(
      new Map(
        lessons.map(({ episode, observations }, i) => [episode, { advantages: [...advantages[i]], observations }]),
      ),
    );
    const means = new Float32Array(size);
    for (let i = 0; i < rows * size; i++) means[i % size] += statistics[i] / rows;
    return {
      update: this.update,
      steps: this.steps,
      metrics: {
        'charts/learning_rate': learningRate,
        'charts/phase': this.phase.index,
        ...known,
        ...(rows > 0 ? { ...tokenMetrics(means), 'losses/grad_norm': control[CONTROL.norm] } : {}),
      },
      nonfinite: control[CONTROL.nonfinite] !== 0,
      episodesEnded: known['rollout/samples'] ?? 0,
    };
  }

  /* ---- what others ask of a run ---- */

  /** One episode of each held-out task with the present policy, which learns nothing from it. */
  async evaluate(
    episodes: number,
    greedy: boolean,
    seed: number,
    cancelled = () => false,
  ): Promise<Evaluation | undefined> {
    const orders = Array.from({ length: episodes }, (_, i) => ({
      episode: i,
      task: evaluationTask(this.environment, seed, i),
      group: i,
    }));
    const played = await this.playAside(orders, { ...this.sampling(), temperature: 1, greedy }, cancelled);
    return played && evaluationOfEpisodes(played.ended);
  }

  /**
   * Lets the policy write episodes of a task, or of the next held-out ones, aside from the run; its first turn goes on
   * from the tokens `given`. Returns a sentence where they cannot begin a turn.
   */
  async tryOut({ task, count, temperature, greedy, given }: TryOut): Promise<readonly Transcript[] | string> {
    const orders = Array.from({ length: count }, (_, i) => {
      const episode = this.nextAside();
      return { episode, task: task ?? evaluationTask(this.environment, this.seed_, episode - ASIDE), group: i, given };
    });
    const fault = this.faultOf(given, orders[0].task);
    if (fault !== undefined) return fault;
    const played = await this.playAside(orders, { ...this.sampling(), temperature, greedy });
    for (const trajectory of played?.ended ?? []) this.keep(trajectory);
    return played?.transcripts ?? [];
  }

  /** Why a turn cannot begin with these tokens. */
  private faultOf(given: readonly number[], task: number): string | undefined {
    const { environment, rules } = this;
    const most = this.sampling().turnTokens - 1;
    if (given.length > most) return `A turn has at most ${most + 1} tokens, so at most ${most} can be given.`;
    const named = (at: number) => `“${environment.vocabulary[given[at]]}”`;
    const stop = given.findIndex((token) => environment.stops.includes(token));
    if (stop >= 0) return `${named(stop)} ends the turn: give what comes before it.`;
    const { illegal } = walk(environment, environment.grammarState(environment.reset(task)), given);
    if (!rules.enforced || illegal < 0) return undefined;
    return illegal === 0
      ? `By the grammar ${named(0)} cannot begin a turn.`
      : `By the grammar ${named(illegal)} cannot follow ${named(illegal - 1)}.`;
  }

  /** Number for an episode that is written aside from training, by the policy or by hand. */
  nextAside(): number {
    return ASIDE + this.asideCount++;
  }

  /** An episode that was written aside can be gathered for a while. */
  keep(trajectory: Trajectory): void {
    this.besides.set(trajectory.episode, trajectory);
    const [oldest] = this.besides.keys();
    if (this.besides.size > KEPT_ASIDE) this.besides.delete(oldest);
  }

  private record(episode: number): Trajectory | undefined {
    return this.besides.get(episode) ?? this.episodes.record(episode);
  }

  /** Probability of each token to be written next after these. */
  async nextToken(tokens: readonly number[], state: number): Promise<number[]> {
    // Buffers of its own: an update may be under way.
    const probe = pack([bareTrajectory(tokens, state)], this.context, this.rules.anything, false);
    const batch = this.learner.whole(upload(this.pool, 'probe', probe));
    this.models.actor.forward(this.parameters, batch);
    const { position } = this.models.actor.strides(1, batch.length);
    const size = this.models.actor.vocabulary;
    const row = (tokens.length - 1) * position * size;
    const logits = (await this.executor.download(this.models.actor.logits, row, size)) as Float32Array;
    return probabilities(logits, (token) => this.environment.grammar.table[state * size + token] !== 0);
  }

  /** What the person gathered in another run of the same world of tokens goes on. */
  inherit({ collected, environment }: TextRun): void {
    if (environment.vocabulary.join(' ') !== this.environment.vocabulary.join(' ')) return;
    this.collected.demonstrations.push(...collected.demonstrations);
    this.collected.pairs.push(...collected.pairs);
  }

  /** Numbers of the shown episodes that are demonstrations. */
  get picked(): readonly number[] {
    return [...this.shown.keys()];
  }

  /** A shown episode that has ended becomes a demonstration, or is one no longer; false where it is gone. */
  pick(episode: number): boolean {
    const before = this.shown.get(episode);
    const record = before ?? this.record(episode);
    if (!record) return false;
    const { collected, shown } = this;
    if (before) {
      collected.demonstrations = collected.demonstrations.filter((one) => one !== before);
      shown.delete(episode);
    } else {
      collected.demonstrations.push(record);
      shown.set(episode, record);
    }
    return true;
  }

  /** Of two shown episodes of one task, the person prefers the first; false where one of them is gone. */
  preferEpisode(chosen: number, rejected: number): boolean {
    const [better, worse] = [this.record(chosen), this.record(rejected)];
    if (!better || !worse || better.task !== worse.task) return false;
    this.collected.pairs.push({ chosen: better, rejected: worse });
    return true;
  }

  /** Drops all that the person gathered. */
  forget(): void {
    this.collected.demonstrations = [];
    this.collected.pairs = [];
    this.shown.clear();
  }

  /**
   * Episodes for the page: half of them being written, half ended lately, as far as there are. `taught`: those
   * instead that an update has learned from. A phase that writes none of its own may show others.
   */
  look(count: number, taught = false): readonly Transcript[] {
    const { kind, own } = this.phase;
    if (kind.shows && this.update > 0) return kind.shows(this, own as never, count);
    const { ended } = this.episodes;
    if (taught) return ended.filter((episode) => episode.taught).slice(0, count);
    const running = this.episodes.look(count - Math.min(ended.length, Math.floor(count / 2)));
    return [...running, ...ended].slice(0, count);
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
    const phases = this.resolved.phases.map((phase) => ({
      ...phase,
      parameters: overlaid(phase.parameters, wanted),
    }));
    const [problem] = checkNeeds({ ...this.resolved, phases });
    if (problem) return `${label} ${problem.message}`;
    this.wanted = wanted;
    return undefined;
  }

  async weights(): Promise<Float32Array> {
    return (await this.executor.download(this.parameters)) as Float32Array;
  }

  private learned(): Record<string, DeviceBuffer> {
    const moments = this.resolved.optimizer.moments.map((name) => [name, this.pool.f32(name, this.count)]);
    const ended = Array.from({ length: this.phase.index }, (_, i) => [`phase ${i + 1}`, this.checkpoint(i + 1)]);
    return {
      ...Object.fromEntries([...moments, ...ended]),
      parameters: this.parameters,
      control: this.control,
      reference: this.reference,
    };
  }

  /** Copies the run to the host: one readback. Episodes that are under way are not part of it. */
  async snapshot(_what: 'all' | 'learned'): Promise<Snapshot> {
    const memory = Object.entries(this.learned());
    const data = await this.executor.downloadAll(memory.map(([, buffer]) => ({ buffer, length: buffer.length })));
    return {
      update: this.update,
      stepCount: this.steps,
      buffers: {
        ...Object.fromEntries(memory.map(([name], i) => [name, data[i]])),
        counters: Uint32Array.of(this.phase.index, this.episodeCount, this.groupCount),
      },
    };
  }

  /** Puts a snapshot back, also one that was taken on another device; episodes begin anew. */
  restore(snapshot: Snapshot, seed: number): void {
    this.seed_ = seed;
    this.shown.clear();
    const [phase, episodes, groups] = snapshot.buffers.counters;
    this.update = snapshot.update;
    this.enter(this.resolved.phases[phase]);
    for (const [name, buffer] of Object.entries(this.learned()))
      if (snapshot.buffers[name]) this.executor.upload(buffer, snapshot.buffers[name]);
    this.deliver(this.rollout.delay);
    this.steps = snapshot.stepCount;
    this.episodeCount = episodes;
    this.begunBefore = episodes;
    this.groupCount = groups;
  }

  destroy(): void {
    this.pool.destroy();
  }
}

/** So many of them can be gathered. */
const KEPT_ASIDE = 256;

function grouped(trajectories: readonly Trajectory[]): Trajectory[][] {
  const groups = new Map<number, Trajectory[]>();
  const inOrder = [...trajectories].sort((a, b) => a.episode - b.episode);
  for (const trajectory of inOrder) groups.set(trajectory.group, [...(groups.get(trajectory.group) ?? []), trajectory]);
  return [...groups.values()];
}

/** In the order of their numbers, whichever ended first. */
function evaluationOfEpisodes(played: readonly Trajectory[]): Evaluation {
  const inOrder = [...played].sort((a, b) => a.episode - b.episode);
  return evaluationOf(
    inOrder.map((trajectory) => ({
      earned: score(trajectory),
      success: Number(trajectory.success),
      length: trajectory.turns.length,
    })),
  );
}

/** Tokens as an episode without turns. */
function bareTrajectory(tokens: readonly number[], state: number): Trajectory {
  const none = tokens.map(() => 0);
  return {
    episode: 0,
    task: 0,
    group: 0,
    tokens,
    roles: tokens.map(() => 1),
    states: tokens.map(() => state),
    logProbs: none,
    versions: [],
    turns: [],
    terminated: false,
    truncated: false,
    success: false,
  };
}

function probabilities(logits: Float32Array, legal: (token: number) => boolean): number[] {
  const peak = Math.max(...logits.filter((_, token) => legal(token)));
  const weights = Array.from(logits, (logit, token) => (legal(token) ? Math.exp(logit - peak) : 0));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

function overlaid(parameters: SlotParameters, changed: Partial<Record<Slot, AnyParameters>>): SlotParameters {
  return Object.fromEntries(
    SLOTS.map((slot) => [slot, { ...parameters[slot], ...changed[slot] }]),
  ) as unknown as SlotParameters;
}
