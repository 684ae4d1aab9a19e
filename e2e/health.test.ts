/** Extreme settings: refused with the reason, or stopped with the setting to blame and a way back. */
import { expect, test } from 'vitest';
import { focused } from './browser';
import {
  figureOf,
  oneUpdate,
  openCard,
  openWorkbench,
  PATIENCE,
  paused,
  reachUpdate,
  setNumber,
  train,
  updateNow,
} from './workbench';

test('a learning rate of 10 breaks the run; the page names the setting, and one click brings good weights back', async () => {
  const page = await openWorkbench('cartpole');
  await oneUpdate(page);
  const rate = page.getByRole('textbox', { name: 'Learning rate', exact: true });
  await openCard(page, 'optimizer');
  await setNumber(page, 'Learning rate', '10');
  await rate.press('Escape');
  await train(page);
  const banner = page.locator('.banners');
  const back = banner.getByRole('button', { name: 'Back to the last good weights' });
  await back.waitFor({ timeout: PATIENCE });
  expect(await banner.innerText()).toMatch(/The learning rate is 10/);
  // What the run learns after an alarm must not pass for good, however long nobody looks.
  const at = await updateNow(page);
  await page.waitForTimeout(2000);
  await reachUpdate(page, at + 3);
  await back.click();
  await paused(page);
  await expect.poll(() => banner.innerText()).toBe('');
  await expect.poll(() => updateNow(page)).toBeLessThan(at + 3);

  // The weights are good: the same setting breaks them once more. Its name leads to its field.
  await train(page);
  await banner.getByRole('button', { name: /Learning rate$/ }).click({ timeout: PATIENCE });
  await expect.poll(() => focused(page)).toBe('Learning rate');
  await rate.fill('0.001');
  await rate.press('Enter');
  await back.click();
  await paused(page);
  await oneUpdate(page);
  expect(await figureOf(page, 'Entropy')).toBeGreaterThan(0.3);
});

test('what no device can hold is refused with the reason', async () => {
  const page = await openWorkbench('cartpole');
  await openCard(page, 'rollout');
  await setNumber(page, 'Copies', '1e9');
  await page.getByRole('alert').filter({ hasText: 'Copies must be 1 to 65536' }).waitFor();
  await page.keyboard.press('Escape');

  await openCard(page, 'policy');
  await setNumber(page, 'Hidden layers', '4096 4096 4096 4096 4096 4096 4096 4096');
  await page.getByRole('alert').filter({ hasText: 'must be 1 to 1024' }).waitFor();
  await setNumber(page, 'Hidden layers', '1024 1024 1024 1024 1024 1024 1024 1024');
  const banner = page.locator('.banners').getByRole('alert');
  await banner.waitFor({ timeout: PATIENCE });
  expect(await banner.innerText()).toMatch(
    /MLP: Hidden layers needs .* [GM]iB for weights.*Use narrower or fewer layers/,
  );
  // The run before the change is still there.
  await oneUpdate(page);
  await setNumber(page, 'Hidden layers', '64 64');
  await banner.waitFor({ state: 'detached', timeout: PATIENCE });
  await oneUpdate(page);
});
