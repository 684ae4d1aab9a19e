/** On a phone, and zoomed to 200 %: everything is reached without scrolling sideways. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openPage } from './browser';
import { button, openWorkbench, PATIENCE } from './workbench';

async function expectNoSidewaysScroll(page: Page, what: string): Promise<void> {
  const { room, needed } = await page.evaluate(() => ({
    room: document.documentElement.clientWidth,
    needed: document.documentElement.scrollWidth,
  }));
  expect(needed, what).toBeLessThanOrEqual(room);
}

test.each([360, 640])('the gallery at %i px', async (width) => {
  const page = await openPage({ viewport: { width, height: 700 } });
  await page.getByRole('heading', { name: 'All scenarios' }).waitFor();
  await expectNoSidewaysScroll(page, 'gallery');
});

test('the workbench at 360 and 640 px', async () => {
  const page = await openWorkbench('frozen-lake-4x4', { viewport: { width: 360, height: 700 } });
  await button(page, 'One update').click();
  await page.getByText('Paused at update 1', { exact: true }).waitFor({ state: 'attached', timeout: PATIENCE });
  for (const tab of ['World', 'Pipeline', 'Curves', 'Lesson', 'Health']) {
    await page.getByRole('tablist', { name: 'Panels' }).getByRole('tab', { name: tab }).click();
    for (const width of [640, 360]) {
      await page.setViewportSize({ width, height: 700 });
      await expectNoSidewaysScroll(page, `${tab} at ${width} px`);
    }
  }
  await page.getByRole('tablist', { name: 'Panels' }).getByRole('tab', { name: 'World' }).click();
  await button(page, 'Play it yourself').click();
  await page.getByRole('heading', { name: 'You play' }).waitFor({ timeout: PATIENCE });
  await expectNoSidewaysScroll(page, 'playing');
});
