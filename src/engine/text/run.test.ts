/** A run in a world of tokens as a whole, on small policies: what it promises whatever its stages are. */
import { describe, expect, it } from 'vitest';
import { createCpuExecutor } from '../device/cpu';
import type { Executor } from '../device/executor';
import { executors } from '../device/testing';
import { ScenarioProblems } from '../problems';
import type { Phase } from '../scenario';
import { sha } from '../testing';
import { TEXT_ENVIRONMENTS } from './families';
import { TextRun } from './run';
import { type TextChanges, textScenario } from './testing';

const IMITATE: Phase = {
  id: 'imitate',
  from: 0,
  parameters: { demonstrations: 200, quality: 0.6, steps: 5, sequences: 16 },
  with: { 'optimizer.learning_rate': 0.01 },
};
const REINFORCE: Phase = { id: 'reinforce', from: 2, parameters: {}, with: {} };

async function runOf(changes: TextChanges = {}, executor: Executor = createCpuExecutor(), seed = 1): Promise<TextRun> {
  return TextRun.create(executor, textScenario(changes), seed);
}

async function weightsAfter(run: TextRun, updates: number): Promise<string> {
  for (let i = 0; i < updates; i++) await run.train();
  return sha(await run.weights());
}

/** Paths and messages of what is wrong with a scenario. */
async function problemsOf(changes: TextChanges): Promise<string[]> {
  try {
    (await runOf(changes)).destroy();
    return [];
  } catch (error) {
    if (!(error instanceof ScenarioProblems)) throw error;
    return error.problems.map(({ path, message }) => `${path} ${message}`);
  }
}

