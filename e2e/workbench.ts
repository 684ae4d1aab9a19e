/** The workbench as a person reads and moves it: by the names of its buttons and by what it says. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { openPage, type PageOptions } from './browser';

/** How long something may take that computes; a busy machine with a software adapter is slow. */
export const PATIENCE = 60_000;

/** Opens one of the project's scenarios and waits until it can be trained. */
export async function openWorkbench(scenario: string, options: PageOptions = {}): Promise<Page> {
  const page = await openPage({ path: `#/workbench/${scenario}`, ...options });
  await ready(page);
  return page;
}

export async function ready(page: Page): Promise<void> {
  await page.getByText('Ready to train', { exact: true }).waitFor({ state: 'attached', timeout: PATIENCE });
}

export const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name });

export async function train(page: Page): Promise<void> {
  await button(page, 'Train').click();
  await button(page, 'Pause').waitFor();
}

/** Presses Pause and waits for the answer. */
export async function pause(page: Page): Promise<void> {
  await button(page, 'Pause').click();
  await paused(page);
}
export async function paused(page: Page): Promise<void> {
  await page.getByText(/^Paused at update \d+$/).waitFor({ state: 'attached', timeout: PATIENCE });
}

/** One update, to its end. */
export async function oneUpdate(page: Page): Promise<void> {
  const next = (await updateNow(page)) + 1;
  await button(page, 'One update').click();
  await page.getByText(`Paused at update ${next}`, { exact: true }).waitFor({ state: 'attached', timeout: PATIENCE });
  await expect.poll(() => updateNow(page)).toBe(next);
}

/** The update in the status line. */
export async function updateNow(page: Page): Promise<number> {
  const text = await page.getByRole('region', { name: 'Transport' }).innerText();
  return Number(/update (\d+) of/.exec(text)?.[1]);
}

/** Waits until the run has done this many updates. */
export async function reachUpdate(page: Page, update: number): Promise<void> {
  await expect.poll(() => updateNow(page), { timeout: PATIENCE, interval: 100 }).toBeGreaterThanOrEqual(update);
}

export const chart = (page: Page, title: string) => page.getByRole('region', { name: title, exact: true });

/** The newest value of a curve, as its read-out shows it; NaN while there is none. */
export async function figureOf(page: Page, title: string): Promise<number> {
  const text = await chart(page, title).locator('.now').innerText();
  return Number(text.replace('−', '-').replace(/\s/g, ''));
}

/** Every row of a curve's table, newest first: update, value. */
export async function tableOf(page: Page, title: string): Promise<string[]> {
  const show = button(page, `${title}: show the table`);
  if (await show.isVisible()) await show.click();
  // A chart out of sight is not drawn; in sight it is, within a few frames.
  await chart(page, title).scrollIntoViewIfNeeded();
  const rows = chart(page, title).locator('tbody tr');
  const update = await updateNow(page);
  await expect.poll(() => rows.first().innerText(), { timeout: PATIENCE }).toMatch(new RegExp(`^${update}\\b`));
  return rows.allInnerTexts();
}

/** Opens a card of the pipeline. */
export async function openCard(page: Page, stage: string): Promise<void> {
  await page.locator(`[data-stage=${stage}]`).click();
}

/** Types a number into the field of the open form and commits it. */
export async function setNumber(page: Page, label: string, value: string): Promise<void> {
  const field = page.getByRole('textbox', { name: label, exact: true });
  await field.fill(value);
  await field.press('Enter');
}
