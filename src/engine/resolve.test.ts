/** Extreme settings are refused with their place, before anything starts. */
import { describe, expect, it } from 'vitest';
import { PRESETS } from './presets';
import { ScenarioProblems } from './problems';
import { resolve } from './resolve';
import type { Scenario } from './scenario';
import { type Changes, smallScenario } from './testing';

const BUFFER = 2 ** 27;

function problemsOf(scenario: Scenario, maxBufferBytes = BUFFER) {
  try {
    resolve(scenario, maxBufferBytes);
  } catch (error) {
    if (error instanceof ScenarioProblems) return error.problems;
    throw error;
  }
  return [];
}

describe('a scenario that can run', () => {
  it.each(
    Object.values(PRESETS)
      .filter(({ world }) => world === 'control')
      .map(({ id }) => id),
  )('has no problems: %s', (preset) => {
    expect(
      problemsOf(smallScenario(preset, preset === 'ppo-continuous' ? { environment: { id: 'pendulum' } } : {})),
    ).toEqual([]);
  });

  it('tells its sizes', () => {
    const resolved = resolve(smallScenario('ppo', { loss: { minibatches: 5 } }), BUFFER);
    expect([resolved.batch, resolved.minibatch, resolved.parameterCount]).toEqual([128, 26, 2 * 17 * 16 + 17 * 5]);
  });
});

describe('a setting beyond reason', () => {
  it.each<[Changes, string, RegExp]>([
    [{ optimizer: { learning_rate: 1000 } }, 'slots.optimizer.parameters.learning_rate', /0 to 100, not 1000/],
    [{ optimizer: { learning_rate: Number.NaN } }, 'slots.optimizer.parameters.learning_rate', /must be a number/],
    [{ loss: { entropy_coefficient: -5 } }, 'slots.loss.parameters.entropy_coefficient', /-1 to 10, not -5/],
    [{ rollout: { copies: 1e9 } }, 'slots.rollout.parameters.copies', /1 to 65536/],
    [{ rollout: { copies: -1 } }, 'slots.rollout.parameters.copies', /1 to 65536/],
    [{ rollout: { copies: 65_536, steps: 4096 } }, 'slots.rollout.parameters.copies', /GiB.*fewer copies or steps/],
    [{ policy: { hidden: new Array(8).fill(1024) } }, 'slots.policy.parameters.hidden', /narrower or fewer layers/],
    [{ policy: { hidden: new Array(9).fill(4) } }, 'slots.policy.parameters.hidden', /0 to 8 entries/],
    [{ policy: { hidden: new Array(8).fill(4096) } }, 'slots.policy.parameters.hidden', /entry 1 must be 1 to 1024/],
    [{ policy: { hidden: [0] } }, 'slots.policy.parameters.hidden', /entry 1 must be 1 to 1024/],
    [{ loss: { minibatches: 129 } }, 'slots.loss.parameters.minibatches', /only 128 steps/],
    [
      { reward: { weights: new Array(9).fill(1) } },
      'slots.reward.parameters.weights',
      /signals may be rewarded: reward/,
    ],
    [
      { advantage: { id: 'monte-carlo', baseline: false } },
      'slots.loss.parameters.value_coefficient',
      /needs a critic/,
    ],
    [{ advantage: { id: 'crystal-ball' } }, 'slots.advantage.id', /"crystal-ball" is not known; known: gae/],
    [{ loss: { id: 'constructor' } }, 'slots.loss.id', /is not known/],
    [{ loss: { clipp: 0.2 } }, 'slots.loss.parameters.clipp', /is not a setting here/],
    [{ environment: { id: 'mdp', rows: 'x' } }, 'slots.environment.parameters.rows', /./],
  ])('%j is refused at %s', (changes, path, message) => {
    const problems = problemsOf(smallScenario('ppo', changes));
    expect(problems.map((problem) => problem.path)).toContain(path);
    expect(problems.find((problem) => problem.path === path)?.message).toMatch(message);
  });

  it('is said together with all the others', () => {
    const problems = problemsOf(smallScenario('ppo', { rollout: { copies: 0, steps: 0 }, loss: { clip: -1 } }));
    expect(problems.map(({ path }) => path.split('.').at(-1)).sort()).toEqual(['clip', 'copies', 'steps']);
  });

  it('counts what the evaluation will need, not the training alone', () => {
    const outcomes = Array.from({ length: 2048 }, () => [[[1, 0, 0, true]]]);
    const table = { transitions: outcomes, initial_state_distribution: outcomes.map((_, i) => Number(i === 0)) };
    const changes: Changes = { environment: { id: 'mdp', table } };
    expect(problemsOf(smallScenario('ppo', changes, { evaluationEpisodes: 50 }), 2 ** 30)).toEqual([]);
    expect(problemsOf(smallScenario('ppo', changes, { evaluationEpisodes: 10_000 }), 2 ** 30)).toEqual([
      {
        path: 'training.evaluationEpisodes',
        message: 'needs 9.8 GiB for the evaluation; this device allows 1.0 GiB. Use fewer evaluation episodes',
      },
    ]);
  });

  it('depends on what the device allows (F16)', () => {
    const scenario = smallScenario('ppo', { rollout: { copies: 1024, steps: 512 } });
    expect(problemsOf(scenario, 2 ** 30)).toEqual([]);
    expect(problemsOf(scenario, 2 ** 20)[0].message).toMatch(/this device allows 1 MiB/);
  });
});

it('refuses a stage that is for worlds of tokens, at its place and with those that fit', () => {
  for (const [slot, id] of [
    ['loss', 'token-ppo'],
    ['advantage', 'group-relative'],
    ['policy', 'gru'],
    ['rollout', 'turns'],
    ['filter', 'filters'],
  ] as const) {
    const scenario = smallScenario('ppo', { [slot]: { id } });
    const parameters = { ...scenario.slots, [slot]: { id, parameters: {} } };
    expect(() => resolve({ ...scenario, slots: parameters }, 2 ** 30)).toThrow(
      `slots.${slot}.id "${id}" does not work in a control world; these do: `,
    );
  }
});
