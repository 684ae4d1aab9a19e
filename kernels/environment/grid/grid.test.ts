import { describe, expect, it } from 'vitest';
import { executors } from '../../../src/engine/device/testing';
import { firstDifference } from '../../golden/read';
import { Random } from '../../random/threefry';
import { takeSteps } from '../golden';
import type { EnvironmentProgram } from '../program';
import { type GridSettings, gridWorld } from './grid';
import { customLevel, DOOR_KEY, EMPTY_ROOM, FOUR_ROOMS, type GridLevel, LAVA_GAP } from './levels';
import { COLOUR, canEnter, cellOf, DOOR, EMPTY, GOAL, LAVA, OBJECT, objectOf, stateOf, toggled, WALL } from './objects';
import { GridState, type Place } from './state';
import { partialView } from './view';

const [LEFT, RIGHT, FORWARD, PICK_UP, DROP, TOGGLE, DONE] = [0, 1, 2, 3, 4, 5, 6];
const COMMON = { randomStart: false, view: 'partial', seeThrough: false, encoding: 'objects', mask: false } as const;

function fresh(level: GridLevel, size: number, copy: number, randomStart = false): GridState {
  const grid = new GridState(size, size, new Float32Array(6 + size * size));
  level.reset(grid, new Random(11, 4, copy, 0), randomStart);
  return grid;
}

function everyPlace(grid: GridState): Place[] {
  return Array.from(
    { length: grid.width * grid.height },
    (_, i): Place => [i % grid.width, Math.floor(i / grid.width)],
  );
}
function find(grid: GridState, object: number): Place[] {
  return everyPlace(grid).filter((at) => objectOf(grid.cell(at)) === object);
}

/** Whether the agent can walk from its place to another, given what it may pass. */
function reaches(grid: GridState, to: Place, passes: (cell: number) => boolean): boolean {
  const seen = new Set([grid.agent.join()]);
  const queue: Place[] = [grid.agent];
  for (const [x, y] of queue) {
    for (const [dx, dy] of [
      [1, 0],
      [0, 1],
      [-1, 0],
      [0, -1],
    ]) {
      const next: Place = [x + dx, y + dy];
      if (seen.has(next.join()) || !passes(grid.cell(next))) continue;
      seen.add(next.join());
      queue.push(next);
    }
  }
  return seen.has(to.join());
}
const safe = (cell: number) => canEnter(cell) && objectOf(cell) !== OBJECT.lava;

describe('levels', () => {
  const copies = Array.from({ length: 300 }, (_, copy) => copy);

  it('Empty starts in the corner, or anywhere but on the goal', () => {
    expect(fresh(EMPTY_ROOM, 5, 0).agent).toEqual([1, 1]);
    const starts = copies.map((copy) => fresh(EMPTY_ROOM, 5, copy, true).agent.join());
    expect(new Set(starts).size).toBe(8);
    expect(starts).not.toContain('3,3');
    for (const start of new Set(starts)) expect(starts.filter((at) => at === start).length).toBeGreaterThan(15);
  });

  it.each([5, 6, 8, 16])('DoorKey %i: key and agent left of a locked door, the goal behind it', (size) => {
    const splits = new Set<number>();
    for (const copy of copies) {
      const grid = fresh(DOOR_KEY, size, copy);
      const [[door], [key], [goal]] = [find(grid, OBJECT.door), find(grid, OBJECT.key), find(grid, OBJECT.goal)];
      splits.add(door[0]);
      expect(grid.cell(door)).toBe(cellOf(OBJECT.door, COLOUR.yellow, DOOR.locked));
      expect(goal).toEqual([size - 2, size - 2]);
      expect(key[0]).toBeLessThan(door[0]);
      expect(grid.agent[0]).toBeLessThan(door[0]);
      expect(grid.cell(grid.agent)).toBe(EMPTY);
      expect(reaches(grid, key, (cell) => safe(cell) || objectOf(cell) === OBJECT.key)).toBe(true);
      expect(reaches(grid, goal, safe)).toBe(false);
      expect(
        reaches(grid, goal, (cell) => safe(cell) || objectOf(cell) === OBJECT.key || objectOf(cell) === OBJECT.door),
      ).toBe(true);
    }
    expect(splits.size).toBe(size - 4);
  });

  it.each([5, 6, 7])('LavaGap %i: one gap, drawn everywhere, and a way through it', (size) => {
    const gaps = new Set<string>();
    for (const copy of copies) {
      const grid = fresh(LAVA_GAP, size, copy);
      const lava = find(grid, OBJECT.lava);
      expect(lava).toHaveLength(size - 3);
      const [column] = lava[0];
      const gap = everyPlace(grid).find(([x, y]) => x === column && grid.cell([x, y]) === EMPTY);
      gaps.add(String(gap));
      expect(reaches(grid, grid.goal, safe)).toBe(true);
    }
    expect(gaps.size).toBe((size - 4) * (size - 2));
  });

  it('FourRooms: four gaps, and every room can be reached', () => {
    const gaps = new Set<string>();
    for (const copy of copies) {
      const grid = fresh(FOUR_ROOMS, 19, copy);
      const cross = everyPlace(grid).filter(([x, y]) => x > 0 && y > 0 && x < 18 && y < 18 && (x === 9 || y === 9));
      const open = cross.filter((at) => grid.cell(at) !== WALL);
      expect(open).toHaveLength(4);
      for (const at of open) gaps.add(at.join());
      expect(grid.cell(grid.agent)).not.toBe(GOAL);
      expect(find(grid, OBJECT.goal)).toEqual([grid.goal]);
      expect(reaches(grid, grid.goal, safe)).toBe(true);
      for (const corner of [
        [1, 1],
        [17, 1],
        [1, 17],
        [17, 17],
      ] as Place[])
        expect(reaches(grid, corner, safe)).toBe(true);
    }
    expect(gaps.size).toBe(4 * 8);
  });
});

