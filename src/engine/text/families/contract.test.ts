/** What every text environment promises, whichever it is. A new family is covered by a line in VARIANTS. */
import { describe, expect, it } from 'vitest';
import { Random, STREAM } from '../../../../kernels/random/threefry';
import { checkParameters } from '../../parameters';
import type { TextEnvironment } from '../environment';
import { FREE, legalTokens, nextState } from '../grammar';
import { randomTurn } from '../random_policy';
import { TEXT_ENVIRONMENTS } from './index';

interface Variant {
  readonly name: string;
  readonly id: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Success of the flawless expert is at least this; less than 1 only where chance may forbid it. */
  readonly expert?: number;
  /** What guessing without looking may reach at most. */
  readonly luck: number;
  /** A turn may grow until its limit, even with the grammar. */
  readonly endless?: boolean;
  /** Random episodes: ten thousand of each family, fewer of its further variants. */
  readonly episodes?: number;
  /** A wrong answer may earn something too. */
  readonly graded?: boolean;
  /** All tasks are equally hard. */
  readonly even?: boolean;
}

const VARIANTS: readonly Variant[] = [
  { name: 'mini-kg', id: 'mini-kg', parameters: {}, episodes: 10_000, luck: 0.15, even: true },
  { name: 'mini-kg, one to four hops', id: 'mini-kg', parameters: { hopsMin: 1, hopsMax: 4, turns: 5 }, luck: 0.15 },
  {
    name: 'mini-kg, everything',
    id: 'mini-kg',
    parameters: {
      ...{ hopsMin: 1, hopsMax: 3, comparisons: 0.5, queries: 3, turns: 8, lists: 2, listSize: 3 },
      ...{ noise: 0.3, noiseFlag: true, padding: 1 },
    },
    expert: 0.97,
    luck: 0.45,
  },
  {
    name: 'mini-kg, useless documents',
    id: 'mini-kg',
    parameters: { noise: 0.5, noiseKind: 'useless', turns: 12, comparisons: 1, entities: 30, padding: 0 },
    expert: 0.95,
    luck: 0.6,
    even: true,
  },
  {
    name: 'mini-kg, smallest',
    id: 'mini-kg',
    parameters: { entities: 4, relations: 1, comparisons: 1, turns: 5 },
    luck: 0.7,
    even: true,
  },
  { name: 'world-kg', id: 'world-kg', parameters: {}, episodes: 10_000, luck: 0.1 },
  {
    name: 'world-kg, 120 countries',
    id: 'world-kg',
    parameters: { countries: 120, comparisons: 0.5, turns: 5 },
    luck: 0.4,
  },
  { name: 'calc-tool', id: 'calc-tool', parameters: {}, episodes: 10_000, luck: 0.2, even: true },
  {
    name: 'calc-tool, loose grammar, thoughts',
    id: 'calc-tool',
    parameters: { strict: false, thought: 4, operandsMin: 2, operandsMax: 5, turns: 8 },
    luck: 0.2,
  },
  {
    name: 'calc-tool, several tools',
    id: 'calc-tool',
    parameters: { failures: [0.4, 0, 0.1], costs: [0.02, 0.1, 0.1], turns: 9, tables: 'known', operators: 4 },
    expert: 0.95,
    luck: 0.25,
    even: true,
  },
  { name: 'calc-tool, text only', id: 'calc-tool', parameters: { tool: false, base: 16 }, luck: 0.2, even: true },
  { name: 'verifier-table', id: 'verifier-table', parameters: {}, episodes: 10_000, luck: 0.1, even: true },
  {
    name: 'verifier-table, easy and varied prompts',
    id: 'verifier-table',
    parameters: { prompts: 128, answers: 20, easy: 0.5, varied: true },
    luck: 0.15,
  },
  { name: 'verifier-password', id: 'verifier-password', parameters: {}, episodes: 10_000, luck: 0.01, even: true },
  {
    name: 'verifier-password, of many lengths',
    id: 'verifier-password',
    parameters: { lengthMin: 1, lengthMax: 8, letters: 6 },
    luck: 0.15,
  },
  { name: 'verifier-sum', id: 'verifier-sum', parameters: {}, episodes: 10_000, luck: 0.2, even: true },
  {
    name: 'verifier-sum, scratch, held out',
    id: 'verifier-sum',
    parameters: { termsMin: 1, termsMax: 4, scratch: true, heldOut: true },
    luck: 0.2,
  },
  {
    name: 'verifier-filler',
    id: 'verifier-filler',
    parameters: {},
    episodes: 10_000,
    luck: 0.4,
    even: true,
    endless: true,
  },
  {
    name: 'verifier-preference',
    id: 'verifier-preference',
    parameters: {},
    episodes: 10_000,
    luck: 0.15,
    graded: true,
  },
];

