/**
 * Episodes that run together, one a slot, each at its own turn. Finished ones leave and, where the rollout
 * is asynchronous, new ones take their place at once; otherwise a slot waits until all have ended.
 */
import { Random } from '../../../kernels/random/threefry';
import type { DeviceBuffer } from '../device/executor';
import type { Taught, Transcript } from '../view';
import type { TextEnvironment } from './environment';
import type { Ask, SamplingSettings, TurnSampler, Written } from './sampler';
import { ROLE, type Trajectory, type Turn } from './trajectory';

/** An episode to be played. */
export interface Order {
  readonly episode: number;
  readonly task: number;
  readonly group: number;
  /** Tokens that a person gave: the policy's first turn goes on from them. */
  readonly given?: readonly number[];
}

/** Ended episodes that are kept for the page. */
const SHOWN = 128;

interface Open {
  readonly order: Order;
  readonly update: number;
  readonly random: Random;
  state: unknown;
  readonly tokens: number[];
  readonly roles: number[];
  readonly states: number[];
  readonly logProbs: number[];
  readonly versions: number[];
  readonly turns: Turn[];
  ended: { readonly terminated: boolean; readonly truncated: boolean; readonly success: boolean } | undefined;
}

/** What is counted while slots work: turns that slots could have written, and those in which they did. */
export interface Use {
  slotTurns: number;
  usedTurns: number;
}

export class Episodes {
  private readonly open: (Open | undefined)[];
  readonly use: Use = { slotTurns: 0, usedTurns: 0 };

  constructor(
    private readonly environment: TextEnvironment,
    private readonly sampler: TurnSampler,
    /** Stream of the environment's random numbers. */
    private readonly stream: number,
    /** Turns of an episode at most. */
    private readonly turns: number,
    /** What each turn earns. */
    private readonly reward: (trajectory: Trajectory) => readonly number[],
  ) {
    this.open = Array.from({ length: sampler.slots }, () => undefined);
  }

  /** The last ones that ended, newest first, for the page. */
  get ended(): readonly Transcript[] {
    return this.lately.map(({ transcript }) => transcript);
  }
  private lately: readonly { readonly transcript: Transcript; readonly record: Trajectory }[] = [];

  /** Notes what an update made of those of them that it learned from, by episode. */
  credit(taught: ReadonlyMap<number, Taught>): void {
    this.lately = this.lately.map(({ transcript, record }) => {
      const known = taught.get(transcript.episode);
      return { transcript: known ? { ...transcript, taught: known } : transcript, record };
    });
  }

  /** The record of one of those. */
  record(episode: number): Trajectory | undefined {
    return this.lately.find(({ record }) => record.episode === episode)?.record;
  }

  get running(): number {
    return this.open.filter((episode) => episode !== undefined).length;
  }

  get free(): number {
    return this.open.length - this.running;
  }

  /** Puts an episode into a free slot. */
  begin(order: Order, seed: number, update: number): void {
    const slot = this.open.indexOf(undefined);
    this.open[slot] = begin(this.environment, order, new Random(seed, this.stream, order.episode, 0), update);
  }

  /** The policy has changed; episodes go on with the new one. */
  policyChanged(): void {
    this.sampler.forget();
  }

  /** Drops what is running. */
  clear(): void {
    this.open.fill(undefined);
  }

  /** One turn of every running episode; returns those that ended with it. */
  async turn(
    parameters: DeviceBuffer,
    seed: number,
    version: number,
    settings: SamplingSettings,
  ): Promise<Trajectory[]> {
    const asks = this.open.map((episode) => episode && ask(this.environment, episode));
    this.use.slotTurns += this.open.length;
    this.use.usedTurns += this.running;
    const written = await this.sampler.turn(parameters, asks, seed, settings);
    const ended: Trajectory[] = [];
    for (const [slot, episode] of this.open.entries()) {
      const turn = written[slot];
      if (!episode || !turn) continue;
      take(this.environment, episode, whole(this.environment, episode, turn), version, this.turns, settings.turnTokens);
      earn(episode, this.reward);
      if (!episode.ended) continue;
      const record = recordOf(episode);
      ended.push(record);
      if (ended.length <= SHOWN)
        this.lately = [{ transcript: transcriptOf(this.environment, episode), record }, ...this.lately].slice(0, SHOWN);
      this.open[slot] = undefined;
    }
    return ended;
  }

  /** The first episodes as they stand, for the page. */
  look(count: number): Transcript[] {
    return this.open
      .filter((episode) => episode !== undefined)
      .slice(0, count)
      .map((episode) => transcriptOf(this.environment, episode));
  }
}

function begin(environment: TextEnvironment, order: Order, random: Random, update: number): Open {
  const state = environment.reset(order.task);
  const tokens = [...environment.prompt(state)];
  return {
    order,
    update,
    random,
    state,
    tokens,
    roles: tokens.map(() => ROLE.observation),
    states: tokens.map(() => 0),
    logProbs: tokens.map(() => 0),
    versions: [],
    turns: [],
    ended: undefined,
  };
}

function ask(environment: TextEnvironment, episode: Open): Ask {
  const given = givenNow(episode);
  const { order, tokens, state } = episode;
  const { after } = walk(environment, environment.grammarState(state), given);
  return { episode: order.episode, tokens: [...tokens, ...given], begun: given.length, state: after };
}

/** What the turn at hand begins with, where a person has said so. */
function givenNow({ order, turns }: Open): readonly number[] {
  return turns.length === 0 ? (order.given ?? []) : [];
}