/** One row of cells before the agent, which stands at the left, looking right. */
function corridor(cells: readonly number[], carried = EMPTY, more: Partial<GridSettings> = {}) {
  const width = cells.length + 1;
  const level = customLevel({ width, height: 1, cells: [EMPTY, ...cells], agent: { at: [0, 0], direction: 0 } });
  const program = gridWorld({ ...COMMON, ...more, level, width, height: 1, maxSteps: 100 });
  const state = new Float32Array(program.stateSize);
  program.reset(state, 0, new Random(0, 0, 0, 0));
  const grid = new GridState(width, 1, state);
  grid.carried = carried;
  return { program, state, grid };
}

async function stepBoth(program: EnvironmentProgram, state: Float32Array, action: number, width: number) {
  const [cpu, gpu] = await Promise.all(
    (await executors()).map(
      async (executor) => (await takeSteps(program, [{ state, action: [action], number: 10 }], executor))[0],
    ),
  );
  expect(gpu).toEqual(cpu);
  const signals = Object.fromEntries(program.signals.map((name, i) => [name, gpu.signals[i]]));
  return { ...gpu, signals, grid: new GridState(width, 1, gpu.state) };
}

describe('objects', () => {
  const key = cellOf(OBJECT.key, COLOUR.red);
  const ball = cellOf(OBJECT.ball, COLOUR.blue);
  const door = (state: number) => cellOf(OBJECT.door, COLOUR.red, state);

  it.each([
    ['a wall', WALL, false],
    ['a floor', cellOf(OBJECT.floor, COLOUR.blue), true],
    ['an open door', door(DOOR.open), true],
    ['a closed door', door(DOOR.closed), false],
    ['a locked door', door(DOOR.locked), false],
    ['a key', key, false],
    ['a ball', ball, false],
    ['a box', cellOf(OBJECT.box, COLOUR.grey), false],
    ['lava', LAVA, true],
    ['the goal', GOAL, true],
  ])('%s may be entered or bumped into', async (_, cell, enters) => {
    const { program, state } = corridor([cell, EMPTY]);
    const after = await stepBoth(program, state, FORWARD, 3);
    expect(after.grid.agent).toEqual([enters ? 1 : 0, 0]);
    expect(after.signals.bump).toBe(Number(!enters));
    expect(after.signals.success).toBe(Number(cell === GOAL));
    expect(after.signals.lava).toBe(Number(cell === LAVA));
    expect(after.terminated).toBe(cell === GOAL || cell === LAVA);
    expect(after.signals.reward).toBeCloseTo(cell === GOAL ? 1 - (0.9 * 10) / 100 : 0, 6);
  });

  it('beyond the edge of the grid there is wall', async () => {
    const { program, state, grid } = corridor([EMPTY]);
    grid.direction = 2;
    const after = await stepBoth(program, state, FORWARD, 2);
    expect(after.grid.agent).toEqual([0, 0]);
    expect(after.signals.bump).toBe(1);
  });

  it.each([
    ['a locked door opens to a key of its colour', door(DOOR.locked), key, door(DOOR.open)],
    ['and to no other', door(DOOR.locked), cellOf(OBJECT.key, COLOUR.blue), door(DOOR.locked)],
    ['nor to a ball of its colour', door(DOOR.locked), cellOf(OBJECT.ball, COLOUR.red), door(DOOR.locked)],
    ['a closed door opens', door(DOOR.closed), EMPTY, door(DOOR.open)],
    ['an open door closes, even with its key in hand', door(DOOR.open), key, door(DOOR.closed)],
    ['an empty box vanishes', cellOf(OBJECT.box, COLOUR.grey), EMPTY, EMPTY],
    ['a box gives its content', cellOf(OBJECT.box, COLOUR.grey, 0, ball), EMPTY, ball],
    ['a wall stays', WALL, EMPTY, WALL],
    ['a key stays', key, EMPTY, key],
  ])('toggle: %s', async (_, before, carried, expected) => {
    expect(toggled(before, carried)).toBe(expected);
    const { program, state } = corridor([before], carried);
    const after = await stepBoth(program, state, TOGGLE, 2);
    expect(after.grid.cell([1, 0])).toBe(expected);
    expect(after.grid.carried).toBe(carried);
    const opens = objectOf(before) === OBJECT.door && stateOf(before) !== DOOR.open && stateOf(expected) === DOOR.open;
    expect(after.signals.opened).toBe(Number(opens));
  });

  it.each([
    ['a key', key, EMPTY, true],
    ['a box with its content', cellOf(OBJECT.box, COLOUR.grey, 0, ball), EMPTY, true],
    ['nothing more with full hands', key, ball, false],
    ['no door', door(DOOR.closed), EMPTY, false],
    ['no goal', GOAL, EMPTY, false],
  ])('pick up: %s', async (_, before, carried, picks) => {
    const { program, state } = corridor([before], carried);
    const after = await stepBoth(program, state, PICK_UP, 2);
    expect(after.grid.carried).toBe(picks ? before : carried);
    expect(after.grid.cell([1, 0])).toBe(picks ? EMPTY : before);
    expect(after.signals.pickup).toBe(Number(picks));
  });

  it.each([
    ['on an empty cell', EMPTY, key, true],
    ['not on a floor tile, which is an object', cellOf(OBJECT.floor, COLOUR.blue), key, false],
    ['not on the goal', GOAL, key, false],
    ['nothing from empty hands', EMPTY, EMPTY, false],
  ])('drop: %s', async (_, before, carried, drops) => {
    const { program, state } = corridor([before], carried);
    const after = await stepBoth(program, state, DROP, 2);
    expect(after.grid.cell([1, 0])).toBe(drops ? carried : before);
    expect(after.grid.carried).toBe(drops ? EMPTY : carried);
  });

  it('turns, and done does nothing', async () => {
    const { program, state } = corridor([EMPTY]);
    expect((await stepBoth(program, state, LEFT, 2)).grid.direction).toBe(3);
    expect((await stepBoth(program, state, RIGHT, 2)).grid.direction).toBe(1);
    expect((await stepBoth(program, state, DONE, 2)).state).toEqual(state);
  });

  it('tells the distance to the goal and what a step saved', async () => {
    const { program, state } = corridor([EMPTY, EMPTY, GOAL]);
    const { signals } = await stepBoth(program, state, FORWARD, 4);
    expect([signals.distance, signals.approach]).toEqual([2, 1]);
  });
});

