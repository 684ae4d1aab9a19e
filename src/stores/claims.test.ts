import { expect, it } from 'vitest';
import type { Claim, Scenario } from '../engine/scenario';
import { textScenario } from '../engine/text/testing';
import { standingOf } from './claims';
import type { Mark } from './run';
import { Series } from './series';

const claim = (metric: string, change?: Record<string, unknown>): Claim => ({
  id: 'c',
  sentence: '',
  metric,
  comparison: '<=',
  value: 5.2,
  ...(change ? { with: change } : {}),
});
const opened = textScenario({ training: { updates: 6, evaluateEvery: 2 } });

/** A run of `running` that reported these values of `a/b` and of the evaluation, one an update. */
function runOf(values: readonly number[], running: Scenario = opened, marks: readonly Mark[] = []) {
  const [figures, evaluations] = [new Series(), new Series()];
  for (const [i, value] of values.entries()) figures.push(i + 1, value);
  for (const [i, value] of values.entries()) if ((i + 1) % 2 === 0) evaluations.push(i + 1, value);
  return {
    running: { scenario: running, seed: 1 },
    marks,
    tick: { update: values.length, steps: 0, seconds: 0, values: {} },
    series: new Map([
      ['a/b', figures],
      ['eval/success', evaluations],
    ]),
  };
}
const six = [9, 5.4, 4.39, 3.98, 3.98, 4.42];

it('a finished run is judged by the mean of its last five updates, as the record is', () => {
  const standing = standingOf(claim('a/b'), opened, runOf(six));
  expect(standing).toEqual({ kind: 'complete', figure: expect.closeTo(4.434, 9) });
  expect(standingOf(claim('max/a/b'), opened, runOf(six))).toEqual({ kind: 'complete', figure: 9 });
  expect(standingOf(claim('eval/success'), opened, runOf(six))).toEqual({ kind: 'complete', figure: 4.42 });
});
it('what comes after the plan changes nothing', () => {
  const on = runOf([...six, 100, 100]);
  expect(standingOf(claim('a/b'), opened, on)).toEqual({ kind: 'complete', figure: expect.closeTo(4.434, 9) });
  expect(standingOf(claim('eval/success'), opened, on)).toEqual({ kind: 'complete', figure: 4.42 });
});
it('before the end it says how many updates are left', () => {
  expect(standingOf(claim('a/b'), opened, runOf([1, 2]))).toEqual({ kind: 'training', left: 4, figure: 1.5 });
  expect(standingOf(claim('eval/success'), opened, runOf([1, 2, 3]))).toMatchObject({ left: 3, figure: 2 });
  expect(standingOf(claim('a/b'), opened, runOf([]))).toEqual({ kind: 'training', left: 6, figure: undefined });
});
it('a run with other settings has no verdict, nor one whose settings changed on the way', () => {
  const other = { ...opened, slots: { ...opened.slots, loss: { id: 'token-ppo', parameters: { clip_low: 0.9 } } } };
  expect(standingOf(claim('a/b'), opened, runOf(six, other))).toEqual({ kind: 'other settings' });
  const mark = { update: 3, path: 'loss.parameters.clip_low', label: '' };
  expect(standingOf(claim('a/b'), opened, runOf(six, opened, [mark]))).toEqual({ kind: 'other settings' });
  expect(standingOf(claim('a/b', { 'loss.clip_low': 0.9 }), opened, runOf(six))).toEqual({ kind: 'other settings' });
  expect(standingOf(claim('a/b', { 'loss.clip_low': 0.9 }), opened, runOf(six, other))).toMatchObject({
    kind: 'complete',
  });
  // A default is the same whether it is written down or not.
  expect(standingOf(claim('a/b', { 'loss.id': 'token-ppo' }), opened, runOf(six)).kind).toBe('complete');
});
it('a claim with a shorter plan is judged when that is reached, unless a setting is annealed over the plan', () => {
  const short = claim('a/b', { 'training.updates': 4 });
  const complete = { kind: 'complete', figure: expect.closeTo((9 + 5.4 + 4.39 + 3.98) / 4, 9) };
  expect(standingOf(short, opened, runOf(six))).toEqual(complete);
  expect(standingOf(short, opened, runOf(six.slice(0, 3)))).toMatchObject({ kind: 'training', left: 1 });
  const annealed = {
    ...opened,
    slots: { ...opened.slots, optimizer: { id: 'adam', parameters: { learning_rate: 0.01, anneal: true } } },
  };
  expect(standingOf(short, annealed, runOf(six, annealed))).toEqual({ kind: 'other settings' });
  expect(standingOf(claim('eval/success', { 'training.updates': 3 }), opened, runOf(six))).toEqual({
    kind: 'not evaluated',
    update: 3,
  });
});
