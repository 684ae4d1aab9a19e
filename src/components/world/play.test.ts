/** Keys and what they come to: every action can be reached, and none stands for two. */
import { describe, expect, test } from 'vitest';
import type { View } from '../../engine/view';
import { describe as describeView } from './describe';
import { actionFor, defaultKeys, idleAction, keyName } from './keys';
import { actionNow, announcement, outcomeText, restText } from './play';
import type { PlayState, WorldActions } from './props';
import { pushOf } from './scenes/scene';

function discrete(...names: string[]): WorldActions {
  return { names, continuous: false, low: [], high: [] };
}
const torque: WorldActions = { names: ['torque'], continuous: true, low: [-2], high: [2] };
const cartpole: View = { kind: 'cartpole', position: 0, angle: 0 };

function state(part: Partial<PlayState>): PlayState {
  return {
    type: 'play',
    view: cartpole,
    legal: [],
    step: 0,
    reward: 0,
    return: 0,
    success: false,
    ended: 'no',
    signals: {},
    observation: [],
    ...part,
  };
}

describe('keys', () => {
  const minigrid = discrete('left', 'right', 'forward', 'pickup', 'drop', 'toggle', 'done');

  test.each([
    [discrete('left', 'down', 'right', 'up'), ['ArrowLeft', 'ArrowDown', 'ArrowRight', 'ArrowUp']],
    [minigrid, ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'e', 'q', ' ', 'Enter']],
    [
      discrete('south', 'north', 'east', 'west', 'pick up', 'drop off'),
      ['ArrowDown', 'ArrowUp', 'ArrowRight', 'ArrowLeft', 'e', 'q'],
    ],
    [discrete('torque −1', 'torque 0', 'torque +1'), ['ArrowLeft', '2', 'ArrowRight']],
    [discrete('arm 1', 'arm 2'), ['1', '2']],
  ])('follow the names of the actions', (actions, keys) => {
    expect(defaultKeys(actions).map((entry) => entry.keys[0])).toEqual(keys);
  });

  test('no key stands for two actions, none for a key of the panel', () => {
    for (const actions of [minigrid, discrete('left', 'left', 'up', 'forward')]) {
      const all = defaultKeys(actions).flatMap((entry) => entry.keys);
      expect(new Set(all).size).toBe(all.length);
      for (const own of ['Escape', 'r', 'h', 'p']) expect(all).not.toContain(own);
    }
  });

  test('are found whatever the case of the letter', () => {
    const keys = defaultKeys(minigrid);
    expect([actionFor(keys, 'E'), actionFor(keys, 'ArrowUp'), actionFor(keys, 'x')]).toEqual([3, 2, null]);
    expect(['ArrowLeft', ' ', 'e', 'Enter'].map(keyName)).toEqual(['←', 'Space', 'E', 'Enter']);
  });

  test('the action that does nothing is found by its name', () => {
    expect(idleAction(discrete('push left', 'no push', 'push right'))).toBe(1);
    expect(idleAction(discrete('torque −1', 'torque 0', 'torque +1'))).toBe(1);
    expect(idleAction(discrete('left', 'right'))).toBeNull();
    expect(idleAction(discrete('north', 'south'))).toBeNull();
  });
});

describe('the action of a step', () => {
  test('is the key pressed last; without one it does nothing, or takes turns', () => {
    const car = discrete('push left', 'no push', 'push right');
    expect(actionNow(car, [0, 2], [], 0)).toEqual([2]);
    expect(actionNow(car, [], [], 0)).toEqual([1]);
    expect([0, 1, 2].map((step) => actionNow(discrete('left', 'right'), [], [], step)[0])).toEqual([0, 1, 0]);
  });

  test('is the bound while a key is down, else the slider', () => {
    expect(actionNow(torque, [], [0.4], 0)).toEqual([0.4]);
    expect(actionNow(torque, [0], [0.4], 0)).toEqual([-2]);
    expect(actionNow(torque, [0, 1], [0.4], 0)).toEqual([2]);
  });

  test('without a key is said in words', () => {
    expect(restText(cartpole, discrete('left', 'right'))).toContain('take turns');
    expect(restText({ kind: 'mdp', width: 1, height: 1, labels: [''], state: 0, cell: 0 }, torque)).toBeNull();
  });
});

describe('words', () => {
  test('of an end name success, apart from the return', () => {
    expect(outcomeText(state({ step: 23, ended: 'terminated', success: true }), '0.87')).toBe(
      'Episode over after 23 steps, return 0.87: success.',
    );
    expect(outcomeText(state({ step: 1, ended: 'truncated' }), '1')).toBe(
      'Time limit after 1 step, return 1: no success.',
    );
  });

  test('are announced every step in a world that waits, only at the end in one that does not', () => {
    const board: View = { kind: 'mdp', width: 2, height: 2, labels: ['start', '', '', 'goal'], state: 3, cell: 3 };
    expect(announcement(state({ view: board, step: 2 }), '0', '0')).toBe(
      'Step 2: reward 0, agent at column 1, row 1 (goal).',
    );
    expect(announcement(state({ step: 2 }), '1', '2')).toBe('');
    expect(announcement(state({ step: 2, ended: 'terminated' }), '1', '2')).toContain('Episode over');
  });

  test('of a view say what is drawn', () => {
    const wall = { object: 2, colour: 5, state: 0 };
    const door = { object: 4, colour: 4, state: 2 };
    const grid: View = {
      kind: 'grid',
      width: 2,
      height: 1,
      cells: [wall, door],
      agent: { x: 1, y: 0, direction: 3 },
      carrying: { object: 5, colour: 2, state: 0 },
    };
    expect(describeView(grid)).toBe(
      '2 by 1 cells; agent at column 1, row 0, facing up, carrying a blue key; yellow door, locked at column 1, row 0',
    );
    expect(describeView({ kind: 'cartpole', position: -0.5, angle: 0.1 })).toBe(
      'Cart 0.50 m left of the middle, pole leaning 5.7° to the right',
    );
  });
});

test('a push is the share of the strongest one', () => {
  expect([pushOf('cartpole', [0], false, 1), pushOf('cartpole', [1], false, 1)]).toEqual([-1, 1]);
  expect([0, 1, 2].map((a) => pushOf('mountain-car', [a], false, 1))).toEqual([-1, 0, 1]);
  expect(pushOf('pendulum', [1], true, 2)).toBe(0.5);
  expect(pushOf('mdp', [1], false, 1)).toBeNull();
});