describe('a text run', () => {
  it('is the same for the same seed, and another for another', async () => {
    const phases = [IMITATE, REINFORCE];
    const [a, b, c] = await Promise.all([
      runOf({ phases }),
      runOf({ phases }),
      runOf({ phases }, createCpuExecutor(), 2),
    ]);
    const first = await weightsAfter(a, 4);
    expect(await weightsAfter(b, 4)).toBe(first);
    expect(await weightsAfter(c, 4)).not.toBe(first);
    a.reset(1);
    expect(await weightsAfter(a, 4)).toBe(first);
  });

  it('goes on from a snapshot as if nothing had happened', async () => {
    const phases = [IMITATE, REINFORCE];
    const [a, b] = await Promise.all([runOf({ phases }), runOf({ phases })]);
    await weightsAfter(a, 3);
    const snapshot = await a.snapshot('all');
    const expected = await weightsAfter(a, 2);
    b.restore(snapshot, 1);
    expect(await weightsAfter(b, 2)).toBe(expected);
  });

  it('samples with the log-probabilities that its training pass finds: ratio 1 before the first step', async () => {
    for (const executor of await executors())
      for (const grammar of [true, false]) {
        const policy = { id: 'gru', width: 16, embedding: 8 };
        const run = await runOf(
          { policy, rollout: { temperature: 0.7, grammar }, optimizer: { learning_rate: 0 } },
          executor,
        );
        const { metrics } = await run.train();
        expect(metrics['losses/ratio']).toBeCloseTo(1, 5);
        expect(metrics['losses/approx_kl']).toBeLessThan(1e-8);
        run.destroy();
      }
  });

  it('samples and trains under the same grammar in a phase that switches it off', async () => {
    const phases = [
      { id: 'reinforce', from: 0, parameters: {}, with: {} },
      { id: 'reinforce', from: 1, parameters: {}, with: { 'rollout.grammar': false } },
    ];
    const policy = { id: 'gru', width: 16, embedding: 8 };
    const run = await runOf({ phases, policy, optimizer: { learning_rate: 0 } });
    await run.evaluate(4, false, 1);
    await run.train();
    const { metrics } = await run.train();
    expect(metrics['losses/ratio']).toBeCloseTo(1, 5);
    // With every token legal a turn is hardly ever an answer.
    expect(metrics['signals/malformed']).toBeGreaterThan(0.3);
    const evaluated = await run.evaluate(64, false, 1);
    expect(evaluated?.success).toBeLessThan(0.1);
  });

  it('learns a hidden table by GRPO on both executors', async () => {
    for (const executor of await executors()) {
      const run = await runOf(
        { environment: { prompts: 8, answers: 6, correct: 0.2, common: 0.3 }, optimizer: { learning_rate: 0.05 } },
        executor,
      );
      for (let i = 0; i < 40; i++) await run.train();
      const { success } = (await run.evaluate(64, true, 1)) ?? { success: 0 };
      expect(success).toBeGreaterThan(0.8);
      run.destroy();
    }
  });

  it('reads back once a turn, and once more to report', async () => {
    const run = await runOf();
    await run.train();
    const before = run.executor.counters.readbacks;
    const { metrics } = await run.train();
    // One-turn episodes, all at once.
    expect(run.executor.counters.readbacks - before).toBe(metrics['charts/episodic_length'] + 1);
  });

  it('shows episodes that ended beside those being written', async () => {
    const run = await runOf({ environment: { id: 'mini-kg' }, policy: { id: 'gru', width: 16 } });
    await run.train();
    const shown: (readonly boolean[])[] = [];
    await run.train(undefined, () => shown.push(run.look(8).map(({ ended }) => ended)));
    const half = [false, false, false, false, true, true, true, true];
    expect(shown[0]).toEqual(half);
    expect(run.look(8)).toHaveLength(8);
    for (const { taught, tokens, roles } of run.look(8)) {
      expect(taught?.observations).toBe(false);
      expect(taught?.advantages).toHaveLength(tokens.length);
      // What the environment wrote has no advantage; and what the policy wrote has one, where its group has a signal.
      for (const [at, advantage] of (taught?.advantages ?? []).entries())
        if (roles[at] !== 2) expect(advantage).toBe(0);
    }
    expect(run.look(1)).toHaveLength(1);
  });

  it('shows those alone that an update has learned from, also while others are written', async () => {
    const run = await runOf({ environment: { id: 'mini-kg' }, policy: { id: 'gru', width: 16 } });
    expect(run.look(8, true)).toEqual([]);
    await run.train();
    const shown: number[] = [];
    await run.train(undefined, () => shown.push(run.look(8, true).filter(({ taught }) => taught).length));
    expect(shown[0]).toBe(8);
  });

  it('goes on from the tokens that a person gives, within the limit of the turn', async () => {
    const run = await runOf({ environment: { id: 'mini-kg' }, policy: { id: 'gru', width: 16 } });
    const { vocabulary, limits, stops } = run.environment;
    const token = (name: string) => vocabulary.indexOf(name);
    const wish = { task: 0, count: 20, temperature: 1, greedy: false };
    const given = [token('SEARCH')];
    const written = await run.tryOut({ ...wish, given });
    if (typeof written === 'string') throw new Error(written);
    expect(written).toHaveLength(20);
    for (const { tokens, roles, turnOf, given: shown } of written) {
      const own = (turn: number) => tokens.filter((_, at) => roles[at] === 2 && turnOf[at] === turn);
      expect(own(0).slice(0, 1)).toEqual(given);
      expect(shown).toBe(1);
      expect(own(0).length).toBeLessThanOrEqual(limits.turnTokens);
    }
    expect(await run.tryOut({ ...wish, given: [token('DOC')] })).toBe('By the grammar “DOC” cannot begin a turn.');
    expect(await run.tryOut({ ...wish, given: [token('SEARCH'), token('SEARCH')] })).toMatch(/“SEARCH” cannot follow/);
    expect(await run.tryOut({ ...wish, given: [stops[0]] })).toMatch(/ends the turn/);
    expect(await run.tryOut({ ...wish, given: new Array(99).fill(given[0]) })).toMatch(/^A turn has at most/);
    run.destroy();
  });

  it('shows what it imitates', async () => {
    const run = await runOf({
      environment: { id: 'mini-kg' },
      policy: { id: 'gru', width: 16 },
      phases: [{ ...IMITATE, parameters: { ...IMITATE.parameters, demonstrations: 5, quality: 1 } }],
    });
    expect(run.look(8)).toEqual([]);
    await run.train();
    expect(run.look(8).map(({ expert, success, ended }) => [expert, success, ended])).toEqual(
      Array.from({ length: 5 }, () => [true, true, true]),
    );
  });

  it('asynchronously keeps its slots busy and says how old its episodes are', async () => {
    const rollout = { id: 'asynchronous', groups: 4, group_size: 4, slots: 5, staleness: 2 };
    const run = await runOf({ rollout });
    const reports = [];
    for (let i = 0; i < 6; i++) reports.push(await run.train());
    const last = reports[5].metrics;
    expect(last['rollout/kept']).toBe(16);
    expect(last['rollout/staleness']).toBeLessThanOrEqual(2);
  });

  it('asynchronously replaces groups without signal until the rounds are used up', async () => {
    const rollout = { id: 'asynchronous', groups: 4, group_size: 2, slots: 4, staleness: 0 };
    const filter = { id: 'filters', dynamic_sampling: true, max_rounds: 3 };
    const run = await runOf({ rollout, filter, environment: { prompts: 16, answers: 8, correct: 0, common: 1 } });
    const { metrics } = await run.train();
    expect(metrics['rollout/samples']).toBeGreaterThan(8);
    expect(metrics['rollout/samples']).toBeLessThanOrEqual(24);
  });

  it('with a delivery delay, samples with the weights of so many updates ago', async () => {
    const rollout = { id: 'asynchronous', groups: 4, group_size: 4, slots: 16, staleness: 0, delay: 2 };
    const run = await runOf({ rollout, optimizer: { learning_rate: 0.2 } });
    for (let i = 0; i < 3; i++) await run.train();
    const { metrics } = await run.train();
    expect(metrics['rollout/staleness']).toBe(2);
    expect(Math.abs(metrics['losses/ratio'] - 1)).toBeGreaterThan(1e-3);
  });

  it('observation tokens teach only when told to', async () => {
    const environment = { id: 'mini-kg' };
    const policy = { id: 'gru', width: 16, embedding: 8 };
    const rollout = { groups: 2, group_size: 4 };
    // A loss that learns from failures too.
    const loss = { id: 'cross-entropy' };
    const [masked, all] = await Promise.all([
      runOf({ environment, policy, rollout, loss }),
      runOf({ environment, policy, rollout, loss: { ...loss, observations_teach: true } }),
    ]);
    expect(await weightsAfter(masked, 1)).not.toBe(await weightsAfter(all, 1));
  });

  it('prefers what was preferred', async () => {
    const environment = { id: 'verifier-preference', prompts: 4, answers: 5 };
    const prefer = { source: 'reward', pairs: 200, steps: 10, batch: 16, beta: 0.5 };
    const run = await runOf({
      environment,
      phases: [{ id: 'prefer', from: 0, parameters: prefer, with: {} }],
      optimizer: { learning_rate: 0.05 },
    });
    const before = (await run.evaluate(64, false, 1))?.returnMean ?? 0;
    let accuracy = 0;
    for (let i = 0; i < 10; i++) accuracy = (await run.train()).metrics['losses/preference_accuracy'];
    expect(accuracy).toBeGreaterThan(0.8);
    expect((await run.evaluate(64, false, 1))?.returnMean).toBeGreaterThan(before + 0.3);
  });

  it('a batch of new episodes without a pair changes nothing; a fixed set without one is an error', async () => {
    const environment = { prompts: 4, answers: 4 };
    const prefer = (pairs: number): TextChanges => ({
      environment,
      reward: { scale: 0 },
      phases: [{ id: 'prefer', from: 0, parameters: { pairs, steps: 1 }, with: {} }],
    });
    const run = await runOf(prefer(0));
    const before = sha(await run.weights());
    expect((await run.train()).metrics['rollout/pairs']).toBe(0);
    expect(sha(await run.weights())).toBe(before);
    await expect((await runOf(prefer(10))).train()).rejects.toThrow('so there is no pair');
  });

  it('merges the weights of two phases, and starts again from the end of one', async () => {
    const phase = (id: string, from: number, parameters = {}) => ({ id, from, parameters, with: {} });
    const run = await runOf({
      phases: [
        { ...IMITATE },
        phase('reinforce', 1),
        phase('reinforce', 2, { start: 1 }),
        phase('merge', 3, { first: 2, second: 3, alpha: 0.25 }),
      ],
      optimizer: { learning_rate: 0.1 },
    });
    const weights: Float32Array[] = [];
    for (let i = 0; i < 4; i++) {
      await run.train();
      weights.push((await run.weights()).slice());
    }
    const [, first, second, mixed] = weights;
    for (let i = 0; i < mixed.length; i += 97) expect(mixed[i]).toBeCloseTo(0.75 * first[i] + 0.25 * second[i], 5);
  });

  it('a majority is as good as a label where most are right', async () => {
    const run = await runOf({
      reward: { id: 'majority' },
      environment: { prompts: 4, answers: 4 },
      rollout: { groups: 8, group_size: 8 },
      phases: [
        {
          id: 'imitate',
          from: 0,
          parameters: { quality: 0.7, steps: 20, sequences: 16 },
          with: { 'optimizer.learning_rate': 0.1 },
        },
        { id: 'reinforce', from: 2, parameters: {}, with: {} },
      ],
      optimizer: { learning_rate: 0.05 },
    });
    for (let i = 0; i < 22; i++) await run.train();
    expect((await run.evaluate(64, false, 1))?.success).toBeGreaterThan(0.9);
  });
});