describe('observation', () => {
  it('hides what is behind walls and shut doors, and shows the carried object at the agent', () => {
    const grid = new GridState(3, 3, new Float32Array(6 + 9));
    const shut = cellOf(OBJECT.door, COLOUR.red, DOOR.closed);
    for (const [x, y] of everyPlace(grid)) grid.setCell([x, y], EMPTY);
    for (const x of [0, 1, 2]) grid.setCell([x, 1], x === 1 ? shut : WALL);
    grid.agent = [1, 2];
    grid.direction = 3;
    grid.carried = cellOf(OBJECT.ball, COLOUR.blue);
    const at = (view: ReturnType<typeof partialView>, i: number, j: number) =>
      view.find(({ index }) => index === i * 7 + j)?.cell;
    const view = partialView(grid, false);
    expect(at(view, 3, 6)).toBe(grid.carried);
    expect(at(view, 3, 5)).toBe(shut);
    expect(at(view, 3, 4)).toBe(0);
    expect(at(partialView(grid, true), 3, 4)).toBe(EMPTY);
    grid.setCell([1, 1], toggled(shut, EMPTY));
    expect(at(partialView(grid, false), 3, 4)).toBe(EMPTY);
  });

  it('sees alike on both executors in any clutter, from anywhere', async () => {
    const size = 12;
    const kinds = [
      EMPTY,
      EMPTY,
      EMPTY,
      WALL,
      LAVA,
      cellOf(OBJECT.door, COLOUR.red, DOOR.closed),
      cellOf(OBJECT.door, COLOUR.red),
    ];
    for (let copy = 0; copy < 20; copy++) {
      const random = new Random(9, 0, copy, 0);
      const cells = Array.from({ length: size * size }, () => kinds[random.below(kinds.length)]);
      const level = customLevel({ width: size, height: size, cells });
      const program = gridWorld({ ...COMMON, level, width: size, height: size, maxSteps: 100, encoding: 'raw' });
      const steps = Array.from({ length: 40 }, () => {
        const state = new Float32Array(program.stateSize);
        program.reset(state, 0, random);
        Object.assign(new GridState(size, size, state), {
          agent: [random.below(size), random.below(size)],
          direction: random.below(4),
        });
        return { state, action: [DONE], number: 1 };
      });
      const [cpu, gpu] = await Promise.all((await executors()).map((executor) => takeSteps(program, steps, executor)));
      for (const [i, { observation }] of cpu.entries())
        expect(
          firstDifference(gpu[i].observation, observation, { rtol: 0, atol: 1e-6 }),
          `grid ${copy}, place ${i}`,
        ).toBeUndefined();
    }
  });

  it('gives each kind of object its own number, doors one shut and one open', () => {
    const cells = [
      WALL,
      cellOf(OBJECT.door, COLOUR.red, DOOR.locked),
      cellOf(OBJECT.key, COLOUR.red),
      cellOf(OBJECT.key, COLOUR.blue),
      GOAL,
    ];
    const { program, state, grid } = corridor(cells, EMPTY, { view: 'full', encoding: 'objects' });
    // wall, door shut, door open, red key, blue key, goal, agent
    const size = 7;
    const observe = () => {
      const out = new Float32Array(program.observationSize);
      program.observe(state, 0, out, 0);
      return (cell: number) => Array.from(out.slice(cell * size, (cell + 1) * size));
    };
    expect(program.observationSize).toBe((6 + 1) * size + 4);
    const first = observe();
    const oneHot = new Set([0, 1, 3, 4, 5].map((cell) => first(cell).indexOf(1)));
    expect(oneHot.size).toBe(5);
    for (const cell of [0, 1, 2, 3, 4, 5]) expect(first(cell).reduce((sum, value) => sum + value)).toBe(1);
    const shutAt = first(2).indexOf(1);
    grid.setCell([2, 0], cellOf(OBJECT.door, COLOUR.red, DOOR.closed));
    expect(observe()(2)[shutAt]).toBe(0.5);
    grid.setCell([2, 0], cellOf(OBJECT.door, COLOUR.red, DOOR.open));
    expect(observe()(2)[shutAt]).toBe(0);
    expect(observe()(2)[shutAt + 1]).toBe(1);
    expect(first(6)).toEqual(new Array(size).fill(0));
    grid.carried = cellOf(OBJECT.key, COLOUR.blue);
    expect(observe()(6)).toEqual(first(4));
  });
});

