/** Geometry and scales: what length, colour and number stand for. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ValueMap, View } from '../../engine/view';
import {
  cellNumber,
  cellPath,
  centreOf,
  countScale,
  countVisits,
  errorOf,
  headPath,
  layOut,
  niceCeiling,
  plainNumber,
  policyRays,
  rampInk,
  rampStep,
  scaleOf,
  shaftPath,
  summary,
  trailOf,
} from './board';

function mdp(cell: number): View {
  return { kind: 'mdp', width: 3, height: 2, labels: ['', '', '', '', '', ''], state: cell, cell };
}

describe('layout', () => {
  test('cells are square, inside the box, and in the middle of it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 120, max: 900 }),
        (columns, rows, side) => {
          const layout = layOut(columns, rows, side, side);
          const right = layout.left + columns * layout.cell;
          const bottom = layout.top + rows * layout.cell;
          expect(layout.left).toBeGreaterThanOrEqual(-1e-6);
          expect(right).toBeLessThanOrEqual(side + 1e-6);
          expect(bottom).toBeLessThanOrEqual(side + 1e-6);
        },
      ),
    );
  });

  test('small cells have no numbers, and an arrow never reaches the number above it', () => {
    expect(layOut(8, 8, 470, 470)).toMatchObject({ axes: true, numbers: true, letters: 8 });
    expect(layOut(19, 19, 400, 400)).toMatchObject({ axes: false, numbers: false });
    const layout = layOut(8, 8, 340, 340);
    const { y } = centreOf(layout, 0, 0, true);
    expect(y - layout.reach).toBeGreaterThanOrEqual(layout.top + 14);
  });

  test('larger text asks for larger cells before it is written', () => {
    expect(layOut(8, 8, 330, 330, 1).numbers).toBe(true);
    expect(layOut(8, 8, 330, 330, 1.25).numbers).toBe(false);
  });

  test('the path of a cell is closed and keeps its gap', () => {
    const d = cellPath({ cell: 40, left: 0, top: 0, reach: 14, axes: false, numbers: true, letters: 5 }, 1, 2);
    expect(d.startsWith('M44 81h')).toBe(true);
    expect(d.endsWith('z')).toBe(true);
  });
});

describe('scales', () => {
  test('limits move in steps of 1, 2, 5', () => {
    expect([0.07, 0.1, 0.86, 1, 1.2, 3, 13, 120].map(niceCeiling)).toEqual([0.1, 0.1, 1, 1, 2, 5, 20, 200]);
    expect(niceCeiling(0)).toBe(0);
  });

  test('hold 0 and every finite value', () => {
    expect(scaleOf([0.2, 0.86, Number.NaN])).toMatchObject({ low: 0, high: 1 });
    expect(scaleOf([-13, -1])).toMatchObject({ low: -20, high: 0 });
    expect(scaleOf([])).toMatchObject({ low: 0, high: 1 });
    fc.assert(
      fc.property(fc.array(fc.double({ min: -1e4, max: 1e4, noNaN: true }), { minLength: 1 }), (values) => {
        const { low, high } = scaleOf(values);
        expect(low).toBeLessThanOrEqual(Math.min(0, ...values) * (1 - 1e-5) + 1e-9);
        expect(high).toBeGreaterThanOrEqual(Math.max(0, ...values) * (1 - 1e-5) - 1e-9);
        expect(high).toBeGreaterThan(low);
      }),
    );
  });

  test('the ramp runs evenly from its first to its last step and no further', () => {
    const scale = scaleOf([1]);
    expect([0, 0.11, 0.12, 0.5, 0.99, 1, 1.4, -0.3].map((v) => rampStep(v, scale))).toEqual([0, 0, 1, 4, 8, 8, 8, 0]);
    expect([4, 5].map(rampInk)).toEqual(['lo', 'hi']);
  });

  test('counts span decades', () => {
    const scale = countScale([0, 3, 900]);
    expect(scale).toEqual({ low: 0, high: 1000, logarithmic: true });
    expect(rampStep(1000, scale)).toBe(8);
    expect(rampStep(31, scale)).toBe(4);
  });
});

describe('numbers', () => {
  test('in a cell, four characters at most', () => {
    expect([0, 0.4, 0.054, 1, 3.24, 13.4, -4.16, -100, -0.001].map((v) => cellNumber(v))).toEqual([
      '.00',
      '.40',
      '.05',
      '1.0',
      '3.2',
      '13',
      '−4.2',
      '−100',
      '.00',
    ]);
    expect([0.012, 0.2].map((v) => cellNumber(v, true))).toEqual(['.012', '.20']);
  });

  test('in a legend, no needless zeros and a real minus', () => {
    expect([0, 1, -20, 0.5, 0.1234].map((v) => plainNumber(v))).toEqual(['0', '1', '−20', '0.5', '0.123']);
  });
});

describe('arrows', () => {
  const map: ValueMap = {
    width: 2,
    height: 1,
    values: Float32Array.of(0, 1),
    probabilities: Float32Array.of(0.25, 0.5, 0.24, 0.01, 0, 0, 1, 0),
    actions: 4,
    directions: [[-1, 0], [0, 1], null, null],
    exact: Float32Array.of(0.5, 1),
  };

  test('length is the probability, and only a likely one has a head', () => {
    const { rays, still } = policyRays(map, 0, 40);
    expect(rays.map(({ length, likely }) => [length, likely])).toEqual([
      [10, false],
      [20, true],
    ]);
    expect(still).toBeCloseTo(0.24, 6);
  });

  test('an action that does not move is a dot', () => {
    expect(policyRays(map, 1, 40)).toEqual({ rays: [], still: 1 });
  });

  test('paths start at the centre and their head points the way', () => {
    expect(shaftPath(10, 10, 0, 1, 20)).toBe('M10 10l0 20');
    expect(headPath(10, 10, 1, 0, 20, 5)).toBe('M25 14L30 10L25 6');
  });

  test('error is the distance to the exact value', () => {
    expect([...errorOf(map)!]).toEqual([0.5, 0]);
    const { exact, ...without } = map;
    expect(exact).toBeDefined();
    expect(errorOf(without)).toBeNull();
    expect(summary([0.5, Number.NaN, 0.1])).toEqual({ mean: 0.3, largest: 0.5, count: 2 });
    expect(summary([Number.NaN])).toBeNull();
  });
});

describe('where the agent was', () => {
  test('the trail leaves out standing still and keeps the last cells', () => {
    expect(trailOf([mdp(0), mdp(0), mdp(1), mdp(4), mdp(1)])).toEqual([0, 1, 4, 1]);
    expect(trailOf([mdp(0), mdp(1), mdp(2)], 2)).toEqual([1, 2]);
    expect(trailOf([{ kind: 'cartpole', position: 0, angle: 0 }])).toEqual([]);
  });

  test('visits count every step', () => {
    expect([...countVisits([mdp(0), mdp(0), mdp(5)], 6)]).toEqual([2, 0, 0, 0, 0, 1]);
  });
});