function build({ id, parameters }: Pick<Variant, 'id' | 'parameters'>): TextEnvironment {
  const family = TEXT_ENVIRONMENTS[id];
  const checked = checkParameters(family.parameters, parameters, 'environment');
  const problems = [...checked.problems, ...family.problems(checked.parameters, 'environment')];
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return family.build(checked.parameters);
}

type Writer = (state: unknown, random: Random) => readonly number[];

/** One episode; every promise of a single step is checked on the way. */
function play(world: TextEnvironment, task: number, write: Writer, random: Random) {
  let state = world.reset(task);
  let tokens = world.prompt(state).length;
  let reward = 0;
  for (let turn = 1; ; turn++) {
    const written = write(state, random);
    const answer = world.act(state, written, random);
    tokens += written.length + answer.observation.length;
    const over = answer.terminated || answer.truncated;
    const fits =
      answer.signals.length === world.signals.length &&
      answer.signals.every(Number.isFinite) &&
      answer.observation.every((token) => token > 0 && token < world.vocabulary.length) &&
      !(answer.terminated && answer.truncated) &&
      turn <= world.limits.turns &&
      (over ? answer.observation.length === 0 : answer.observation.length > 0) &&
      tokens <= world.limits.episodeTokens &&
      (over || !answer.success) &&
      answer.signals[world.signals.length - 1] === Number(answer.success);
    if (!fits) throw new Error(`task ${task}, turn ${turn}: ${JSON.stringify(answer)}`);
    reward += answer.signals.reduce((sum, value, index) => sum + value * world.reward[index], 0);
    state = answer.state;
    if (over) return { success: answer.success, reward, turns: turn, state };
  }
}

const episodeRandom = (episode: number) => new Random(7, STREAM.environmentStep, episode, 0);
/** Task numbers spread over all of them. */
const taskOf = (world: TextEnvironment, episode: number) => (episode * 7919) % world.tasks;

function successOf(world: TextEnvironment, episodes: number, write: Writer): number {
  let successes = 0;
  for (let episode = 0; episode < episodes; episode++)
    if (play(world, taskOf(world, episode), write, episodeRandom(episode)).success) successes++;
  return successes / episodes;
}

