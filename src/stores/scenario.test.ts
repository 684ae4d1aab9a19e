import { beforeEach, describe, expect, it } from 'vitest';
import type { Scenario } from '../engine/scenario';
import type { Registry } from '../formats/scenario';
import { differences, redo, undo, useScenario, withSetting } from './scenario';

const number = (value: number, live = false) => ({
  kind: 'number' as const,
  label: '',
  help: '',
  default: value,
  min: 0,
  max: 1e6,
  live,
});
const choice = (id: string, parameters: Registry['loss'][string]['parameters'] = {}) => ({
  id,
  title: id,
  summary: '',
  formula: '',
  source: '',
  parameters,
});
const registry: Registry = {
  environment: { world: choice('world', { maxSteps: number(100) }) },
  policy: { mlp: choice('mlp') },
  rollout: { 'on-policy': choice('on-policy', { copies: number(8) }) },
  reward: { signals: choice('signals') },
  filter: { none: choice('none') },
  advantage: {
    gae: choice('gae', { gamma: number(0.99, true), lambda: number(0.95, true) }),
    returns: choice('returns', { gamma: number(1, true) }),
  },
  loss: { ppo: choice('ppo', { clip: number(0.2, true) }) },
  optimizer: { adam: choice('adam', { learningRate: number(1e-3, true) }) },
  phase: { imitate: choice('imitate', { quality: number(0.5) }), reinforce: choice('reinforce') },
};
const scenario = (title: string): Scenario => ({
  id: title,
  title,
  summary: '',
  capabilities: [],
  fields: [],
  preset: 'ppo',
  slots: {
    environment: { id: 'world', parameters: { maxSteps: 100 } },
    policy: { id: 'mlp', parameters: {} },
    rollout: { id: 'on-policy', parameters: { copies: 8 } },
    reward: { id: 'signals', parameters: {} },
    filter: { id: 'none', parameters: {} },
    advantage: { id: 'gae', parameters: { gamma: 0.9, lambda: 0.8 } },
    loss: { id: 'ppo', parameters: { clip: 0.2 } },
    optimizer: { id: 'adam', parameters: { learningRate: 1e-3 } },
  },
  training: { updates: 10, evaluateEvery: 1, evaluationEpisodes: 10, greedyEvaluation: false },
  phases: [],
  claims: [],
  lesson: '',
});
const state = () => useScenario.getState();

beforeEach(() => state().open(scenario('A')));

describe('history (F31)', () => {
  it('starts at the loaded state: B over A, one edit, five undos leave exactly B', () => {
    state().setParameter('loss', 'clip', 0.5);
    const b = scenario('B');
    state().open(b);
    state().setParameter('loss', 'clip', 0.1);
    for (let count = 0; count < 5; count++) undo();
    expect(state().scenario).toEqual(b);
    redo();
    expect(state().scenario?.slots.loss.parameters).toEqual({ clip: 0.1 });
    redo();
    expect(state().scenario?.title).toBe('B');
  });
  it('an edit that changes nothing is no step', () => {
    state().setParameter('loss', 'clip', 0.2);
    state().choose('loss', 'ppo', registry);
    expect(useScenario.temporal.getState().pastStates).toHaveLength(0);
  });
  it('covers parameters, choices, presets and the plan', () => {
    state().setParameter('loss', 'clip', 0.5);
    state().choose('advantage', 'returns', registry);
    state().applyPreset('other', { loss: { id: 'ppo', parameters: { clip: 0.3 } } }, registry);
    state().setPlan('updates', 99);
    for (let count = 0; count < 4; count++) undo();
    expect(state().scenario).toEqual(scenario('A'));
  });
});

describe('phases', () => {
  const schedule = () => state().scenario?.phases.map(({ id, from }) => [id, from]);
  it('are added with their defaults, moved, changed and removed, each as one step of undo', () => {
    state().addPhase('imitate', registry);
    state().addPhase('reinforce', registry);
    expect(state().scenario?.phases[0]).toEqual({ id: 'imitate', from: 0, parameters: { quality: 0.5 }, with: {} });
    expect(schedule()).toEqual([
      ['imitate', 0],
      ['reinforce', 5],
    ]);
    state().movePhase(0, 1);
    state().changePhase(1, { from: 7, with: { 'loss.clip': 0.1 } });
    expect(schedule()).toEqual([
      ['reinforce', 0],
      ['imitate', 7],
    ]);
    state().removePhase(0);
    expect(schedule()).toEqual([['imitate', 0]]);
    for (let count = 0; count < 5; count++) undo();
    expect(state().scenario).toEqual(scenario('A'));
  });
  it('wait for a reset', () => {
    state().addPhase('reinforce', registry);
    const edited = state().scenario ?? scenario('A');
    expect(differences(scenario('A'), edited, registry)).toEqual([
      { path: 'phases', value: edited.phases, live: false },
    ]);
  });
});

describe('another choice', () => {
  it('keeps what both know and drops what the new one does not', () => {
    state().choose('advantage', 'returns', registry);
    expect(state().scenario?.slots.advantage).toEqual({ id: 'returns', parameters: { gamma: 0.9 } });
  });
  it('a preset sets its slots with defaults and leaves the others', () => {
    state().setParameter('environment', 'maxSteps', 7);
    state().applyPreset('p', { advantage: { id: 'gae', parameters: { lambda: 1 } } }, registry);
    expect(state().scenario?.slots.advantage.parameters).toEqual({ gamma: 0.99, lambda: 1 });
    expect(state().scenario?.slots.environment.parameters).toEqual({ maxSteps: 7 });
    expect(state().scenario?.preset).toBe('p');
  });
});

describe('differences from what runs', () => {
  it('name each setting and say whether it may change in the run', () => {
    const running = scenario('A');
    state().setParameter('loss', 'clip', 0.5);
    state().setParameter('rollout', 'copies', 16);
    state().setPlan('updates', 20);
    const edited = state().scenario ?? running;
    expect(differences(running, edited, registry)).toEqual([
      { path: 'rollout.parameters.copies', value: 16, live: false },
      { path: 'loss.parameters.clip', value: 0.5, live: true },
      { path: 'training.updates', value: 20, live: false },
    ]);
    expect(withSetting(running, { path: 'loss.parameters.clip', value: 0.5 }).slots.loss).toEqual(edited.slots.loss);
  });
  it('a new choice is one difference, for a reset', () => {
    state().choose('advantage', 'returns', registry);
    expect(differences(scenario('A'), state().scenario ?? scenario('A'), registry)).toEqual([
      { path: 'advantage.id', value: 'returns', live: false },
    ]);
  });
  it('equal scenarios have none', () => {
    expect(differences(scenario('A'), scenario('A'), registry)).toEqual([]);
  });
});
