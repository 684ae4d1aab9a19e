/** Train, pause, one update, reset and its undo, and settings that change while the run goes on. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  chart,
  oneUpdate,
  openCard,
  openWorkbench,
  PATIENCE,
  pause,
  paused,
  reachUpdate,
  ready,
  setNumber,
  tableOf,
  train,
  updateNow,
} from './workbench';

test('Pause answers within a second and nothing moves after it; Train goes on', async () => {
  const page = await openWorkbench('frozen-lake-4x4');
  const answers: number[] = [];
  for (let press = 0; press < 3; press++) {
    await train(page);
    await reachUpdate(page, (await updateNow(page)) + 1);
    answers.push(await millisecondsToPause(page));
  }
  // Other work on the machine may hold up one answer, not three.
  expect(Math.min(...answers)).toBeLessThan(1000);
  const at = await updateNow(page);
  await page.waitForTimeout(1000);
  expect(await updateNow(page)).toBe(at);
});

/** Measured in the page, from the click to what the page says. */
function millisecondsToPause(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const said = () =>
      [...document.querySelectorAll('[role=status]')].some((one) => /^Paused at/.test(one.textContent));
    const started = performance.now();
    document.querySelector<HTMLElement>('button.train')?.click();
    while (!said()) await new Promise(requestAnimationFrame);
    return performance.now() - started;
  });
}

/** Of the transport: the bar of pending changes has another. */
const resetButton = (page: Page) =>
  page.getByRole('region', { name: 'Transport' }).getByRole('button', { name: 'Reset', exact: true });

const WATCHED = ['KL of the update', 'Gradient norm', 'Value fit'];
async function threeUpdates(page: Page): Promise<string[]> {
  for (let update = 0; update < 3; update++) await oneUpdate(page);
  const rows: string[] = [];
  for (const title of WATCHED) rows.push(...(await tableOf(page, title)));
  return rows;
}

test('the same seed gives the same numbers again, another seed others, and a reset can be taken back', async () => {
  const page = await openWorkbench('cartpole');
  const first = await threeUpdates(page);
  expect(first.map((row) => Number.parseInt(row, 10))).toEqual([3, 2, 1, 3, 2, 1, 3, 2, 1]);

  await resetButton(page).click();
  await ready(page);
  expect(await updateNow(page)).toBe(0);
  expect(await threeUpdates(page)).toEqual(first);

  await setNumber(page, 'Seed', '2');
  await resetButton(page).click();
  await ready(page);
  await page
    .getByRole('region', { name: /^Notices/ })
    .getByRole('button', { name: 'Undo' })
    .last()
    .click();
  await paused(page);
  expect(await updateNow(page)).toBe(3);
  expect(await tableOf(page, 'Gradient norm')).toEqual(first.slice(3, 6));
  // What was taken back also trains on.
  await oneUpdate(page);

  await resetButton(page).click();
  await ready(page);
  expect(await threeUpdates(page)).not.toEqual(first);
});

test('a hyper-parameter changes while the run goes on, and the curves are marked', async () => {
  const page = await openWorkbench('cartpole');
  await train(page);
  await reachUpdate(page, 1);
  await openCard(page, 'loss');
  await setNumber(page, 'Clip ε', '0,1');
  await chart(page, 'KL of the update').scrollIntoViewIfNeeded();
  await chart(page, 'KL of the update').getByText('Clip ε 0.1', { exact: true }).waitFor({ timeout: PATIENCE });
  await reachUpdate(page, (await updateNow(page)) + 2);
  await page.getByRole('textbox', { name: 'Clip ε', exact: true }).press('Escape');
  expect(await page.locator('[data-stage=loss]').innerText()).toContain('changed');
  await pause(page);
});

test('a new seed waits for the reset, and says so; on a phone too', async () => {
  const page = await openWorkbench('cartpole');
  await oneUpdate(page);
  await setNumber(page, 'Seed', '2');
  await page.getByText('One change takes effect at reset.').waitFor();
  await resetButton(page).click();
  await ready(page);
  expect(await page.getByText('One change takes effect at reset.').count()).toBe(0);
  await oneUpdate(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('tablist', { name: 'Panels' }).getByRole('tab', { name: 'Pipeline' }).click();
  const card = page.locator('[data-stage=training]');
  expect(await card.innerText()).toContain('seed 2');
  await card.click();
  await setNumber(page, 'Seed', '3');
  await page.getByText('One change takes effect at reset.').waitFor();
});

test('a change that needs other buffers waits for the reset, and says so', async () => {
  const page = await openWorkbench('cartpole');
  await oneUpdate(page);
  await openCard(page, 'rollout');
  await setNumber(page, 'Copies', '4');
  const steps = Number(await page.getByRole('textbox', { name: 'Steps', exact: true }).inputValue());
  await page.getByText('One change takes effect at reset.').waitFor();
  await page.getByText('Takes effect at reset.', { exact: true }).waitFor();
  await page.locator('.pending-bar').getByRole('button', { name: 'Reset' }).click();
  await ready(page);
  await oneUpdate(page);
  expect(await page.getByRole('region', { name: 'Transport' }).innerText()).toContain(` ${4 * steps} steps`);
});
