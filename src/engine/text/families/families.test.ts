/** What single families promise beyond the contract that all share, and what settings they refuse. */
import { describe, expect, it } from 'vitest';
import { Random, STREAM } from '../../../../kernels/random/threefry';
import { checkParameters, defaultsOf } from '../../parameters';
import type { TextEnvironment } from '../environment';
import { TEXT_ENVIRONMENTS } from './index';

function build(id: string, parameters: Record<string, unknown> = {}): TextEnvironment {
  const family = TEXT_ENVIRONMENTS[id];
  return family.build({ ...defaultsOf(family.parameters), ...parameters });
}
const random = (episode = 0) => new Random(3, STREAM.environmentStep, episode, 0);
const say = (world: TextEnvironment, text: string) => text.split(' ').map((word) => world.vocabulary.indexOf(word));
const words = (world: TextEnvironment, tokens: readonly number[]) => tokens.map((token) => world.vocabulary[token]);

/** Signals of an answer by name. */
function signals(world: TextEnvironment, values: readonly number[]): Record<string, number> {
  return Object.fromEntries(world.signals.map(({ name }, index) => [name, values[index]]));
}

/** Writes turns one after the other; what each brought. */
function converse(world: TextEnvironment, task: number, turns: readonly (readonly number[])[]) {
  let state = world.reset(task);
  return turns.map((turn) => {
    const answer = world.act(state, turn, random());
    state = answer.state;
    return { ...answer, state, said: words(world, answer.observation), signals: signals(world, answer.signals) };
  });
}

describe('mini-kg', () => {
  const world = build('mini-kg');
  const [start, first, second] = words(world, world.prompt(world.reset(5)));
  const told = (said: readonly string[]) => said.filter((word) => !/^(~.*|DOC|EOD)$/.test(word));

  it('rewards each hop in its turn', () => {
    const [{ said }] = converse(world, 5, [say(world, `SEARCH ${start} ${first} END`)]);
    const [middle] = told(said);
    const turns = [`SEARCH ${start} ${first} END`, `SEARCH ${start} ${first} END`, `SEARCH ${middle} ${second} END`];
    const [one, two, three] = converse(
      world,
      5,
      turns.map((turn) => say(world, turn)),
    );
    expect(said).toHaveLength(9);
    expect(one.signals).toMatchObject({ firstHop: 1, hop: 1, executed: 1, calls: 1, repeated: 0, format: 1 });
    expect(two.signals).toMatchObject({ firstHop: 0, hop: 0, repeated: 1 });
    expect(three.signals).toMatchObject({ firstHop: 0, hop: 1, found: 1 });
    const [answer] = told(three.said);
    const [right] = converse(world, 5, [say(world, `ANS ${answer} END`)]);
    expect(right).toMatchObject({ success: true, terminated: true, signals: { exact: 1, f1: 1, success: 1 } });
  });

  it('answers what cannot be read with a miss, and goes on', () => {
    const bad = ['SEARCH END', `SEARCH ${first} ${start} END`, `ANS ${start}`, 'END', `SEARCH ${start} ${first}`];
    for (const turn of bad) {
      const [{ said, terminated, signals: values }] = converse(world, 5, [say(world, turn)]);
      expect(said).toEqual(['DOC', 'MISS', 'EOD']);
      expect(terminated).toBe(false);
      expect(values).toMatchObject({ malformed: 1, void: 1, format: 0 });
    }
  });

  it('ends after its turns', () => {
    const turn = say(world, `SEARCH ${start} ${first} END`);
    const ends = converse(world, 5, Array(world.limits.turns).fill(turn));
    expect(ends.map(({ truncated }) => truncated)).toEqual([false, false, false, true]);
    expect(ends[ends.length - 1].observation).toEqual([]);
  });

  it('lies as often as it is told to, and flags it', () => {
    const noisy = build('mini-kg', { noise: 0.3, noiseFlag: true });
    const turn = say(noisy, `SEARCH ${start} ${first} END`);
    const [{ said: truth }] = converse(world, 5, [say(world, `SEARCH ${start} ${first} END`)]);
    let lies = 0;
    for (let episode = 0; episode < 2000; episode++) {
      const said = words(noisy, noisy.act(noisy.reset(5), turn, random(episode)).observation);
      const lie = !said.includes(told(truth)[0]);
      expect(said[1]).toBe(lie ? 'DOUBT' : 'SURE');
      if (lie) lies++;
    }
    expect(lies / 2000).toBeGreaterThan(0.26);
    expect(lies / 2000).toBeLessThan(0.34);
  });

  it('scores half an answer by F1', () => {
    const lists = build('mini-kg', { lists: 3, hopsMin: 1, hopsMax: 1, listSize: 3 });
    const task = Array.from({ length: 50 }, (_, number) => number).find((number) => {
      const view = lists.view(lists.reset(number));
      return view.kind === 'graph' && view.expected.length === 2;
    }) as number;
    const view = lists.view(lists.reset(task));
    if (view.kind !== 'graph') throw new Error('no graph');
    const [one, two] = view.expected.map((entity) => view.entities[entity]);
    const f1 = (text: string) => converse(lists, task, [say(lists, `ANS ${text} END`)])[0].signals.f1;
    expect(f1(one)).toBeCloseTo(2 / 3);
    expect(f1(`${two} ${one}`)).toBe(1);
    expect(f1(`${one} ${one}`)).toBeCloseTo(2 / 3);
  });

  it('asks as many true comparisons as false ones', () => {
    const compare = build('mini-kg', { comparisons: 1, turns: 6 });
    let yes = 0;
    for (let task = 0; task < 1000; task++) {
      const [{ success }] = converse(compare, task, [say(compare, 'ANS YES END')]);
      if (success) yes++;
    }
    expect(yes).toBeGreaterThan(440);
    expect(yes).toBeLessThan(560);
  });

  it('asks two chains at once where it may', () => {
    const turnsOf = (queries: number) => {
      const world = build('mini-kg', { comparisons: 1, turns: 6, queries });
      let state = world.reset(1);
      for (let turn = 1; ; turn++) {
        const answer = world.act(state, world.expert(state, 1, random()), random());
        if (answer.terminated) return turn;
        state = answer.state;
      }
    };
    expect([turnsOf(1), turnsOf(3)]).toEqual([5, 3]);
  });
});

