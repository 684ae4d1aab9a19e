import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Scenario } from '../engine/scenario';
import type { Command, Event, HealthNotice, Message, MetricsRow } from '../worker/protocol';
import { createRun, gravest, type WorkerLike } from './run';

/** A worker that records what it is told and says what the test wants. */
function fakeWorker() {
  const commands: Command[] = [];
  const port: WorkerLike = {
    postMessage: (command) => commands.push(command),
    onmessage: null,
    onerror: null,
    terminate: vi.fn(),
  };
  const tell = (run: number, ...events: Event[]) => {
    for (const event of events) port.onmessage?.({ data: { ...event, run } } as MessageEvent<Message>);
  };
  return {
    commands,
    port,
    /** Of the run that was begun last. */
    say: (...events: Event[]) => tell(lastRun(commands), ...events),
    /** Of the run with this number. */
    tell,
  };
}
const lastRun = (commands: readonly Command[]) =>
  commands.reduce((run, command) => ('run' in command ? command.run : run), 0);
const row = (update: number, values: Record<string, number>): MetricsRow => ({
  update,
  steps: update * 100,
  seconds: update / 10,
  values,
});
const scenario = { title: 'A' } as Scenario;
const started = () => {
  const worker = fakeWorker();
  const start = vi.fn(() => worker.port);
  const run = createRun(start);
  run.getState().load(scenario, 7, 'auto', {});
  return { ...worker, run, start };
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('commands', () => {
  it('start the worker with the first one, once', () => {
    const { run, start, commands } = started();
    run.getState().train();
    expect(start).toHaveBeenCalledTimes(1);
    expect(commands).toEqual([
      { type: 'load', run: 1, scenario, seed: 7, executor: 'auto', tuning: {} },
      { type: 'train' },
    ]);
    expect(run.getState().status).toBe('loading');
  });
  it('a live setting is sent and marked, once the run has begun', () => {
    const { run, say, commands } = started();
    run.getState().set('loss.parameters.clip', 0.1, scenario, 'Clip 0.1');
    expect(run.getState().marks).toEqual([]);
    say({ type: 'status', status: 'training', update: 5, steps: 500 });
    run.getState().set('loss.parameters.clip', 0.3, scenario, 'Clip 0.3');
    run.getState().set('loss.parameters.clip', 0.2, scenario, 'Clip 0.2');
    run.getState().set('loss.parameters.clip', 0.3, scenario, 'Clip 0.3');
    expect(run.getState().marks).toEqual([{ update: 5, path: 'loss.parameters.clip', label: 'Clip 0.3' }]);
    expect(commands.at(-1)).toEqual({ type: 'set', path: 'loss.parameters.clip', value: 0.3 });
  });
  it('a setting that was not taken says so until it is set again', () => {
    const { run, say } = started();
    say({ type: 'not-set', path: 'loss.parameters.clip', message: 'too large' });
    expect(run.getState().notSet).toEqual({ 'loss.parameters.clip': 'too large' });
    run.getState().set('loss.parameters.clip', 0.3, scenario, '');
    expect(run.getState().notSet).toEqual({});
  });
});

describe('metrics', () => {
  it('join a burst into one change of the store in 250 ms', () => {
    const { run, say } = started();
    const changes = vi.fn();
    run.subscribe((state, before) => state.tick !== before.tick && changes());
    for (let update = 1; update <= 50; update++)
      say({ type: 'metrics', rows: [row(update, { 'charts/SPS': update })] });
    expect(changes).not.toHaveBeenCalled();
    vi.advanceTimersByTime(250);
    expect(changes).toHaveBeenCalledTimes(1);
    expect(run.getState().tick).toEqual({ update: 50, steps: 5000, seconds: 5, values: { 'charts/SPS': 50 } });
    expect(run.getState().series.get('charts/SPS')?.thinned(100)).toHaveLength(50);
  });
  it('evaluations are series too', () => {
    const { run, say } = started();
    say({ type: 'evaluation', update: 10, episodes: 100, returnMean: 3, returnDeviation: 1, success: 0.5, length: 20 });
    expect(run.getState().series.get('eval/success')?.latest).toBe(0.5);
    expect(run.getState().evaluation?.returnMean).toBe(3);
  });
});

describe('worlds of tokens', () => {
  it('what is gathered is what the run says, and outlives a reset without its episodes’ numbers', () => {
    const { run, say, commands } = started();
    run.getState().pick(7);
    run.getState().prefer(8, 9);
    expect(commands.slice(-2)).toEqual([
      { type: 'pick', episode: 7 },
      { type: 'prefer', chosen: 8, rejected: 9 },
    ]);
    expect(run.getState().collected).toMatchObject({ pairs: 0, demonstrations: 0 });
    say({ type: 'collected', pairs: 1, demonstrations: 1, picked: [7], missed: false });
    expect(run.getState().collected).toMatchObject({ pairs: 1, demonstrations: 1, picked: new Set([7]) });
    run.getState().reset(2);
    expect(run.getState().collected).toMatchObject({ pairs: 1, demonstrations: 1, picked: new Set(), missed: false });
    run.getState().load(scenario, 1, 'auto', {});
    expect(run.getState().collected).toMatchObject({ pairs: 0, demonstrations: 0 });
  });
  it('a try-out is waited for, and no longer than the run lives', () => {
    const { run, say } = started();
    const wish = { task: null, count: 2, temperature: 1, greedy: false, given: [] };
    run.getState().tryOut(wish);
    expect(run.getState().trying).toBe(true);
    say({ type: 'try-out', update: 3, transcripts: [] });
    expect(run.getState()).toMatchObject({ trying: false, tried: { update: 3 } });
    run.getState().tryOut(wish);
    say({ type: 'no-try-out', message: 'cannot be' });
    expect(run.getState()).toMatchObject({ trying: false, notTried: 'cannot be', tried: { update: 3 } });
    run.getState().tryOut(wish);
    expect(run.getState().notTried).toBeUndefined();
    say({ type: 'status', status: 'failed', update: 3, steps: 0 });
    expect(run.getState().trying).toBe(false);
  });
  it('leaving the play forgets its episode', () => {
    const { run, say } = started();
    say({ type: 'text-play', transcript: {} as never, legal: [1] });
    expect(run.getState().textPlay?.legal).toEqual([1]);
    run.getState().playStop();
    expect(run.getState().textPlay).toBeUndefined();
  });
});

describe('reset', () => {
  const trained = () => {
    const all = started();
    all.say(
      { type: 'status', status: 'ready', update: 0, steps: 0 },
      { type: 'metrics', rows: [row(1, { a: 1 }), row(2, { a: 2 })] },
    );
    vi.advanceTimersByTime(250);
    return all;
  };
  it('empties the curves and can be taken back with them', () => {
    const { run, commands } = trained();
    run.getState().reset(9);
    expect(run.getState().series.size).toBe(0);
    expect(run.getState().update).toBe(0);
    expect(run.getState().running?.seed).toBe(9);
    run.getState().undoReset();
    expect(run.getState().series.get('a')?.latest).toBe(2);
    expect(run.getState().tick.update).toBe(2);
    expect(run.getState().running?.seed).toBe(7);
    expect(commands.slice(-2)).toEqual([
      { type: 'reset', run: 2, seed: 9 },
      { type: 'undo-reset', run: 3 },
    ]);
  });
  it('does not hear what the worker still says of the run before it', () => {
    const { run, tell, say } = trained();
    run.getState().reset(9);
    tell(
      1,
      { type: 'metrics', rows: [row(3, { a: 3 })] },
      { type: 'evaluation', update: 3, episodes: 1, returnMean: 1, returnDeviation: 0, success: 1, length: 1 },
      { type: 'status', status: 'paused', update: 3, steps: 300 },
      { type: 'transcripts', update: 3, transcripts: [] },
    );
    vi.advanceTimersByTime(250);
    expect(run.getState().series.size).toBe(0);
    expect(run.getState().tick).toEqual({ update: 0, steps: 0, seconds: 0, values: {} });
    expect(run.getState()).toMatchObject({ update: 0, evaluation: undefined, transcripts: undefined });
    say({ type: 'metrics', rows: [row(1, { a: 5 })] });
    expect(run.getState().series.get('a')?.latest).toBe(5);
    tell(1, { type: 'device-lost', reason: 'driver reset', update: 3 });
    expect(run.getState().status).toBe('device-lost');
  });
  it('taken back brings the transcripts back too', () => {
    const { run, say } = trained();
    say(
      { type: 'transcripts', update: 2, transcripts: [] },
      { type: 'phase', index: 0, id: 'reinforce', update: 0 },
      { type: 'try-out', update: 2, transcripts: [] },
    );
    run.getState().reset(9);
    expect(run.getState().transcripts).toBeUndefined();
    run.getState().undoReset();
    expect(run.getState()).toMatchObject({
      transcripts: { update: 2 },
      phase: { id: 'reinforce' },
      tried: { update: 2 },
    });
  });
  it('is taken back once only, and never into another run', () => {
    const { run, commands } = trained();
    run.getState().reset(9);
    run.getState().load(scenario, 1, 'auto', {});
    run.getState().undoReset();
    expect(commands.map(({ type }) => type)).not.toContain('undo-reset');
  });
});

describe('when something fails', () => {
  const notice = (cause: HealthNotice['cause'], severity: HealthNotice['severity']): HealthNotice => ({
    cause,
    severity,
    what: '',
    why: '',
    path: '',
    advice: '',
    update: 1,
  });
  it('shows the gravest notice first, one a cause', () => {
    const { run, say } = started();
    say(
      { type: 'health', notice: notice('nothing-learned', 'warn') },
      { type: 'health', notice: notice('kl-exploded', 'alarm') },
      { type: 'health', notice: notice('kl-exploded', 'alarm') },
    );
    expect(run.getState().health).toHaveLength(2);
    expect(gravest(run.getState().health)?.cause).toBe('kl-exploded');
    run.getState().dismissHealth('kl-exploded');
    expect(gravest(run.getState().health)?.cause).toBe('nothing-learned');
  });
  it('a dead worker is reported, and the next command starts another', () => {
    const { run, port, start } = started();
    port.onerror?.({ message: 'boom', preventDefault: () => {} } as ErrorEvent);
    expect(run.getState().status).toBe('failed');
    expect(run.getState().failure?.message).toBe('boom');
    expect(port.terminate).toHaveBeenCalled();
    run.getState().load(scenario, 1, 'cpu', {});
    expect(start).toHaveBeenCalledTimes(2);
    expect(run.getState().failure).toBeUndefined();
  });
  it('a lost device keeps the curves and offers to go on', () => {
    const { run, say, commands } = started();
    say(
      { type: 'metrics', rows: [row(1, { a: 1 })] },
      { type: 'device-lost', reason: 'driver reset', update: 1 },
      { type: 'status', status: 'device-lost', update: 1, steps: 100 },
    );
    expect(run.getState()).toMatchObject({ status: 'device-lost', lost: { reason: 'driver reset', update: 1 } });
    expect(run.getState().series.size).toBe(1);
    run.getState().continueOn('cpu');
    expect(commands.at(-1)).toEqual({ type: 'continue-on', executor: 'cpu' });
    expect(run.getState().lost).toBeUndefined();
  });
  it('a refused scenario gives every problem and no run', () => {
    const { run, say } = started();
    say({ type: 'refused', problems: [{ path: 'environment.parameters.table', message: 'row 3 sums to 0.9' }] });
    expect(run.getState()).toMatchObject({
      status: 'empty',
      running: undefined,
      refused: [{ path: 'environment.parameters.table' }],
    });
  });
});
