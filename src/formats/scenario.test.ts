import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Scenario } from '../engine/scenario';
import { findSyntaxFault, MAX_DEPTH } from './json';
import { formatScenario, MAX_BYTES, migrate, type Parsed, parseScenario, type Registry } from './scenario';

const described = (id: string, parameters: Registry['loss'][string]['parameters'] = {}) => ({
  [id]: { id, title: id, summary: '', formula: '', source: '', parameters },
});
const registry: Registry = {
  environment: described('cartpole', {
    maxSteps: { kind: 'number', label: 'Time limit', help: '', default: 500, min: 1, max: 1e5, integer: true },
  }),
  policy: described('mlp', {
    hidden: {
      kind: 'list',
      label: 'Widths',
      help: '',
      default: [64, 64],
      min: 1,
      max: 4096,
      integer: true,
      minLength: 0,
      maxLength: 8,
    },
  }),
  rollout: described('on-policy'),
  reward: described('signals'),
  filter: { ...described('none'), ...described('chain') },
  advantage: described('gae'),
  loss: described('ppo', { clip: { kind: 'number', label: 'Clip', help: '', default: 0.2, min: 0, max: 1 } }),
  optimizer: described('adam'),
  phase: {
    ...described('imitate', {
      quality: { kind: 'number', label: 'Quality', help: '', default: 0.5, min: 0, max: 1 },
    }),
    ...described('reinforce'),
  },
};
const presets = ['ppo'];
const file = () => ({
  kind: 'agentic-rl-scenario',
  version: 2,
  id: 'a-scenario',
  title: 'A scenario',
  summary: 'It shows something.',
  capabilities: ['basics'],
  fields: ['control'],
  preset: 'ppo',
  slots: {
    environment: { id: 'cartpole', parameters: {} },
    policy: { id: 'mlp', parameters: { hidden: [64, 64] } },
    rollout: { id: 'on-policy' },
    reward: { id: 'signals' },
    filter: { id: 'none' },
    advantage: { id: 'gae' },
    loss: { id: 'ppo', parameters: { clip: 0.1 } },
    optimizer: { id: 'adam' },
  },
  training: { updates: 50 },
  claims: [{ id: 'c', sentence: 'It holds.', metric: 'eval/success', comparison: '>=', value: 0.5 }],
});
const parse = (input: unknown) => parseScenario(input, registry, presets);
const bytes = (text: string) => new TextEncoder().encode(text);
const problemsOf = (parsed: Parsed) =>
  'problems' in parsed ? parsed.problems.map(({ path, message }) => `${path}: ${message}`) : [];
const scenarioOf = (parsed: Parsed): Scenario => {
  if ('problems' in parsed) throw new Error(problemsOf(parsed).join('\n'));
  return parsed.scenario;
};

describe('a good file', () => {
  it('gives the scenario, with defaults where the file is silent', () => {
    const scenario = scenarioOf(parse(JSON.stringify(file())));
    expect(scenario.slots.environment).toEqual({ id: 'cartpole', parameters: { maxSteps: 500 } });
    expect(scenario.slots.loss.parameters).toEqual({ clip: 0.1 });
    expect(scenario.training).toEqual({
      updates: 50,
      evaluateEvery: 10,
      evaluationEpisodes: 100,
      greedyEvaluation: false,
    });
    expect(scenario.lesson).toBe('');
  });
  it('may start with a byte order mark', () => {
    expect(problemsOf(parse(bytes(`\uFEFF${JSON.stringify(file())}`)))).toEqual([]);
  });
  it('is written so that it reads back equal', () => {
    const scenario = scenarioOf(parse({ ...file(), lesson: '# Words\n<img src=x onerror=alert(1)>', seconds: 4 }));
    expect(scenarioOf(parse(formatScenario(scenario)))).toEqual(scenario);
  });
});

