/** What every scenario of the project keeps to. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { worldOf } from '../engine/registry';
import { resolve } from '../engine/resolve';
import { resolveText } from '../engine/text/resolve';
import { changeSettings } from '../formats/settings';
import { ENOUGH_SEEDS } from '../formats/verdict';
import { loadScenario, ownScenarioIds } from './scenarios';

/** WebGPU's default limit of one storage buffer. */
const BUFFER_BYTES = 2 ** 27;

describe.each(ownScenarioIds())('%s', (id) => {
  const loaded = loadScenario(id);
  if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
  const { scenario } = loaded;

  it('runs within the default limits, and so does each of its claims', () => {
    expect(scenario.id).toBe(id);
    const check = worldOf(scenario) === 'text' ? resolveText : resolve;
    for (const { with: changed = {} } of scenario.claims)
      expect(() => check(changeSettings(scenario, changed), BUFFER_BYTES)).not.toThrow();
  });

  it('has a lesson of 150 to 300 words that names its source', () => {
    const file = `scenarios/${id}/lesson.md`;
    expect(existsSync(file)).toBe(true);
    const lesson = readFileSync(file, 'utf8');
    const words = lesson.split(/\s+/).filter((word) => /\w/.test(word)).length;
    expect(words).toBeGreaterThanOrEqual(150);
    expect(words).toBeLessThanOrEqual(300);
    expect(lesson).toMatch(/\*Source: .*https:\/\//);
  });

  it('claims something of its own settings first, and what was measured was measured over enough seeds', () => {
    expect(scenario.claims[0]?.with).toBeUndefined();
    expect(scenario.claims.length).toBeGreaterThan(0);
    for (const { measured } of scenario.claims) {
      if (measured === undefined) continue;
      expect(new Set(measured.seeds).size).toBeGreaterThanOrEqual(ENOUGH_SEEDS);
      expect(measured.figures.length).toBe(measured.seeds.length);
    }
  });
});
