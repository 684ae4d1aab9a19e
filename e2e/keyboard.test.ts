/** Everything a person does, by keyboard alone. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { focused, openPage, tabTo } from './browser';
import { PATIENCE, paused, reachUpdate, ready } from './workbench';

test('open a scenario, train, pause, change a setting, undo it, play, and leave', async () => {
  const page = await openPage();
  const { keyboard } = page;
  await page.getByRole('heading', { level: 1 }).waitFor();
  await tabTo(page, /^CartPole/);
  await expectVisibleFocus(page);
  await keyboard.press('Enter');
  await ready(page);

  await tabTo(page, /^Train/);
  await expectVisibleFocus(page);
  await keyboard.press('Enter');
  await reachUpdate(page, 1);
  // The shortcut does the same from anywhere in the page.
  await page.locator('#main').evaluate((main) => main.focus());
  await keyboard.press('Space');
  await paused(page);

  await tabTo(page, /Adam/);
  await expectVisibleFocus(page);
  await keyboard.press('Enter');
  // The focus goes on inside the form.
  await expect.poll(() => focused(page)).toBe('Optimiser');
  await tabTo(page, /^Learning rate$/, 10);
  await keyboard.press('Control+a');
  await keyboard.type('0.002');
  await keyboard.press('Enter');
  await keyboard.press('Escape');
  // The focus is back on the card that was opened, which says that it was changed.
  await expect.poll(() => focused(page)).toMatch(/changed.*Adam.*0\.002/);
  await keyboard.press('Control+z');
  await expect.poll(() => focused(page)).not.toMatch(/0\.002/);

  await tabTo(page, /^Play it yourself/);
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: 'You play' }).waitFor({ timeout: PATIENCE });
  const world = page.getByRole('region', { name: 'World' });
  await keyboard.down('ArrowRight');
  await expect
    .poll(() => world.locator('.world-outcome').innerText(), { timeout: PATIENCE })
    .toMatch(/over|ended|terminated/i);
  await keyboard.up('ArrowRight');
  expect(await world.locator('.world-play-read').innerText()).toMatch(/return\s*\d/);
  await keyboard.press('Escape');
  await page.getByRole('heading', { name: 'World', exact: true }).waitFor();
  await expect.poll(() => focused(page)).toMatch(/^Play it yourself/);

  await keyboard.press('g');
  await keyboard.press('g');
  await page.getByRole('heading', { name: 'All scenarios' }).waitFor();
});

test('the list of shortcuts opens with ?, holds the focus, and closes with Esc', async () => {
  const page = await openPage();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard and display' });
  await dialog.waitFor();
  for (let presses = 0; presses < 8; presses++) {
    await page.keyboard.press('Tab');
    expect(await dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true);
  }
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

/** What has the focus shows it by an outline or a ring. */
async function expectVisibleFocus(page: Page): Promise<void> {
  const shown = await page.evaluate(() => {
    const style = document.activeElement && getComputedStyle(document.activeElement);
    return style && ((style.outlineStyle !== 'none' && style.outlineWidth !== '0px') || style.boxShadow !== 'none');
  });
  expect(shown, await focused(page)).toBe(true);
}