it.each(Object.keys(TEXT_ENVIRONMENTS))('%s trains on the CPU: imitation, then reward', async (id) => {
  const run = await runOf({
    environment: { id },
    policy: { id: 'gru', width: 16, embedding: 8 },
    rollout: { groups: 2, group_size: 4 },
    phases: [
      { ...IMITATE, parameters: { demonstrations: 50, steps: 10, sequences: 8 } },
      { ...REINFORCE, from: 3 },
    ],
  });
  const losses: number[] = [];
  for (let i = 0; i < 3; i++) losses.push((await run.train()).metrics['losses/imitation_loss']);
  expect(losses[2]).toBeLessThan(losses[0]);
  const { metrics, nonfinite } = await run.train();
  expect(nonfinite).toBe(false);
  expect(metrics['rollout/samples']).toBe(8);
  run.destroy();
});

it('a critic of one phase is built for the run, and learns', async () => {
  const critic = { 'advantage.baseline': 'critic', 'loss.value_coefficient': 0.5 };
  const run = await runOf({
    advantage: { id: 'return-to-go' },
    phases: [
      { ...REINFORCE, from: 0 },
      { ...REINFORCE, from: 1, with: critic },
    ],
  });
  await run.train();
  expect((await run.train()).metrics['losses/value_loss']).toBeGreaterThan(0);
  run.destroy();
});

