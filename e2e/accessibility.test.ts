/** axe-core finds nothing wrong, in light and dark, wide and narrow, also with menus and dialogs open. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { accessibilityFaults, openPage } from './browser';
import { button, oneUpdate, openWorkbench, PATIENCE } from './workbench';

const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];
/** Colours that fade would be measured half way. */
const STILL = { reducedMotion: 'reduce' } as const;

/** The page as it stands, in each theme and size. */
async function expectNoFaults(page: Page, what: string, sizes = SIZES): Promise<void> {
  for (const size of sizes) {
    await page.setViewportSize(size);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityFaults(page), `${what}, ${size.width} px, ${colorScheme}`).toEqual([]);
    }
  }
}

test('the gallery', async () => {
  const page = await openPage(STILL);
  await page.getByRole('heading', { name: 'All scenarios' }).waitFor();
  await expectNoFaults(page, 'gallery');
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await expectNoFaults(page, 'list of shortcuts');
});

test('the workbench', { timeout: 240_000 }, async () => {
  const page = await openWorkbench('frozen-lake-4x4', STILL);
  await oneUpdate(page);
  await expectNoFaults(page, 'workbench');
  await page.keyboard.press('6');
  await page.getByRole('heading', { name: 'Loss' }).waitFor();
  await expectNoFaults(page, 'form of a card');
  await page.setViewportSize(SIZES[0]);
  await page.keyboard.press('Escape');
  await button(page, 'File').click();
  await page.getByRole('menu').waitFor();
  await expectNoFaults(page, 'file menu', SIZES.slice(0, 1));
  await page.keyboard.press('Escape');
  await button(page, /^preset /).click();
  await page.getByRole('menu').waitFor();
  await expectNoFaults(page, 'presets', SIZES.slice(0, 1));
  await page.keyboard.press('Escape');
  await button(page, 'More about the curves').click();
  await page.getByRole('menuitem', { name: /kernels/i }).click();
  const kernels = page.getByRole('dialog', { name: 'Kernels of this run' });
  await kernels.getByText('@compute').first().waitFor();
  await expectNoFaults(page, 'kernels');
  await page.keyboard.press('Escape');
  await kernels.waitFor({ state: 'detached' });
  await page.setViewportSize(SIZES[0]);
  await button(page, /, device$/).click();
  await page.getByRole('dialog', { name: 'Device' }).waitFor();
  await expectNoFaults(page, 'device', SIZES.slice(0, 1));
  await page.keyboard.press('Escape');
  await button(page, 'Entropy: show the table').click();
  for (const tab of ['Lesson', 'Health']) {
    await page.getByRole('tablist', { name: 'Side panel' }).getByRole('tab', { name: tab }).click();
    await expectNoFaults(page, tab, SIZES.slice(0, 1));
  }
  await button(page, 'Play it yourself').click();
  await page.getByRole('heading', { name: 'You play' }).waitFor({ timeout: PATIENCE });
  await page.setViewportSize(SIZES[1]);
  for (const tab of ['Pipeline', 'Curves', 'Lesson', 'Health', 'World']) {
    await page.getByRole('tablist', { name: 'Panels' }).getByRole('tab', { name: tab }).click();
    await expectNoFaults(page, tab, SIZES.slice(1));
  }
});
