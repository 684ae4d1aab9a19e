import { describe, expect, it } from 'vitest';
import { PRESETS } from '../engine/presets';
import type { Scenario, Slot } from '../engine/scenario';
import { BLANK } from '../engine/testing';
import { textScenario } from '../engine/text/testing';
import { nodeGpu } from '../headless/node';
import type { Command, Event, Message } from './protocol';
import { Session } from './session';

/** FrozenLake 4×4 without slipping, small enough for an update in milliseconds. */
function lake(changes: Partial<Record<Slot, Record<string, unknown>>> = {}): Scenario {
  const choice = (slot: Slot, preset: string, parameters: Record<string, unknown> = {}) => {
    const { id = preset, ...own } = changes[slot] ?? {};
    return { id: String(id), parameters: { ...parameters, ...own } };
  };
  return {
    ...BLANK,
    preset: Object.keys(PRESETS)[0],
    slots: {
      environment: choice('environment', 'frozen-lake', { slippery: false }),
      policy: choice('policy', 'mlp', { hidden: [16] }),
      rollout: choice('rollout', 'synchronous', { copies: 8, steps: 16 }),
      reward: choice('reward', 'weighted'),
      filter: choice('filter', 'none'),
      advantage: choice('advantage', 'gae'),
      loss: choice('loss', 'ppo-clip'),
      optimizer: choice('optimizer', 'adam', { learning_rate: 0.01 }),
    },
    training: { updates: 1000, evaluateEvery: 500, evaluationEpisodes: 10, greedyEvaluation: true },
  };
}

class Listener {
  readonly events: Message[] = [];
  private waiting: (() => void)[] = [];
  readonly session: Session;

  constructor(gpu: GPU | undefined) {
    this.session = new Session((event) => {
      this.events.push(structuredClone(event));
      for (const wake of this.waiting.splice(0)) wake();
    }, gpu);
  }

  send(command: Command): void {
    this.session.receive(command);
  }

