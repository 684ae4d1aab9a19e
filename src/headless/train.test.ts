import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DeviceError } from '../engine/device/executor';
import * as devices from './device';
import { main } from './train';

let out: string[];
let complaints: string[];

beforeEach(() => {
  out = [];
  complaints = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0);
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => complaints.push(String(text)) > 0);
});
afterEach(() => vi.restoreAllMocks());

const SMALL = [
  'frozen-lake-4x4',
  '--executor',
  'cpu',
  '--set',
  'rollout.copies=4',
  '--set',
  'rollout.steps=16',
  '--set',
  'policy.hidden=[8]',
  '--set',
  'training.evaluationEpisodes=10',
];

async function train(...more: string[]) {
  const code = await main([...SMALL, ...more]);
  const lines = out
    .join('')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, number | string | boolean>);
  return { code, lines, last: lines[lines.length - 1] };
}

describe('training', () => {
  it('prints an object a line: each update, then the whole', async () => {
    const { code, lines, last } = await train('--updates', '3', '--seed', '0');
    expect(code).toBe(0);
    expect(lines.slice(0, -1).map(({ update, steps }) => [update, steps])).toEqual([
      [1, 64],
      [2, 128],
      [3, 192],
    ]);
    for (const name of ['charts/reward', 'charts/SPS', 'losses/entropy', 'losses/approx_kl'])
      expect(lines[0]).toHaveProperty([name]);
    expect(last).toMatchObject({
      final: true,
      scenario: 'frozen-lake-4x4',
      seed: 0,
      updates: 3,
      steps: 192,
      episodes: 10,
      tile: 'cpu simd',
    });
    expect(last['eval/success']).toBeGreaterThanOrEqual(0);
    expect(last).toHaveProperty(['eval/return_deviation']);
    expect(last.weights_sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(complaints).toEqual([]);
  });

  it('gives the same weights again, 0 being a seed, and others for another', async () => {
    const sha = async (...more: string[]) => {
      out = [];
      return (await train('--updates', '2', ...more)).last.weights_sha256;
    };
    const first = await sha('--seed', '0');
    expect(await sha('--seed', '0')).toBe(first);
    expect(await sha('--seed', '1')).not.toBe(first);
  });

  it('gives the same weights again on WebGPU, though tiles are measured', async () => {
    const sha = async () => {
      out = [];
      return (await train('--updates', '2', '--executor', 'webgpu')).last.weights_sha256;
    };
    expect(await sha()).toBe(await sha());
  });

  it('goes on learning past the plan of the scenario, and begins a shorter run alike', async () => {
    const rates = async (...more: string[]) => {
      out = [];
      const { lines } = await train('--set', 'optimizer.anneal=true', '--set', 'training.updates=2', ...more);
      return lines.slice(0, -1).map((line) => line['charts/learning_rate'] as number);
    };
    const long = await rates('--updates', '4');
    expect(long[3]).toBeCloseTo(long[0] / 4, 6);
    const plan = await rates();
    expect(await rates('--updates', '1')).toEqual(plan.slice(0, 1));
  });

  it('ends with 0 as soon as the condition is met, and with 1 when it never is', async () => {
    const met = await train('--updates', '5', '--until', 'losses/entropy>=0.1');
    expect([met.code, met.lines.length, met.last.reached]).toEqual([0, 2, true]);
    out = [];
    const never = await train('--updates', '2', '--until', 'eval/success>=2');
    expect([never.code, never.last.updates, never.last.reached]).toEqual([1, 2, false]);
    out = [];
    expect((await train('--updates', '1', '--until', 'eval/success <= 1')).code).toBe(0);
  });

  it('stops with 1 and the reason where a gradient is not finite', async () => {
    const { code, last } = await train(
      '--updates',
      '50',
      '--set',
      'optimizer.id=sgd',
      '--set',
      'optimizer.learning_rate=100',
      '--set',
      'optimizer.max_grad_norm=0',
      '--set',
      'reward.scale=1000000',
    );
    expect(code).toBe(1);
    expect(last.stopped).toMatch(/not finite at update \d+/);
  });
});

it('a pipe that its reader closed ends the run without a stack', () => {
  const exit = vi.spyOn(process, 'exit').mockImplementation((() => {}) as never);
  process.stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  expect(exit).toHaveBeenCalledWith(1);
});

it('a device that cannot do it ends with 1 and its reason, not with a stack', async () => {
  vi.spyOn(devices, 'openExecutor').mockRejectedValue(new DeviceError('adapter', 'no WebGPU adapter was found'));
  expect(await main(['cartpole'])).toBe(1);
  expect(complaints).toEqual(['adapter: no WebGPU adapter was found\n']);
});

describe('wrong use ends with 2, and says what and where', () => {
  it.each<[string[], RegExp]>([
    [[], /Usage/],
    [['cartpole', 'bandit'], /Usage/],
    [['cartpole', '--colour', 'red'], /colour[\s\S]*Usage/],
    [['nowhere.json'], /nowhere\.json: is neither a scenario \(.*cartpole.*\) nor a file/],
    [['cartpole', '--seed', 'x'], /--seed must be a whole number/],
    [['cartpole', '--seed', '-1'], /--seed|argument/],
    [['cartpole', '--seed', '4294967296'], /--seed must be/],
    [['cartpole', '--updates', '1.5'], /--updates must be/],
    [['cartpole', '--executor', 'abacus'], /webgpu or cpu, not "abacus"/],
    [['cartpole', '--until', 'success'], /--until must be METRIC>=VALUE/],
    [['cartpole', '--until', 'eval/success>=much'], /--until must be/],
    [[...SMALL, '--until', 'eval/sucess>=1'], /no metric is named "eval\/sucess"; known: .*eval\/success/],
    [[tmpdir()], /is a folder, not a file/],
    [['/dev/null'], /is a device, not a file/],
    [['cartpole', '--set', 'loss.clip'], /path=value/],
    [['cartpole', '--set', 'loss.id={"toString":1}'], /loss\.id.*must be the id of a choice/],
    [['cartpole', '--set', 'loss.id=["ppo-clip"]'], /loss\.id.*must be the id of a choice/],
    [['cartpole', '--set', 'weather.rain=1'], /weather\.rain=1/],
    [['cartpole', '--set', 'loss.rain=1'], /rain/],
    [['cartpole', '--set', 'loss.clip=-1'], /clip.*0 to 10/i],
    [['cartpole', '--set', 'rollout.copies=1000000000'], /copies.*65536|65536/],
    [['cartpole', '--set', 'advantage.id=crystal-ball'], /crystal-ball/],
    [
      [
        'cartpole',
        '--executor',
        'cpu',
        '--set',
        'loss.minibatches=1024',
        '--set',
        'rollout.copies=1',
        '--set',
        'rollout.steps=8',
      ],
      /minibatches: is 1024, but a rollout has only 8 steps/,
    ],
  ])('%j', async (argv, message) => {
    expect(await main(argv)).toBe(2);
    expect(complaints.join('')).toMatch(message);
    expect(out).toEqual([]);
  });

  it('also for a file that is no scenario', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'train-'));
    const file = join(folder, 'bad.json');
    for (const [text, message] of [
      ['', /empty|JSON/],
      ['{"kind": "agentic', /JSON/],
      ['[]', /object|kind/],
      ['{"kind":"agentic-rl-scenario","version":999}', /newer|version/],
    ] as const) {
      complaints = [];
      await writeFile(file, text);
      expect(await main([file])).toBe(2);
      expect(complaints.join('')).toMatch(message);
    }
    await rm(folder, { recursive: true });
  });
});