describe('what does not fit is said before training starts, at the setting that causes it', () => {
  it.each([
    [
      'groups of one',
      { rollout: { group_size: 1 } },
      /^slots\.rollout\.parameters\.group_size is 1, but Group-relative/,
    ],
    [
      'pairs from groups of one',
      {
        rollout: { group_size: 1 },
        advantage: { id: 'return-to-go' },
        phases: [{ id: 'prefer', from: 0, parameters: {}, with: {} }],
      },
      /^slots\.rollout\.parameters\.group_size is 1, so no task has two episodes/,
    ],
    [
      'a critic that does not learn',
      { advantage: { id: 'token-gae' } },
      /^slots\.loss\.parameters\.value_coefficient is 0, but .* needs a critic/,
    ],
    [
      'a value loss without critic',
      { loss: { value_coefficient: 0.5 } },
      /^slots\.loss\.parameters\.value_coefficient trains a critic, but/,
    ],
    [
      'a context that is too short',
      { environment: { id: 'mini-kg' }, policy: { id: 'transformer', context: 8 } },
      /^slots\.policy\.parameters\.context is 8, but the longest episode has \d+ tokens/,
    ],
    [
      'a control stage',
      { loss: { id: 'ppo-clip' } },
      /^slots\.loss\.id "ppo-clip" does not work in a world of tokens; these do: /,
    ],
    [
      'more minibatches than episodes',
      { loss: { minibatches: 1000 } },
      /^slots\.loss\.parameters\.minibatches is more than/,
    ],
    [
      'a phase that starts from one that has not ended',
      { phases: [{ id: 'reinforce', from: 0, parameters: { start: 1 }, with: {} }] },
      /^phases\.0\.parameters\.start names phase 1, but only 0 phases have ended/,
    ],
    [
      'a phase that changes the vocabulary',
      { phases: [IMITATE, { ...REINFORCE, with: { 'environment.answers': 9 } }] },
      /^phases\.1\.with changes the vocabulary/,
    ],
    [
      'a critic that a phase asks for, and does not teach',
      {
        advantage: { id: 'return-to-go' },
        phases: [{ ...REINFORCE, from: 0, with: { 'advantage.baseline': 'critic' } }],
      },
      /^slots\.loss\.parameters\.value_coefficient is 0, but .* needs a critic/,
    ],
    [
      'a phase that compares episodes, one a task',
      { phases: [IMITATE, { ...REINFORCE, with: { 'rollout.group_size': 1 } }] },
      /^phases\.1\.with\.rollout\.group_size is 1, but Group-relative/,
    ],
    [
      'a value loss in a phase without critic',
      { phases: [IMITATE, { ...REINFORCE, with: { 'loss.value_coefficient': 0.5 } }] },
      /^phases\.1\.with\.loss\.value_coefficient trains a critic, but/,
    ],
    [
      'more weights than signals',
      { reward: { weights: new Array(20).fill(1) } },
      /^slots\.reward\.parameters\.weights has 20 weights, but \d+ signals may be rewarded: correct/,
    ],
    ['a vocabulary over its limit', { environment: { prompts: 400, answers: 200 } }, /512/],
  ] satisfies [string, TextChanges, RegExp][])('%s', async (_, changes, message) => {
    expect((await problemsOf(changes))[0]).toMatch(message);
  });
});