describe.each(VARIANTS)('$name', (variant) => {
  const world = build(variant);
  const { grammar, limits, stops, vocabulary } = world;

  it('has a vocabulary and names for everything', () => {
    expect(vocabulary.length).toBeLessThanOrEqual(512);
    expect(new Set(vocabulary).size).toBe(vocabulary.length);
    expect(world.voices).toHaveLength(vocabulary.length);
    expect(world.reward).toHaveLength(world.signals.length);
    expect(world.signals.at(-1)?.name).toBe('success');
    expect(grammar.table).toHaveLength(grammar.states * vocabulary.length);
  });

  it('plays random episodes, with and without its grammar', () => {
    const episodes = variant.episodes ?? 1000;
    let tokens = 0;
    for (let episode = 0; episode < episodes; episode++) {
      const withGrammar = episode % 2 === 0;
      const write: Writer = (state, random) => {
        const turn = randomTurn(world, state, withGrammar, random);
        const complete = stops.includes(turn[turn.length - 1]);
        if (withGrammar && !complete && !variant.endless) throw new Error(`a legal turn does not end: ${turn}`);
        tokens += turn.length;
        return turn;
      };
      play(world, taskOf(world, episode), write, episodeRandom(episode));
    }
    expect(tokens).toBeGreaterThanOrEqual(episodes);
  });

  it('answers any turn at all', () => {
    const first = world.reset(0);
    const turns = [[], [0], [9999, -1], Array(limits.turnTokens + 1).fill(1), [stops[0], stops[0], stops[0]]];
    for (const turn of turns) {
      const { observation, success, terminated, truncated } = world.act(first, turn, episodeRandom(0));
      expect(success).toBe(false);
      if (!terminated && !truncated) expect(observation.length).toBeGreaterThan(0);
    }
  });

  it('makes the same task of the same number, and others of others', () => {
    const again = build(variant);
    const prompts = new Set<string>();
    for (let task = 0; task < 40; task++) {
      const number = (task * 7919) % world.tasks;
      expect(again.reset(number)).toEqual(world.reset(number));
      expect(again.prompt(again.reset(number))).toEqual(world.prompt(world.reset(number)));
      expect(again.view(again.reset(number))).toEqual(world.view(world.reset(number)));
      prompts.add(`${world.prompt(world.reset(number))}`);
    }
    expect(prompts.size).toBeGreaterThan(3);
  });

  it('never changes a state in place, and states are plain data', () => {
    for (let episode = 0; episode < 50; episode++) {
      play(
        world,
        taskOf(world, episode),
        (state, random) => {
          const before = JSON.stringify(state);
          const turn = randomTurn(world, state, episode % 2 === 0, random);
          world.act(state, turn, random);
          world.expert(state, 0.5, random);
          world.view(state);
          world.anchor(state);
          world.describe(state);
          if (JSON.stringify(state) !== before) throw new Error(`changed: ${before}`);
          expect(JSON.parse(before)).toEqual(state);
          return turn;
        },
        episodeRandom(episode),
      );
    }
  });

  it('has a grammar that always leads on, and free state 0', () => {
    expect(legalTokens(grammar, FREE)).toHaveLength(vocabulary.length - 1);
    const start = world.grammarState(world.reset(0));
    const reached = new Set([start]);
    for (const state of reached) {
      const legal = legalTokens(grammar, state);
      expect(legal.length).toBeGreaterThan(0);
      for (const token of legal) {
        const next = nextState(grammar, state, token) ?? FREE;
        // A turn ends at a stop token and nowhere else.
        expect(next === FREE).toBe(stops.includes(token));
        if (next !== FREE) reached.add(next);
      }
    }
    expect(reached.size).toBeLessThan(grammar.states);
  });

  it('has an expert whose turns are legal, complete and good', () => {
    const write =
      (quality: number): Writer =>
      (state, random) => {
        const turn = world.expert(state, quality, random);
        let at: number | undefined = world.grammarState(state);
        for (const token of turn) at = at === undefined ? undefined : nextState(grammar, at, token);
        if (at !== FREE || turn.length > limits.turnTokens) throw new Error(`illegal: ${turn}`);
        return turn;
      };
    const [best, middling, worst] = [1, 0.5, 0].map((quality) => successOf(world, 600, write(quality)));
    expect(best).toBeGreaterThanOrEqual(variant.expert ?? 0.99);
    expect(middling).toBeLessThan(best);
    expect(worst).toBeLessThan(middling);
  });

  it('pays nothing for tricks', () => {
    const tricks: Record<string, Writer> = {
      'any legal turn': (state, random) => randomTurn(world, state, true, random),
      'any token': (state, random) => randomTurn(world, state, false, random),
      'empty turns': () => [],
      'stop at once': () => [stops[0]],
      'the same call for ever': (state) => prefer(world, state, (token) => world.voices[token] === 'call'),
      'the shortest turn': (state) => prefer(world, state, (token) => stops.includes(token)),
      'the same answer at once': (state) => prefer(world, state, (token) => world.voices[token] === 'answer'),
    };
    for (const [name, write] of Object.entries(tricks)) {
      let reward = 0;
      let successes = 0;
      for (let episode = 0; episode < 200; episode++) {
        const end = play(world, taskOf(world, episode), write, episodeRandom(episode));
        reward += end.reward;
        if (end.success) successes++;
        if (!end.success && !variant.graded) expect(end.reward, name).toBeLessThanOrEqual(0);
      }
      expect(reward / 200, name).toBeLessThanOrEqual(variant.luck);
      expect(successes / 200, name).toBeLessThanOrEqual(variant.luck);
    }
  });

  it('tells how hard a task is', () => {
    const tasks = Array.from({ length: 300 }, (_, episode) => world.difficulty(world.reset(taskOf(world, episode))));
    for (const { level, name } of tasks) {
      expect(level).toBeGreaterThanOrEqual(0);
      expect(level).toBeLessThanOrEqual(1);
      expect(name).not.toBe('');
    }
    const levels = tasks.map(({ level }) => level);
    if (variant.even) expect(new Set(levels).size).toBe(1);
    else expect(Math.max(...levels) - Math.min(...levels)).toBeGreaterThan(0.2);
  });

  it('draws and describes every state', () => {
    for (let episode = 0; episode < 20; episode++) {
      play(
        world,
        taskOf(world, episode),
        (state, random) => {
          expect(JSON.stringify(world.view(state))).not.toMatch(/-1|undefined|NaN/);
          expect(world.describe(state)).not.toMatch(/undefined|NaN/);
          expect(Number.isInteger(world.anchor(state))).toBe(true);
          return world.expert(state, 0.3, random);
        },
        episodeRandom(episode),
      );
    }
  });

  it('begins alike what looks alike: the anchor of a fresh state', () => {
    const first = world.reset(1);
    expect(world.anchor(first)).toBe(world.anchor(world.reset(1)));
  });
});

/** A turn of `wanted` tokens wherever they are legal, else of the first that is. */
function prefer(world: TextEnvironment, state: unknown, wanted: (token: number) => boolean): number[] {
  const turn: number[] = [];
  let at = world.grammarState(state);
  while (turn.length < world.limits.turnTokens) {
    const legal = legalTokens(world.grammar, at);
    const token = legal.find(wanted) ?? legal[0];
    turn.push(token);
    if (world.stops.includes(token)) break;
    at = nextState(world.grammar, at, token) ?? FREE;
  }
  return turn;
}