  /** The first event from index `from` on that fits. */
  async until<T extends Event['type']>(
    type: T,
    fits: (event: Extract<Event, { type: T }>) => boolean = () => true,
    from = 0,
  ): Promise<Extract<Message, { type: T }>> {
    for (;;) {
      const found = this.events
        .slice(from)
        .find((event): event is Extract<Message, { type: T }> => event.type === type && fits(event as never));
      if (found) return found;
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  status(status: string, from = 0) {
    return this.until('status', (event) => event.status === status, from);
  }

  metrics(): Record<string, number>[] {
    return this.events.flatMap((event) =>
      event.type === 'metrics'
        ? event.rows.map(({ update, values: { 'charts/SPS': _, ...values } }) => ({ update, ...values }))
        : [],
    );
  }
}

/** One session an executor, since compiling for a new device takes seconds; each test loads its own scenario into it. */
const shared: Partial<Record<'webgpu' | 'cpu', Listener>> = {};

async function loaded(
  executor: 'webgpu' | 'cpu',
  scenario = lake(),
  listener = shared[executor] ?? listen(executor),
): Promise<Listener> {
  shared[executor] ??= listener;
  const from = listener.events.length;
  listener.send({ type: 'watch', copies: 0, valueMap: false });
  listener.send({ type: 'load', run: 1, scenario, seed: 0, executor, tuning: {} });
  await listener.until('ready', undefined, from);
  await listener.status('ready', from);
  listener.events.length = 0;
  return listener;
}

function listen(executor: 'webgpu' | 'cpu'): Listener {
  return new Listener(executor === 'cpu' ? undefined : nodeGpu());
}

async function oneUpdate(listener: Listener): Promise<void> {
  const from = listener.events.length;
  listener.send({ type: 'one-update' });
  await listener.status('paused', from);
}

describe.each(['cpu', 'webgpu'] as const)('a session on %s', (executor) => {
  it('repeats the same metrics after a reset, from seed 0 too', async () => {
    const listener = await loaded(executor);
    for (let i = 0; i < 3; i++) await oneUpdate(listener);
    const first = listener.metrics();
    listener.send({ type: 'reset', run: 2, seed: 0 });
    await listener.status('ready', listener.events.length);
    for (let i = 0; i < 3; i++) await oneUpdate(listener);
    expect(first.map(({ update }) => update)).toEqual([1, 2, 3]);
    expect(listener.metrics().slice(3)).toEqual(first);
  });

  it('takes a reset back', async () => {
    const listener = await loaded(executor);
    for (let i = 0; i < 2; i++) await oneUpdate(listener);
    listener.send({ type: 'reset', run: 2, seed: 5 });
    const from = listener.events.length;
    listener.send({ type: 'undo-reset', run: 3 });
    expect((await listener.status('paused', from)).update).toBe(2);
    await oneUpdate(listener);
    const undone = listener.metrics().at(-1);
    const straight = await loaded(executor);
    for (let i = 0; i < 3; i++) await oneUpdate(straight);
    expect(straight.metrics().at(-1)).toEqual(undone);
  });

  it('trains until paused, within a second, and goes on', async () => {
    const listener = await loaded(executor);
    listener.send({ type: 'train' });
    await listener.until('metrics');
    const start = performance.now();
    listener.send({ type: 'pause' });
    const paused = await listener.status('paused');
    expect(performance.now() - start).toBeLessThan(1000);
    expect(paused.update).toBeGreaterThan(0);
    const count = listener.metrics().length;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(listener.metrics().length).toBeLessThanOrEqual(count + 1);
  });

  it('takes a live setting, and says why it does not take another', async () => {
    const listener = await loaded(executor);
    listener.send({ type: 'set', path: 'optimizer.parameters.learning_rate', value: 0 });
    await oneUpdate(listener);
    expect(listener.metrics()[0]['charts/learning_rate']).toBe(0);
    listener.send({ type: 'set', path: 'policy.parameters.hidden', value: [4] });
    expect((await listener.until('not-set')).message).toMatch(/reset/);
    listener.send({ type: 'set', path: 'loss.parameters.clip', value: -1 });
    expect((await listener.until('not-set', ({ path }) => path === 'loss.parameters.clip')).message).toMatch(
      /must be 0 to 10/,
    );
  });

  it('refuses what cannot run, with the place, and then loads what can', async () => {
    const listener = await loaded(executor);
    listener.send({
      type: 'load',
      run: 1,
      scenario: lake({ policy: { hidden: [4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096] } }),
      seed: 1,
      executor,
      tuning: {},
    });
    expect((await listener.until('refused')).problems[0]).toMatchObject({ path: 'slots.policy.parameters.hidden' });
    listener.send({ type: 'load', run: 1, scenario: lake(), seed: 1, executor, tuning: {} });
    await listener.until('ready');
  });

  it('stops at a gradient that is not finite and goes back to good weights', async () => {
    const listener = await loaded(
      executor,
      lake({ optimizer: { learning_rate: 100, max_grad_norm: 0, anneal: false }, reward: { scale: 1e6 } }),
    );
    listener.send({ type: 'train' });
    const { notice } = await listener.until('health');
    expect(notice.path).toMatch(/^slots\.(reward|optimizer)/);
    const from = listener.events.length;
    listener.send({ type: 'restore-good' });
    await listener.until('restored', undefined, from);
    await listener.status('paused', from);
  });

  it('stops again, and keeps the good weights, when trained on as if nothing had been', async () => {
    const listener = await loaded(
      executor,
      lake({ optimizer: { id: 'sgd', learning_rate: 100, max_grad_norm: 0, anneal: false }, reward: { scale: 1e6 } }),
    );
    listener.send({ type: 'train' });
    await listener.until('health', ({ notice }) => notice.cause === 'not-finite');
    await listener.status('stopped');
    const from = listener.events.length;
    listener.send({ type: 'dismiss-health', cause: 'not-finite' });
    listener.send({ type: 'train' });
    await listener.until('health', ({ notice }) => notice.cause === 'not-finite', from);
    await listener.status('stopped', from);
  });

  it('lets a person play, and hints', async () => {
    const listener = await loaded(executor);
    listener.send({ type: 'play-start', seed: 3 });
    expect((await listener.until('play')).step).toBe(0);
    for (const action of [1, 1, 2, 2, 1, 2]) listener.send({ type: 'play-act', action: [action] });
    expect(await listener.until('play', ({ step }) => step === 6)).toMatchObject({
      ended: 'terminated',
      success: true,
      return: 1,
    });
    listener.send({ type: 'play-start', seed: 3 });
    listener.send({ type: 'play-hint' });
    const { probabilities } = await listener.until('play-hint');
    expect(probabilities.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 5);
  });

  it('shows the watched copies and the value map', async () => {
    const listener = await loaded(executor);
    listener.send({ type: 'watch', copies: 4, valueMap: true });
    await oneUpdate(listener);
    const { frames } = await listener.until('world');
    expect(frames.length).toBe(16);
    expect(frames[0].length).toBe(4);
    expect(frames[0][0].view).toMatchObject({ kind: 'mdp', state: 0 });
    const { map } = await listener.until('value-map');
    expect(map.exact?.[0]).toBeCloseTo(0.99 ** 5, 4);
  });
});

describe('what the person gathers', () => {
  const collected = async (listener: Listener, command: Command) => {
    const from = listener.events.length;
    listener.send(command);
    return listener.until('collected', undefined, from);
  };
  const tryOut = async (listener: Listener) => {
    const from = listener.events.length;
    listener.send({ type: 'try-out', task: 3, count: 4, temperature: 1, greedy: false, given: [] });
    return (await listener.until('try-out', undefined, from)).transcripts.map(({ episode }) => episode);
  };

  it('is picked and put back, from training, try-outs and play, and stays with its scenario', async () => {
    const listener = await loaded('cpu', { ...textScenario(), id: 'first' });
    listener.send({ type: 'watch', copies: 8, valueMap: false });
    await oneUpdate(listener);
    const [{ episode }] = (await listener.until('transcripts')).transcripts;
    expect(await collected(listener, { type: 'pick', episode })).toMatchObject({ picked: [episode], missed: false });
    const [first, second] = await tryOut(listener);
    expect(await collected(listener, { type: 'pick', episode: first })).toMatchObject({ demonstrations: 2 });
    expect(await collected(listener, { type: 'pick', episode })).toMatchObject({ demonstrations: 1, picked: [first] });
    expect(await collected(listener, { type: 'prefer', chosen: first, rejected: second })).toMatchObject({ pairs: 1 });
    expect(await collected(listener, { type: 'pick', episode: 1e6 })).toMatchObject({ missed: true });

    listener.send({ type: 'play-start', seed: 1 });
    const { legal, transcript } = await listener.until('text-play');
    listener.send({ type: 'play-act', action: [legal[0]] });
    await listener.until('text-play', (event) => event.transcript.ended);
    const played = transcript.episode;
    expect(await collected(listener, { type: 'pick', episode: played })).toMatchObject({ picked: [first, played] });

    // Numbers of episodes begin anew with the run; what was gathered does not.
    const anew = await collected(listener, { type: 'reset', run: 2, seed: 0 });
    expect(anew).toMatchObject({ run: 2, pairs: 1, demonstrations: 2, picked: [], missed: false });
    const load = { type: 'load', seed: 0, executor: 'cpu', tuning: {} } as const;
    const changed = { ...textScenario({ training: { updates: 50 } }), id: 'first' };
    expect(await collected(listener, { ...load, run: 3, scenario: changed })).toMatchObject({ pairs: 1 });
    const other = { ...textScenario(), id: 'second' };
    expect(await collected(listener, { ...load, run: 4, scenario: other })).toMatchObject({
      run: 4,
      pairs: 0,
      demonstrations: 0,
      missed: false,
    });
  });

  it('is waited for by a phase that learns from it, which then trains', async () => {
    const phases = [{ id: 'prefer', from: 0, parameters: { source: 'clicked', steps: 1 }, with: {} }];
    const listener = await loaded('cpu', textScenario({ phases }));
    listener.send({ type: 'train' });
    expect(await listener.status('paused')).toMatchObject({ update: 0 });
    const [chosen, rejected] = await tryOut(listener);
    await collected(listener, { type: 'prefer', chosen, rejected });
    await oneUpdate(listener);
    expect(listener.metrics()).toMatchObject([{ update: 1, 'rollout/pairs': 1 }]);
    expect(listener.events.filter(({ type }) => type === 'failed')).toEqual([]);
  });

  it('a token taken back is as if it had not been written', async () => {
    const listener = await loaded('cpu', textScenario());
    const play = async (command: Command) => {
      const from = listener.events.length;
      listener.send(command);
      return listener.until('text-play', undefined, from);
    };
    const before = await play({ type: 'play-start', seed: 1 });
    await play({ type: 'play-act', action: [before.legal[0]] });
    expect(await play({ type: 'play-back' })).toEqual(before);
    expect(await play({ type: 'play-back' })).toEqual(before);
  });
});

describe('a failure', () => {
  it('of the settings of a phase is not laid to the device', async () => {
    const phases = [{ id: 'prefer', from: 0, parameters: { pairs: 10 }, with: {} }];
    const alike = { environment: { prompts: 4, answers: 4 }, reward: { scale: 0 } };
    const listener = await loaded('cpu', textScenario({ ...alike, phases }));
    listener.send({ type: 'train' });
    const { what, message, advice } = await listener.until('failed');
    expect({ what, advice }).toEqual({ what: 'Training failed', advice: '' });
    expect(message).toMatch(/larger groups or easier tasks/);
  });
});

describe('a change of device', () => {
  it('is not a lost device', async () => {
    const listener = await loaded('webgpu', lake(), listen('webgpu'));
    const from = listener.events.length;
    listener.send({ type: 'load', run: 1, scenario: lake(), seed: 0, executor: 'auto', tuning: {} });
    await listener.until('ready', undefined, from);
    await oneUpdate(listener);
    expect(listener.events.filter(({ type }) => type === 'device-lost')).toEqual([]);
  });
});

describe('a lost device', () => {
  it('pauses, keeps the last good weights, and goes on where asked', async () => {
    const listener = await loaded('webgpu', lake(), listen('webgpu'));
    for (let i = 0; i < 2; i++) await oneUpdate(listener);
    listener.send({ type: 'train' });
    await listener.until('metrics', ({ rows }) => rows.some(({ update }) => update > 2));
    listener.send({ type: 'lose-device' });
    await listener.until('device-lost');
    const points = listener.metrics().length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(listener.metrics().length).toBe(points);
    const from = listener.events.length;
    listener.send({ type: 'continue-on', executor: 'cpu' });
    expect((await listener.until('restored', undefined, from)).update).toBeGreaterThan(0);
    await oneUpdate(listener);
    expect(listener.metrics().length).toBe(points + 1);
  });
});