describe('world-kg', () => {
  const world = build('world-kg');

  it('knows the world', () => {
    const lookUp = (entity: string, relation: string) => {
      const turn = [...say(world, 'SEARCH'), world.vocabulary.indexOf(entity), ...say(world, `${relation} END`)];
      const [{ said }] = converse(world, 0, [turn]);
      return said.filter((word) => !/^(~.*|DOC|EOD)$/.test(word));
    };
    expect(lookUp('France', 'capital')).toEqual(['Paris']);
    expect(lookUp('Tokyo', 'country')).toEqual(['Japan']);
    expect(lookUp('Brazil', 'continent')).toEqual(['South America']);
    expect(lookUp('Germany', 'currency')).toEqual(['EUR']);
    expect(lookUp('Canada', 'languages')).toEqual(['English', 'French']);
    expect(lookUp('EUR', 'capital')).toEqual(['MISS']);
  });

  it('keeps other questions for evaluation', () => {
    const half = world.tasks >>> 1;
    const prompts = (from: number) =>
      new Set(Array.from({ length: 2000 }, (_, index) => `${world.prompt(world.reset(from + index))}`));
    const [training, evaluation] = [prompts(0), prompts(half)];
    expect([...evaluation].filter((prompt) => training.has(prompt))).toEqual([]);
    expect(evaluation.size).toBeGreaterThan(50);
  });
});

describe('calc-tool', () => {
  const world = build('calc-tool', { strict: false, thought: 2 });
  const [left, operator, right] = words(world, world.prompt(world.reset(5)));

  it('returns results and errors', () => {
    const [call, wrong, empty, thought, junk] = converse(
      world,
      5,
      [
        say(world, `CALL ${left} ${operator} ${right} =`),
        say(world, `CALL ${left} BAD ${right} =`),
        say(world, 'CALL ='),
        say(world, `THINK ${left} END`),
      ].concat([[]]),
    );
    expect(call.said[0]).toBe('RES');
    expect(call.signals).toMatchObject({ calls: 1, errors: 0, useful: 1, format: 1 });
    for (const { said, signals: values } of [wrong, empty]) {
      expect(said).toEqual(['ERR']);
      expect(values).toMatchObject({ calls: 1, errors: 1, malformed: 1, void: 0 });
    }
    expect(thought.said).toEqual(['NEXT']);
    expect(thought.signals).toMatchObject({ void: 1, format: 1, calls: 0 });
    expect(junk).toMatchObject({ truncated: true, signals: { void: 1, malformed: 1 } });
  });

  it('draws other tables for each task, unless they are known', () => {
    const tables = (of: TextEnvironment, task: number) => {
      const view = of.view(of.reset(task));
      return view.kind === 'calc' ? view.tables : [];
    };
    expect(tables(world, 1)).not.toEqual(tables(world, 2));
    const known = build('calc-tool', { tables: 'known' });
    expect(tables(known, 1)).toEqual(tables(known, 2));
    expect(tables(known, 1).map(({ name, cells }) => [name, cells[3 * 10 + 9]])).toEqual([
      ['+', 2],
      ['×', 7],
    ]);
  });

  it('fails and costs as its tools do', () => {
    const tools = build('calc-tool', { failures: [0.5, 0], costs: [0.02, 0.1] });
    const outcome = (tool: number) => {
      const turn = say(tools, `CALL${tool} ${left} ${operator} ${right} =`);
      const all = Array.from({ length: 1000 }, (_, episode) =>
        signals(tools, tools.act(tools.reset(5), turn, random(episode)).signals),
      );
      return { failed: all.filter(({ failed }) => failed === 1).length / 1000, cost: all[0].cost };
    };
    expect(outcome(1).failed).toBeGreaterThan(0.45);
    expect(outcome(1).failed).toBeLessThan(0.55);
    expect(outcome(1).cost).toBe(0.02);
    expect(outcome(2)).toEqual({ failed: 0, cost: 0.1 });
  });
});

