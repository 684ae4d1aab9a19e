import { describe, expect, it, test } from 'vitest';
import { PRESETS, REGISTRY } from '../engine/registry';
import { loadScenario } from '../headless/scenarios';
import { parseScenario, TRAINING } from './scenario';
import { changeSettings, settingProblem } from './settings';

const loaded = loadScenario('frozen-lake-4x4');
if ('problems' in loaded) throw new Error(loaded.problems[0].message);
const { scenario } = loaded;

describe('changing settings by their paths', () => {
  it('takes short and long paths, and leaves everything else and the original as they were', () => {
    const changed = changeSettings(scenario, { 'loss.clip': 0.1, 'slots.advantage.parameters.gamma': 0.5 });
    expect(changed.slots.loss.parameters).toEqual({ ...scenario.slots.loss.parameters, clip: 0.1 });
    expect(changed.slots.advantage.parameters.gamma).toBe(0.5);
    expect(changed.slots.optimizer).toBe(scenario.slots.optimizer);
    expect(scenario.slots.advantage.parameters.gamma).not.toBe(0.5);
  });

  it('another choice begins at its defaults', () => {
    const changed = changeSettings(scenario, { 'optimizer.id': 'sgd', 'training.updates': 3 });
    expect(changed.slots.optimizer).toEqual({ id: 'sgd', parameters: {} });
    expect(changed.training.updates).toBe(3);
  });
});

test.each([
  ['loss.clip', 0.1, undefined],
  ['optimizer.id', 'sgd', undefined],
  ['training.updates', 10, undefined],
  ['clip', 0.1, 'must be a path of two parts, such as loss.clip'],
  ['dream.clip', 0.1, 'begins with “dream”'],
  ['loss.clipp', 0.1, '“clipp” is not a setting of loss'],
  ['loss.__proto__', 0.1, '“__proto__” is not a setting of loss'],
  ['loss.clip', -1, 'must be 0 to 10, not -1'],
  ['optimizer.id', 'constructor', '“constructor” is not known here'],
  ['training.updates', 0, 'must be 1 to 1000000, not 0'],
])('%s = %s', (path, value, message) => {
  const problem = settingProblem(scenario, path, value, REGISTRY, TRAINING);
  if (message === undefined) expect(problem).toBeUndefined();
  else expect(problem).toContain(message);
});

it('a scenario file whose claim changes a setting that does not exist is refused, with the place', () => {
  const file = { kind: 'agentic-rl-scenario', version: 1, ...scenario };
  const claims = [{ ...scenario.claims[0], with: { 'advantage.gama': 0.8 } }];
  expect(parseScenario({ ...file, claims }, REGISTRY, Object.keys(PRESETS))).toMatchObject({
    problems: [{ path: 'claims.0.with.advantage.gama' }],
  });
});