it('with the mask, exactly the actions that change nothing are forbidden', () => {
  const settings = { ...COMMON, level: DOOR_KEY, width: 6, height: 6, maxSteps: 360, mask: true };
  const program = gridWorld(settings);
  const [state, signal] = [new Float32Array(program.stateSize), new Float32Array(program.signals.length)];
  const seen = new Set<number>();
  for (let copy = 0; copy < 20; copy++) {
    program.reset(state, 0, new Random(3, 4, copy, 0));
    for (let t = 0; t < 60; t++) {
      const legal = program.legal(state, 0);
      const useful = [0, 1, 2, 3, 4, 5, 6].filter((action) => {
        const after = state.slice();
        program.step(after, 0, Float32Array.of(action), 0, 1, new Random(0, 0, 0, 0), signal);
        return after.some((word, i) => word !== state[i]);
      });
      expect(legal).toBe(useful.reduce((bits, action) => bits | (1 << action), 0));
      for (const action of useful) seen.add(action);
      const random = new Random(4, 4, copy, t);
      if (program.step(state, 0, Float32Array.of(useful[random.below(useful.length)]), 0, 1, random, signal)) break;
    }
  }
  expect([...seen].sort()).toEqual([LEFT, RIGHT, FORWARD, PICK_UP, DROP, TOGGLE]);
});