describe('a file that cannot be read says what and where', () => {
  const oneProblem: readonly (readonly [string, unknown, RegExp])[] = [
    ['empty', '', /^file: is empty/],
    [
      'cut in half',
      JSON.stringify(file()).slice(0, 60),
      /^file: is not JSON at byte 60, line 1, column 61.*end of the file/,
    ],
    ['a missing comma on line 2', '{"a": 1\n "b": 2}', /byte 9, line 2, column 2/],
    ['bytes are counted, not letters', '{"é": x}', /byte 7, line 1, column 7/],
    ['a list at the root', '[1]', /^file: must hold one object, not a list/],
    ['the wrong kind', { ...file(), kind: 'onnx' }, /^kind: This is not a scenario file/],
    ['no kind', { version: 1 }, /^kind: .*names no kind/],
    [
      'a newer version',
      { ...file(), version: 999 },
      /^version: This file is of version 999; this page reads versions up to 2\./,
    ],
    ['a version in quotes', { ...file(), version: '2' }, /^version: must be a whole number from 1, not "2"/],
    ['no version', { ...file(), version: undefined }, /^version: is missing/],
    ['UTF-16', Uint8Array.from([0xff, 0xfe, 0x7b, 0, 0x7d, 0]), /UTF-16/],
    ['UTF-16 without its mark', Uint8Array.from([0x7b, 0, 0x22, 0, 0x61, 0, 0x7d, 0]), /UTF-16/],
    ['a PNG, renamed', Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d]), /PNG picture/],
    ['an ONNX model, renamed', Uint8Array.from([0x08, 0x07, 0x12, 0x07, 0x70]), /ONNX model/],
    ['some binary', Uint8Array.from([0x7b, 0x00, 0x01, 0x7d, 0x41]), /binary file.*byte 1/],
    ['bytes that are no UTF-8', Uint8Array.from([0x7b, 0xc3, 0x28]), /not text in UTF-8/],
    ['too large', new Uint8Array(MAX_BYTES + 1), /^file: is 2\.0 MB; a scenario file has at most 2 MB/],
    ['nested too deep', '['.repeat(10_000), new RegExp(`nests deeper than ${MAX_DEPTH}`)],
    [
      'a prototype key',
      '{"kind": "agentic-rl-scenario", "version": 1, "a": {"__proto__": {"polluted": 1}}}',
      /^a\.__proto__: /,
    ],
    ['a constructor key', '{"constructor": {"prototype": {}}}', /^constructor: /],
  ];
  it.each(oneProblem)('%s', (_name, input, expected) => {
    const problems = problemsOf(parse(input));
    expect(problems[0]).toMatch(expected);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('a missing field, by its path', () => {
    const { title: _title, ...rest } = file();
    expect(problemsOf(parse(rest))).toEqual(['title: is missing']);
  });
  it('a width of −1, of a billion, and a word for a number', () => {
    const withSlots = (slots: object) => ({ ...file(), slots: { ...file().slots, ...slots } });
    expect(problemsOf(parse(withSlots({ policy: { id: 'mlp', parameters: { hidden: [-1] } } })))).toEqual([
      'slots.policy.parameters.hidden: entry 1 must be 1 to 4096, not -1',
    ]);
    expect(problemsOf(parse(withSlots({ policy: { id: 'mlp', parameters: { hidden: [1e9] } } })))[0]).toContain(
      '1 to 4096',
    );
    expect(problemsOf(parse(withSlots({ loss: { id: 'ppo', parameters: { clip: '0.2' } } })))[0]).toBe(
      'slots.loss.parameters.clip: must be a number, not "0.2"',
    );
  });
  it('an unknown stage, with the known ones; names of Object are unknown too', () => {
    for (const id of ['dqn', 'toString', 'valueOf']) {
      const input = { ...file(), slots: { ...file().slots, loss: { id } } };
      expect(problemsOf(parse(input))).toEqual([`slots.loss.id: “${id}” is not known here; known: ppo`]);
    }
  });
  it('a list where an object belongs', () => {
    expect(problemsOf(parse({ ...file(), training: [1] }))).toEqual(['training: must be an object, not a list']);
    const slots = { ...file().slots, loss: { id: 'ppo', parameters: [1] } };
    expect(problemsOf(parse({ ...file(), slots }))).toEqual(['slots.loss.parameters: must be an object, not a list']);
  });
  it('a claim that changes a choice to what is no name, and two claims of one name', () => {
    const [claim] = file().claims;
    for (const id of [{ toString: 1 }, ['ppo'], null])
      expect(problemsOf(parse({ ...file(), claims: [{ ...claim, with: { 'loss.id': id } }] }))).toEqual([
        'claims.0.with.loss.id: must be the id of a choice, in quotes',
      ]);
    expect(problemsOf(parse({ ...file(), claims: [claim, claim] }))).toEqual([
      'claims.1.id: “c” names another claim already',
    ]);
  });
  it('more faults than anyone reads: the first fifty, and how many more', () => {
    const many = Object.fromEntries(Array.from({ length: 150_000 }, (_, i) => [`k${i}`, 1]));
    const slots = { ...file().slots, loss: { id: 'ppo', parameters: many } };
    const problems = problemsOf(parse(JSON.stringify({ ...file(), slots })));
    expect(problems.length).toBe(51);
    expect(problems[50]).toBe('file: has 149950 more problems');
  });
  it('long names and values are cut short', () => {
    const long = 'x'.repeat(1e6);
    for (const input of [
      JSON.stringify(long),
      { ...file(), [long]: 1 },
      { ...file(), capabilities: [long] },
      { ...file(), claims: [{ ...file().claims[0], with: { [long]: 1 } }] },
    ]) {
      const [problem] = problemsOf(parse(input));
      expect(problem.length).toBeGreaterThan(10);
      expect(problem.length).toBeLessThan(900);
    }
  });
  it('every problem at once', () => {
    const input = {
      ...file(),
      title: 7,
      preset: 'x',
      training: { updates: -1 },
      extra: 1,
      slots: { ...file().slots, loss: { id: 'ppo', parameters: { clip: 9, eps: 1 } } },
    };
    expect(problemsOf(parse(input)).map((line) => line.split(':')[0])).toEqual([
      'title',
      'extra',
      'slots.loss.parameters.eps',
      'slots.loss.parameters.clip',
      'training.updates',
      'preset',
    ]);
  });
});