/** The turn with what was given before what the policy wrote. */
function whole(environment: TextEnvironment, episode: Open, { tokens, states, logProbs }: Written): Written {
  const given = givenNow(episode);
  const { before } = walk(environment, environment.grammarState(episode.state), given);
  return {
    tokens: [...given, ...tokens],
    states: [...before, ...states],
    logProbs: [...given.map(() => 0), ...logProbs],
  };
}

/**
 * The grammar's state before each of these tokens and after the last; `illegal`: place of the first that may not
 * stand there, −1 where all may. After such a token the grammar begins anew.
 */
export function walk(
  { grammar, vocabulary }: Pick<TextEnvironment, 'grammar' | 'vocabulary'>,
  from: number,
  tokens: readonly number[],
): { readonly before: readonly number[]; readonly after: number; readonly illegal: number } {
  const before: number[] = [];
  let [state, illegal] = [from, -1];
  for (const [i, token] of tokens.entries()) {
    before.push(state);
    const entry = grammar.table[state * vocabulary.length + token];
    if (entry === 0 && illegal < 0) illegal = i;
    state = Math.max(entry, 1) - 1;
  }
  return { before, after: state, illegal };
}

/** The environment answers a turn. */
function take(
  environment: TextEnvironment,
  episode: Open,
  written: Written,
  version: number,
  turnLimit: number,
  turnTokens: number,
): void {
  const from = episode.tokens.length;
  const anchor = environment.anchor(episode.state);
  append(episode, written.tokens, ROLE.action, written.states, written.logProbs);
  const to = episode.tokens.length;
  const answer = environment.act(episode.state, written.tokens, episode.random);
  episode.state = answer.state;
  const last = written.tokens[written.tokens.length - 1];
  const turn = {
    from,
    to,
    signals: answer.signals,
    reward: 0,
    anchor,
    complete: environment.stops.includes(last),
  };
  const outOfTurns = episode.turns.length + 1 >= turnLimit;
  const outOfContext =
    to + answer.observation.length + turnTokens > environment.limits.episodeTokens && !answer.terminated;
  const over = answer.terminated || answer.truncated || outOfTurns || outOfContext;
  if (!over) append(episode, answer.observation, ROLE.observation);
  episode.turns.push({ ...turn, next: episode.tokens.length });
  episode.versions.push(version);
  if (over) episode.ended = { terminated: answer.terminated, truncated: !answer.terminated, success: answer.success };
}

function append(
  episode: Open,
  tokens: readonly number[],
  role: number,
  states: readonly number[] = tokens.map(() => 0),
  logProbs: readonly number[] = tokens.map(() => 0),
): void {
  episode.tokens.push(...tokens);
  episode.roles.push(...tokens.map(() => role));
  episode.states.push(...states);
  episode.logProbs.push(...logProbs);
}

const RUNNING = { terminated: false, truncated: false, success: false } as const;

function recordOf(episode: Open): Trajectory {
  const { order, ended, tokens, roles, states, logProbs, versions, turns } = episode;
  return { ...order, tokens, roles, states, logProbs, versions, turns, ...(ended ?? RUNNING) };
}

/** Writes into each turn so far what it earns. */
function earn(episode: Open, reward: (trajectory: Trajectory) => readonly number[]): void {
  for (const [i, earned] of reward(recordOf(episode)).entries())
    episode.turns[i] = { ...episode.turns[i], reward: earned };
}

/** An episode written by hand, token by token or by an expert: the same record as of a sampled one. */
export class HandWritten {
  private readonly episode: Open;

  constructor(
    private readonly environment: TextEnvironment,
    order: Order,
    random: Random,
    private readonly reward: (trajectory: Trajectory) => readonly number[] = () => [],
  ) {
    this.episode = begin(environment, order, random, 0);
  }

  get state(): unknown {
    return this.episode.state;
  }

  get tokens(): readonly number[] {
    return this.episode.tokens;
  }

  get over(): boolean {
    return this.episode.ended !== undefined;
  }

  write(tokens: readonly number[]): void {
    const { environment } = this;
    const { before } = walk(environment, environment.grammarState(this.episode.state), tokens);
    const written = { tokens, states: before, logProbs: tokens.map(() => 0) };
    take(environment, this.episode, written, 0, environment.limits.turns, environment.limits.turnTokens);
    earn(this.episode, this.reward);
  }

  trajectory(): Trajectory {
    return recordOf(this.episode);
  }

  transcript(): Transcript {
    return transcriptOf(this.environment, this.episode);
  }
}

function transcriptOf(environment: TextEnvironment, episode: Open): Transcript {
  const { order, update, tokens, roles, logProbs, turns, ended, state } = episode;
  return {
    episode: order.episode,
    update,
    task: environment.describe(environment.reset(order.task)),
    tokens: [...tokens],
    roles: [...roles],
    turnOf: turnOf(turns, tokens.length),
    logProbs: [...logProbs],
    rewards: turns.map(({ reward }) => reward),
    signals: turns.map(({ signals }) => signals),
    ended: ended !== undefined,
    truncated: ended?.truncated ?? false,
    success: ended?.success ?? false,
    view: environment.view(state),
    given: turns.length > 0 ? (order.given?.length ?? 0) : 0,
  };
}

/** Index of the turn that each token belongs to: the prompt to the first, an observation to the turn that it answers. */
export function turnOf(turns: readonly Turn[], length: number): number[] {
  const index = new Array<number>(length).fill(turns.length);
  for (const [i, { next }] of [...turns.entries()].reverse()) index.fill(i, 0, next);
  return index;
}
