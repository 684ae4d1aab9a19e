import { describe, expect, it } from 'vitest';
import { defaultsOf } from '../parameters';
import { ENVIRONMENTS } from './index';
import { readTable } from './mdp';

function problems(id: string, parameters: Record<string, unknown>): string[] {
  const built = ENVIRONMENTS[id].build(parameters, 'environment.parameters');
  return 'problems' in built ? built.problems.map(({ path, message }) => `${path}: ${message}`) : [];
}

const TABLE = {
  transitions: [
    [
      [[1, 1, 0, false]],
      [
        [0.5, 0, 0, false],
        [0.5, 1, 1, true],
      ],
    ],
    [[[1, 1, 0, true]], []],
  ],
  initial_state_distribution: [1, 0],
};
function tableProblems(change: (table: typeof TABLE & Record<string, unknown>) => void): string[] {
  const table = structuredClone(TABLE) as typeof TABLE & Record<string, unknown>;
  change(table);
  return problems('mdp', { table });
}

it('every environment builds from its defaults, written out or not', () => {
  for (const [id, { parameters }] of Object.entries(ENVIRONMENTS)) {
    expect(problems(id, {}), id).toEqual([]);
    expect(problems(id, defaultsOf(parameters)), id).toEqual([]);
  }
});

describe('numbers out of range', () => {
  it.each([
    ['minigrid', { size: -1 }, 'environment.parameters.size: must be 0 to 25, not -1'],
    ['minigrid', { size: 1e9 }, 'environment.parameters.size: must be 0 to 25, not 1000000000'],
    ['minigrid', { size: 6.5 }, 'environment.parameters.size: must be a whole number, not 6.5'],
    ['minigrid', { size: 4 }, 'environment.parameters.size: must be 0 or at least 5 in this level, not 4'],
    [
      'minigrid',
      { level: 'fourrooms', size: 8 },
      'environment.parameters.size: must be odd in FourRooms, so that its walls cross in the middle, not 8',
    ],
    [
      'minigrid',
      { level: 'custom', size: 8 },
      'environment.parameters.size: must be 0 with a custom map, which has its own size',
    ],
    ['cartpole', { gravity: Number.NaN }, 'environment.parameters.gravity: must be a number, not NaN'],
    ['cartpole', { maxSteps: 0 }, 'environment.parameters.maxSteps: must be 1 to 10000, not 0'],
    [
      'cartpole',
      { mass: 1 },
      'environment.parameters.mass: is not a setting here; known: gravity, cartMass, poleMass, halfLength, force, seconds, angleLimit, positionLimit, maxSteps',
    ],
    [
      'bandit',
      { kind: 'bernoulli', means: [0.5, 1.5] },
      'environment.parameters.means: entry 2 must be 0 to 1 for a Bernoulli arm, not 1.5',
    ],
    ['bandit', { means: [1] }, 'environment.parameters.means: must have 2 to 24 entries, not 1'],
  ])('%s %o', (id, parameters, message) => {
    expect(problems(id, parameters)).toEqual([message]);
  });
});