describe('migrations', () => {
  const steps = [(old: object) => ({ ...old, b: 1 }), (old: object) => ({ ...old, c: 2 })];
  const old = { kind: 'agentic-rl-scenario', version: 1 };
  it('a file of version 1 gets a filter that filters nothing', () => {
    const { filter: _filter, ...slots } = file().slots;
    expect(scenarioOf(parse({ ...file(), version: 1, slots })).slots.filter).toEqual({ id: 'none', parameters: {} });
  });
  it('go step by step to the present version', () => {
    expect(migrate(old, steps)).toEqual({ file: { kind: 'agentic-rl-scenario', version: 3, b: 1, c: 2 } });
    expect(migrate({ ...old, version: 2 }, steps)).toEqual({ file: { kind: 'agentic-rl-scenario', version: 3, c: 2 } });
    expect(migrate({ ...old, version: 3 }, steps)).toEqual({ file: { kind: 'agentic-rl-scenario', version: 3 } });
  });
  it('leave the given object as it was', () => {
    migrate(old, steps);
    expect(old).toEqual({ kind: 'agentic-rl-scenario', version: 1 });
  });
});

describe('whatever comes in', () => {
  it('never throws, and gives a scenario or at least one problem', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.string(), fc.uint8Array(), fc.anything()), (input) => {
        const parsed = parse(input);
        expect('scenario' in parsed || parsed.problems.length > 0).toBe(true);
      }),
    );
  });
  it('one field replaced by anything is refused with its path, or taken as it is', () => {
    const keys = Object.keys(file()) as (keyof ReturnType<typeof file>)[];
    fc.assert(
      fc.property(fc.constantFrom(...keys), fc.jsonValue(), (key, value) => {
        const parsed = parse({ ...file(), [key]: value });
        if ('problems' in parsed)
          expect(
            parsed.problems.every(({ path }) => path === 'file' || path.startsWith(key) || path.includes('__proto__')),
          ).toBe(true);
        else expect(scenarioOf(parse(formatScenario(parsed.scenario)))).toEqual(parsed.scenario);
      }),
    );
  });
  it('the scan agrees with JSON.parse on what is JSON', () => {
    const parses = (text: string) => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const almost = fc
      .tuple(fc.json({ maxDepth: 4 }), fc.nat(), fc.string({ maxLength: 2 }))
      .map(([text, at, noise]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + noise + text.slice(place + 1);
      });
    fc.assert(
      fc.property(fc.oneof(fc.json({ maxDepth: 4 }), almost, fc.string()), (text) => {
        expect(findSyntaxFault(text) === undefined).toBe(parses(text));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('phases', () => {
  const phase = (id: string, from: number, more = {}) => ({ id, from, parameters: {}, ...more });
  const withPhases = (...phases: object[]) => parse({ ...file(), phases });

  it('are read, completed by their schema, and written again', () => {
    const scenario = scenarioOf(
      withPhases(phase('imitate', 0), phase('reinforce', 30, { with: { 'loss.clip': 0.3 } })),
    );
    expect(scenario.phases).toEqual([
      { id: 'imitate', from: 0, parameters: { quality: 0.5 }, with: {} },
      { id: 'reinforce', from: 30, parameters: {}, with: { 'loss.clip': 0.3 } },
    ]);
    expect(scenarioOf(parse(formatScenario(scenario)))).toEqual(scenario);
  });

  it.each([
    ['begins late', [phase('imitate', 3)], /^phases\.0\.from: must be 0/],
    ['out of order', [phase('imitate', 0), phase('reinforce', 0)], /^phases\.1\.from: must be above 0/],
    ['an unknown kind', [phase('dream', 0)], /^phases\.0\.id: “dream” is not known here; known: imitate, reinforce/],
    ['a wrong setting', [phase('imitate', 0, { parameters: { quality: 2 } })], /^phases\.0\.parameters\.quality: /],
    [
      'a change of what is not there',
      [phase('imitate', 0, { with: { 'loss.dream': 1 } })],
      /^phases\.0\.with\.loss\.dream: /,
    ],
    ['half an update', [phase('imitate', 0), phase('reinforce', 1.5)], /^phases\.1\.from: must be a whole number/],
  ])('%s: said with its place', (_, phases, message) => {
    expect(problemsOf(withPhases(...phases))[0]).toMatch(message);
  });
  it('a control world has none', () => {
    const control = { ...registry, environment: { cartpole: { ...registry.environment.cartpole, world: 'control' } } };
    const parsed = parseScenario({ ...file(), phases: [phase('reinforce', 0)] }, control as Registry, presets);
    expect(parsed).toEqual({
      problems: [{ path: 'phases', message: expect.stringContaining('“cartpole” is a control world: leave them out') }],
    });
  });
});