describe('verifiers', () => {
  it('keep other sums for evaluation', () => {
    const world = build('verifier-sum', { heldOut: true, termsMin: 2 });
    const half = world.tasks >>> 1;
    const prompts = Array.from({ length: world.tasks }, (_, task) => `${world.prompt(world.reset(task))}`);
    const training = new Set(prompts.slice(0, half));
    expect(training.size).toBe(550);
    expect(prompts.slice(half).filter((prompt) => training.has(prompt))).toEqual([]);
  });

  it('cut off a turn that reaches its limit', () => {
    const world = build('verifier-filler', { limit: 4 });
    const [{ terminated, truncated, signals: values }] = converse(world, 0, [say(world, 'HM HM HM HM')]);
    expect({ terminated, truncated }).toEqual({ terminated: false, truncated: true });
    expect(values).toMatchObject({ malformed: 1, tokens: 4, filler: 4, correct: 0 });
  });

  it('have the prior that is asked for', () => {
    const world = build('verifier-table');
    const counts = new Map<number, number>();
    for (let episode = 0; episode < 4000; episode++) {
      const [token] = world.expert(world.reset(3), 0, random(episode));
      counts.set(token, (counts.get(token) ?? 0) + 1 / 4000);
    }
    expect(Math.max(...counts.values())).toBeCloseTo(0.98 * 0.6, 1);
    const view = world.view(world.reset(3));
    if (view.kind !== 'verifier') throw new Error('no verifier');
    expect(counts.get(world.vocabulary.indexOf(view.expected[0]))).toBeCloseTo(0.02, 2);
  });
});

describe('settings that do not fit', () => {
  const cases: [string, Record<string, unknown>, string][] = [
    ['mini-kg', { hopsMin: 3, hopsMax: 2 }, 'hopsMin'],
    ['mini-kg', { hopsMax: 4 }, 'turns'],
    ['mini-kg', { comparisons: 0.5 }, 'turns'],
    ['mini-kg', { lists: 4 }, 'lists'],
    ['mini-kg', { lists: 3 }, 'lists'],
    ['mini-kg', { entities: 480, fillers: 40 }, 'entities'],
    ['mini-kg', { turns: 16, queries: 3, padding: 12 }, 'turns'],
    ['world-kg', { countries: 200 }, 'countries'],
    ['calc-tool', { operandsMin: 4 }, 'operandsMin'],
    ['calc-tool', { costs: [0, 1] }, 'costs'],
    ['calc-tool', { operandsMin: 5, operandsMax: 5, turns: 4 }, 'turns'],
    ['verifier-table', { prompts: 480, answers: 100 }, 'prompts'],
    ['verifier-password', { lengthMin: 5 }, 'lengthMin'],
    ['verifier-sum', { termsMin: 4 }, 'termsMin'],
    ['verifier-sum', { scratch: true, termsMin: 2, termsMax: 2 }, 'scratch'],
    ['verifier-filler', { prompts: 500, answers: 50 }, 'prompts'],
  ];
  it.each(cases)('%s %j', (id, given, key) => {
    const family = TEXT_ENVIRONMENTS[id];
    const { parameters, problems } = checkParameters(family.parameters, given, 'environment');
    expect(problems).toEqual([]);
    expect(family.problems(parameters, 'environment').map(({ path }) => path)).toEqual([`environment.${key}`]);
  });

  it('no family has a problem with its own defaults', () => {
    for (const [id, family] of Object.entries(TEXT_ENVIRONMENTS))
      expect(family.problems(defaultsOf(family.parameters), id), id).toEqual([]);
  });
});
