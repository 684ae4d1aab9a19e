import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Scenario } from '../engine/scenario';
import type { Command, Event, Message } from '../worker/protocol';

const commands: Command[] = [];
let worker: { onmessage: ((event: { data: Message }) => void) | null } | undefined;
/** Number of the run that was begun last. */
let run = 0;
class FakeWorker {
  onmessage = null;
  onerror = null;
  constructor() {
    worker = this;
  }
  postMessage(command: Command) {
    if ('run' in command) run = command.run;
    commands.push(command);
  }
  terminate() {}
}
vi.stubGlobal('Worker', FakeWorker);

const { lackNow, loadOwnScenario, oneUpdate, openScenario, reset, setSeed, trainOrPause, useSession, writeEpisodes } =
  await import('./session');
const { redo, undo, useScenario } = await import('./scenario');
const { useRun } = await import('./run');
const { useToasts } = await import('./toasts');
const { ENTRIES } = await import('./gallery');

const say = (...events: Event[]) => {
  for (const event of events) worker?.onmessage?.({ data: { ...event, run } });
};
const types = () => commands.map(({ type }) => type);
const edit = useScenario.getState();
let scenario: Scenario;

beforeEach(async () => {
  vi.useFakeTimers();
  const parsed = await loadOwnScenario('cartpole');
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  scenario = parsed.scenario;
  openScenario(scenario);
  say({ type: 'status', status: 'ready', update: 0, steps: 0 });
  commands.length = 0;
  useToasts.setState({ toasts: [] });
});

it('every scenario of the project passes through the same door as a file, and can run', async () => {
  for (const { id } of ENTRIES) {
    const parsed = await loadOwnScenario(id);
    expect('problems' in parsed ? parsed.problems : []).toEqual([]);
    if ('scenario' in parsed) openScenario(parsed.scenario);
    expect(useSession.getState().problems).toEqual([]);
    expect('scenario' in parsed && parsed.scenario.lesson).toMatch(/\w/);
  }
  expect(await loadOwnScenario('no-such')).toHaveProperty('problems');
});

describe('an edit while the run goes on', () => {
  beforeEach(() => say({ type: 'status', status: 'training', update: 5, steps: 10 }));
  it('of a live setting goes to the run at once, with a mark; undo and redo too', () => {
    edit.setParameter('loss', 'clip', 0.1);
    undo();
    redo();
    expect(commands).toEqual([0.1, 0.2, 0.1].map((value) => ({ type: 'set', path: 'loss.parameters.clip', value })));
    expect(useRun.getState().marks.map(({ label }) => label)).toEqual(['Clip ε 0.1']);
    expect(useSession.getState().pending).toEqual([]);
  });
  it('of any other setting waits for the reset, which builds the run anew', () => {
    edit.setParameter('rollout', 'copies', 8);
    vi.runAllTimers();
    expect(commands).toEqual([]);
    expect(useSession.getState().pending.map(({ path }) => path)).toEqual(['rollout.parameters.copies']);
    reset();
    expect(types()).toEqual(['load']);
    expect(useSession.getState().pending).toEqual([]);
  });
  it('taken back before the reset leaves nothing waiting', () => {
    edit.setParameter('rollout', 'copies', 8);
    undo();
    expect(useSession.getState().pending).toEqual([]);
  });
  it('that cannot run is named and leaves the run alone', () => {
    edit.setParameter('loss', 'minibatches', 1024);
    edit.setParameter('rollout', 'copies', 1);
    edit.setParameter('rollout', 'steps', 8);
    expect(useSession.getState().problems.map(({ path }) => path)).toEqual(['slots.loss.parameters.minibatches']);
    reset();
    vi.runAllTimers();
    expect(types()).not.toContain('load');
    undo();
    undo();
    expect(useSession.getState().problems).toEqual([]);
  });
});

it('an untrained run is built anew by itself, once for edits that follow each other', () => {
  edit.setParameter('rollout', 'copies', 8);
  edit.setParameter('rollout', 'steps', 64);
  expect(commands).toEqual([]);
  vi.runAllTimers();
  expect(types()).toEqual(['load']);
});

describe('reset', () => {
  it('of a trained run can be taken back', () => {
    say({ type: 'status', status: 'paused', update: 5, steps: 10 });
    setSeed(3);
    reset();
    expect(commands).toEqual([{ type: 'reset', run, seed: 3 }]);
    useToasts.getState().toasts[0]?.undo?.();
    expect(types()).toEqual(['reset', 'undo-reset']);
  });
  it('after a failure builds the run anew', () => {
    say({ type: 'failed', what: 'adam', message: 'out of memory', advice: '' });
    reset();
    expect(types()).toEqual(['load']);
  });
});

it('opening another scenario over changes can be taken back', async () => {
  edit.setParameter('loss', 'clip', 0.1);
  const other = { ...scenario, id: 'other', title: 'Other' };
  openScenario(other);
  expect(useScenario.getState().scenario).toEqual(other);
  useToasts.getState().toasts[0]?.undo?.();
  expect(useScenario.getState().scenario?.slots.loss.parameters.clip).toBe(0.1);
});

it('training waits while its phase has nothing to learn from, and episodes can be written meanwhile', async () => {
  const parsed = await loadOwnScenario('dpo');
  if ('problems' in parsed) throw new Error();
  const clicked = { id: 'prefer', from: 0, parameters: { source: 'clicked' }, with: {} };
  openScenario({ ...parsed.scenario, phases: [clicked] });
  say({ type: 'status', status: 'ready', update: 0, steps: 0 });
  commands.length = 0;
  trainOrPause();
  oneUpdate();
  expect(commands).toEqual([]);
  expect(lackNow(useRun.getState())?.index).toBe(0);
  writeEpisodes();
  expect(commands).toMatchObject([{ type: 'try-out', count: 6 }]);
  say({ type: 'collected', pairs: 1, demonstrations: 0, picked: [], missed: false });
  trainOrPause();
  expect(types().at(-1)).toBe('train');
});
