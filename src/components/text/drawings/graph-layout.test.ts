import { describe, expect, it } from 'vitest';
import { curveOf, DOT, HEIGHT, placeOf, WIDTH } from './graph-layout';

const numbers = (path: string) => path.match(/-?[\d.]+/g)?.map(Number) ?? [];

describe('a fact about an entity and itself', () => {
  it.each([0, 3, 7])('is a loop that can be read, at place %i', (index) => {
    const at = placeOf(index, 12);
    const { path, middle } = curveOf(at, at, 14);
    const [x0 = 0, y0 = 0, ...rest] = numbers(path);
    const [x1 = 0, y1 = 0] = rest.slice(-2);
    // Its two ends are apart, outside of the dot; its relation stands away from the entity and in the drawing.
    expect(Math.hypot(x1 - x0, y1 - y0)).toBeGreaterThan(DOT);
    expect(Math.hypot(x0 - at.x, y0 - at.y)).toBeCloseTo(DOT, 0);
    expect(Math.hypot(x1 - at.x, y1 - at.y)).toBeGreaterThan(DOT);
    expect(Math.hypot(middle.x - at.x, middle.y - at.y)).toBeGreaterThan(30);
    expect(middle.x > 0 && middle.x < WIDTH && middle.y > 0 && middle.y < HEIGHT).toBe(true);
  });
});