describe('maps', () => {
  const grid = (map: string) =>
    problems('minigrid', { level: 'custom', map }).map((text) => text.replace('environment.parameters.map: ', ''));
  const lake = (customMap: string) =>
    problems('frozen-lake', { map: 'custom', customMap }).map((text) =>
      text.replace('environment.parameters.customMap: ', ''),
    );

  it.each([
    ['###\n#?G\n###', 'row 2, column 2: "?" is not a symbol of this map; known: # . _ G L K B X D d o > v < ^'],
    ['####\n#>.#\n####', 'has no goal (G): no episode could succeed'],
    ['####\n#>G#\n###', 'row 3 has 3 cells, row 1 has 4: all rows must be equally long'],
    ['####\n#>>#\n##G#', 'row 2, column 3: a second agent; a level has one'],
    ['###\n#G#\n###', 'has neither an agent (> v < ^) nor an empty cell (.) to start from'],
    ['####\n#>K(B)\n##G#', 'row 2, column 3: only a box (X) can hold something, not K'],
    ['####\n#>X(D)\n##G#', 'row 2, column 3: a box can hold a key (K) or a ball (B), not "D"'],
    ['>G', 'must have 3 to 25 rows, not 1'],
  ])('grid %j', (map, message) => {
    expect(grid(map)).toContain(message);
  });

  it('a grid map may be indented and may give colours', () => {
    expect(grid('\n   #####\n   #>K4G#\n   ##D4##\n  ')).toEqual([]);
  });

  it.each([
    ['SF\nFX\nFG', 'row 2, column 2: "X" is not a letter of this map; known: S, F, H, G'],
    ['SF\nFFF\nFG', 'row 2 has 3 cells, row 1 has 2: all rows must be equally long'],
    ['SF\nFF', 'has no goal (G): no episode could succeed'],
    ['FF\nFG', 'has no start (S)'],
    ['', 'must have 2 to 25 rows, not 1'],
  ])('frozen lake %j', (map, message) => {
    expect(lake(map)).toContain(message);
  });

  it('a separator that no one sees is a symbol too', () => {
    expect(grid('####\n#>\u2028G#\n####')[1]).toContain('is not a symbol of this map');
  });

  it('a map that is wrong all over is told its first faults', () => {
    for (const found of [grid('z'.repeat(4000)), lake('z'.repeat(2000))]) {
      expect(found.length).toBe(21);
      expect(found[20]).toMatch(/has \d+ more faults/);
    }
  });

  it('a map too large for one observation says so', () => {
    const rows = Array.from({ length: 25 }, (_, y) => (y === 1 ? `>GK0K1K2K3K4K5${'.'.repeat(17)}` : '.'.repeat(25)));
    expect(problems('minigrid', { level: 'custom', view: 'full', map: rows.join('\n') })).toEqual([
      'environment.parameters.view: the observation would have 5012 numbers, more than 4096: choose the 7×7 view, fewer kinds of objects or a smaller map',
    ]);
  });
});

