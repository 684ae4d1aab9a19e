/** Each alarm is raised by what it is about, and by nothing healthy; extreme settings never leave bad weights (F34). */
import { describe, expect, it } from 'vitest';
import { createCpuExecutor } from './device/cpu';
import { Health, type HealthCause } from './health';
import { PRESETS } from './presets';
import { resolve } from './resolve';
import { type Report, Run } from './run';
import { type Changes, smallScenario } from './testing';

const HEALTHY = {
  'charts/reward': 0.01,
  'charts/episodic_return': 0.2,
  'charts/success': 0.2,
  'losses/entropy': 1,
  'losses/approx_kl': 0.02,
  'losses/grad_norm': 3,
};

function report(update: number, metrics: Partial<typeof HEALTHY> = {}, rest: Partial<Report> = {}): Report {
  return {
    update,
    steps: update * 128,
    metrics: { ...HEALTHY, ...metrics },
    nonfinite: false,
    episodesEnded: 4,
    ...rest,
  };
}

/** Causes raised over a run of reports. */
function causes(reports: readonly Report[], changes: Changes = {}): HealthCause[] {
  const health = new Health(resolve(smallScenario('ppo', changes), 2 ** 30));
  return reports.flatMap((one) => health.check(one)?.cause ?? []);
}

const run = (updates: number, metrics: (update: number) => Partial<typeof HEALTHY>, rest: Partial<Report> = {}) =>
  Array.from({ length: updates }, (_, i) => report(i + 1, metrics(i + 1), rest));

describe('a healthy run', () => {
  it('meets no alarm', () => {
    expect(
      causes(
        run(200, (update) => ({
          'charts/episodic_return': update / 200,
          'charts/success': update / 200,
          'losses/approx_kl': 0.05,
        })),
      ),
    ).toEqual([]);
  });

  it('may decide once it has success', () => {
    expect(
      causes(run(100, () => ({ 'losses/entropy': 1e-4, 'charts/success': 1, 'charts/episodic_return': 1 }))),
    ).toEqual([]);
  });
});

describe('a cause', () => {
  it.each<[HealthCause, Report[], Changes, string]>([
    ['not-finite', [report(1, {}, { nonfinite: true })], {}, 'learning_rate'],
    ['not-finite', [report(1, {}, { nonfinite: true })], { reward: { scale: 1e6 } }, 'scale'],
    ['not-finite', [report(1, {}, { nonfinite: true })], { loss: { entropy_coefficient: -1 } }, 'entropy_coefficient'],
    ['not-finite', [report(1, {}, { nonfinite: true })], { optimizer: { max_grad_norm: 0 } }, 'max_grad_norm'],
    ['kl-exploded', [report(1, { 'losses/approx_kl': 3 })], {}, 'learning_rate'],
    ['kl-exploded', [report(1, { 'losses/approx_kl': Number.NaN })], {}, 'learning_rate'],
    ['gradient-exploded', [report(1, { 'losses/grad_norm': 1e5 })], {}, 'normalize'],
    ['entropy-collapsed', [report(1, { 'losses/entropy': 0.001, 'charts/success': 0 })], {}, 'entropy_coefficient'],
    ['nothing-learned', run(30, () => ({ 'charts/episodic_return': 0, 'charts/success': 0 })), {}, 'steps'],
    ['episode-never-ends', run(1250, () => ({}), { episodesEnded: 0 }), {}, 'environment'],
    [
      'success-apart',
      run(60, (update) => ({ 'charts/reward': update / 60, 'charts/success': 0, 'charts/episodic_return': update })),
      { reward: { weights: [1, 0.5] } },
      'weights',
    ],
  ])('%s is raised once, with the setting to blame', (cause, reports, changes, setting) => {
    expect(causes(reports, changes)).toEqual([cause]);
    const health = new Health(resolve(smallScenario('ppo', changes), 2 ** 30));
    const notice = reports.map((one) => health.check(one)).find(Boolean);
    expect(notice?.path.split('.').at(-1)).toBe(setting);
    expect(notice?.what).toMatch(/\d|not a number/);
    for (const sentence of [notice?.what, notice?.why, notice?.advice]) expect(sentence).toMatch(/[.]$/);
  });

  it('is said once until it is over, but what is not finite is said each time', () => {
    expect(causes(run(5, () => ({ 'losses/approx_kl': 5 })))).toEqual(['kl-exploded']);
    expect(causes(run(3, () => ({}), { nonfinite: true }))).toEqual(['not-finite', 'not-finite', 'not-finite']);
  });
});

describe('the worst corners of every preset', () => {
  const eight = { policy: { hidden: new Array(8).fill(8) } };
  const corners: Record<string, Changes> = {
    'learning rate 10': { optimizer: { learning_rate: 10, anneal: false } },
    'learning rate 100, no clipping': { optimizer: { learning_rate: 100, anneal: false, max_grad_norm: 0 } },
    'entropy −1': { loss: { entropy_coefficient: -1 }, optimizer: { learning_rate: 1 } },
    'reward scale 1e6': { reward: { scale: 1e6 }, optimizer: { learning_rate: 10, max_grad_norm: 0 } },
    '8 hidden layers': { ...eight, optimizer: { learning_rate: 10 } },
    'all at once': {
      ...eight,
      loss: { entropy_coefficient: -1 },
      reward: { scale: 1e6 },
      optimizer: { learning_rate: 100, max_grad_norm: 0, weight_decay: 1 },
    },
    'all at once, SGD, ReLU': {
      policy: { ...eight.policy, activation: 'relu' },
      loss: { entropy_coefficient: -1 },
      reward: { scale: 1e6 },
      optimizer: { id: 'sgd', learning_rate: 100, max_grad_norm: 0, weight_decay: 1, momentum: 0.9 },
    },
  };

  it.each(
    Object.values(PRESETS)
      .filter(({ world }) => world === 'control')
      .map(({ id }) => id),
  )('of %s leave finite weights, and are named when they break it (F34)', async (preset) => {
    for (const [name, corner] of Object.entries(corners)) {
      const changes: Changes = {
        ...corner,
        environment: { id: preset === 'ppo-continuous' ? 'pendulum' : 'cartpole' },
      };
      const trained = await Run.create(createCpuExecutor(), smallScenario(preset, changes), 0);
      const health = new Health(trained.resolved);
      for (let i = 0; i < 3; i++) {
        const one = await trained.train();
        const notice = health.check(one);
        if (one.nonfinite) expect(notice?.cause, name).toBe('not-finite');
        expect((await trained.weights()).every(Number.isFinite), `${name}, update ${i + 1}`).toBe(true);
      }
      trained.destroy();
    }
  });
});
