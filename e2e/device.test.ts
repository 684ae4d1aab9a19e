/** The device is lost in the middle of a run, or there is no WebGPU at all: the page says so and goes on. */
import { expect, test } from 'vitest';
import { openPage } from './browser';
import {
  button,
  figureOf,
  oneUpdate,
  openWorkbench,
  PATIENCE,
  paused,
  reachUpdate,
  ready,
  train,
  updateNow,
} from './workbench';

/** Keeps the page's worker where the test can reach it. */
const KEEP_WORKER = `
  const Plain = Worker;
  self.Worker = class extends Plain {
    constructor(...given) {
      super(...given);
      self.engine = this;
    }
  };`;

test('a lost device stops the run with its reason, draws nothing more, and training goes on with the CPU', async () => {
  const page = await openWorkbench('cartpole', { script: KEEP_WORKER });
  await train(page);
  await reachUpdate(page, 2);
  await page.evaluate(() => (self as unknown as { engine: Worker }).engine.postMessage({ type: 'lose-device' }));
  const banner = page.getByRole('alert').filter({ hasText: 'The GPU was lost.' });
  await banner.waitFor({ timeout: PATIENCE });
  expect(await banner.innerText()).toMatch(/Training stopped at update \d+; the last good weights are kept/);
  const at = await updateNow(page);
  await page.waitForTimeout(1000);
  expect(await updateNow(page)).toBe(at);
  expect(await button(page, 'Train').getAttribute('aria-disabled')).toBe('true');

  await banner.getByRole('button', { name: 'Go on with the CPU' }).click();
  await paused(page);
  await banner.waitFor({ state: 'detached' });
  expect(await button(page, /, device$/).innerText()).toContain('CPU');
  const good = await updateNow(page);
  await oneUpdate(page);
  expect(await updateNow(page)).toBe(good + 1);
  expect(await figureOf(page, 'Entropy')).toBeGreaterThan(0);
});

test('a lost device is taken back, and training goes on with the GPU', async () => {
  const page = await openWorkbench('cartpole', { script: KEEP_WORKER });
  await oneUpdate(page);
  await page.evaluate(() => (self as unknown as { engine: Worker }).engine.postMessage({ type: 'lose-device' }));
  await page.getByRole('button', { name: 'Go on with the GPU' }).click({ timeout: PATIENCE });
  await paused(page);
  await oneUpdate(page);
  expect(await button(page, /, device$/).innerText()).toContain('WebGPU');
});

test.each([
  ['absent', 'This browser has no WebGPU'],
  ['no-adapter', 'The browser found no graphics adapter for WebGPU'],
  ['never-answers', 'The graphics adapter did not answer within 3 s'],
] as const)('without WebGPU (%s) the page trains on the CPU and says why', async (webgpu, reason) => {
  const page = await openPage({ webgpu, path: '#/workbench/cartpole' });
  const badge = button(page, /, device$/);
  await page.getByRole('heading', { level: 1, name: 'CartPole' }).waitFor({ timeout: PATIENCE });
  await badge.getByText(reason).waitFor({ timeout: 5000 });
  await ready(page);
  await oneUpdate(page);
  expect(await badge.innerText()).toMatch(/CPU.*steps\/s/s);
});