describe('transition tables', () => {
  const path = 'environment.parameters.table';

  it('names state and action whose probabilities do not sum to 1', () => {
    expect(tableProblems((table) => (table.transitions[0][1][0][0] = 0.4))).toEqual([
      `${path}.transitions[0][1]: state 0, action 1: the probabilities sum to 0.9, not 1`,
    ]);
  });

  it.each([
    [[1, 2, 0, false], 'the next state must be a whole number from 0 to 1, not 2'],
    [[1, -1, 0, false], 'the next state must be a whole number from 0 to 1, not -1'],
    [[1, 0.5, 0, false], 'the next state must be a whole number from 0 to 1, not 0.5'],
    [[Number.NaN, 0, 0, false], 'the probability must be 0 to 1, not NaN'],
    [[-0.5, 0, 0, false], 'the probability must be 0 to 1, not -0.5'],
    [[1, 0, Number.NaN, false], 'the reward must be a number, not NaN'],
    [[1, 0, 0, 'no'], 'terminated must be true or false, not "no"'],
    [[{ toString: 1 }, 0, 0, false], 'the probability must be 0 to 1, not {"toString":1}'],
    [[1, { toString: 1 }, 0, false], 'the next state must be a whole number from 0 to 1, not {"toString":1}'],
    [[1, 0, 1e300, false], 'the reward must be -1000000000 to 1000000000, not 1e+300'],
    [[1, 0, 0, 'x'.repeat(99)], `terminated must be true or false, not "${'x'.repeat(39)}…`],
    [[1, 0, 0], 'an outcome must be [probability, next state, reward, terminated]'],
    ['x', 'an outcome must be [probability, next state, reward, terminated]'],
  ])('%o', (outcome, message) => {
    const found = tableProblems((table) => (table.transitions[0][0][0] = outcome as never));
    expect(found).toEqual([`${path}.transitions[0][0][0]: state 0, action 0: ${message}`]);
  });

  it('names a state with no legal action, a short row, and what is not a list', () => {
    expect(tableProblems((table) => (table.transitions[1] = [[], []]))).toEqual([
      `${path}.transitions[1]: state 1 has no legal action: every list is empty`,
    ]);
    expect(tableProblems((table) => table.transitions[1].pop())).toEqual([
      `${path}.transitions[1]: state 1 has 1 actions, state 0 has 2; give [] for an action that is not legal`,
    ]);
    expect(tableProblems((table) => (table.transitions[1] = null as never))[0]).toContain(
      'state 1 has no list of actions',
    );
    expect(tableProblems((table) => (table.transitions[1][0] = 3 as never))[0]).toContain(
      'state 1, action 0: must be a list',
    );
  });

  it('checks the start, the goals, names and board', () => {
    expect(tableProblems((table) => (table.initial_state_distribution = [0.5, 0.4]))[0]).toContain('sum to 0.9, not 1');
    expect(tableProblems((table) => (table.initial_state_distribution = [1]))[0]).toContain(
      'must be a list of 2 probabilities',
    );
    expect(tableProblems((table) => (table.initial_state_distribution = [2, -1]))[0]).toContain(
      'state 1: the probability',
    );
    expect(tableProblems((table) => (table.initial_state_distribution = ['1', 0] as never))[0]).toContain(
      'state 0: the probability must be a number of 0 or more, not "1"',
    );
    expect(tableProblems((table) => (table.initial_state_distribution = [{ toString: 1 }, 0] as never))[0]).toContain(
      'not {"toString":1}',
    );
    expect(tableProblems((table) => (table.width = { toString: 1 }))[0]).toContain('not {"toString":1}');
    expect(tableProblems((table) => (table.goals = [2]))[0]).toContain('must be a list of states from 0 to 1');
    expect(tableProblems((table) => (table.actions = ['one']))[0]).toContain('must be a list of 2 names');
    expect(tableProblems((table) => (table.width = 1e9))[0]).toContain('must be a whole number from 1 to 2');
  });

  it('refuses what is no table, or too large, before reading it', () => {
    expect(problems('mdp', { table: 7 })[0]).toContain('must be an object with transitions');
    expect(problems('mdp', { table: {} })[0]).toContain('must be a list of 1 to 2048 states');
    expect(problems('mdp', { table: { transitions: new Array(1e6).fill([]) } })[0]).toContain(
      'must be a list of 1 to 2048 states',
    );
    expect(problems('mdp', { table: { transitions: [new Array(1000).fill([])] } })[0]).toContain(
      'must be a list of 1 to 24 actions',
    );
    const broken = { ...TABLE, transitions: new Array(2000).fill(null) };
    expect(
      problems('mdp', { table: { ...broken, transitions: [TABLE.transitions[0], ...broken.transitions] } }).length,
    ).toBe(20);
  });

  it('has exact values once for a gamma, and none where a reward never ends', () => {
    const endless = { transitions: [[[[1, 0, 1, false]]]], initial_state_distribution: [1] };
    const built = ENVIRONMENTS.mdp.build({ table: endless, maxSteps: 0 }, 'environment.parameters');
    if ('problems' in built) throw new Error(built.problems[0].message);
    const { instance } = built;
    expect(instance.exactValues?.(1)).toBeUndefined();
    expect(instance.exactValues?.(0.5)).toEqual(Float32Array.of(2));
    expect(instance.exactValues?.(0.5)).toBe(instance.exactValues?.(0.5));
    expect(instance.exactValues?.(0.75)).toEqual(Float32Array.of(4));
  });

  it('reads Python dictionaries, and is not led by the prototype (F41)', () => {
    const asObject = { 0: { 0: [[1, 1, 5, true]] }, 1: { 0: [[1, 1, 0, true]] } };
    const read = readTable({ transitions: asObject, initial_state_distribution: [1, 0] }, 'table');
    if ('problems' in read) throw new Error(read.problems[0].message);
    expect(read.table.outcomes[0][0][0]).toEqual({
      probability: 1,
      next: 1,
      reward: 5,
      terminated: true,
      success: true,
    });
    const polluted = JSON.parse('{"transitions": {"__proto__": [[[1,0,0,true]]]}, "initial_state_distribution": [1]}');
    expect(problems('mdp', { table: polluted })[0]).toContain('must be a list');
    expect(({} as Record<string, unknown>)[0]).toBeUndefined();
  });
});
