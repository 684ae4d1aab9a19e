/** A person presses Train and sees a policy learn. */
import { expect, test } from 'vitest';
import { button, figureOf, openWorkbench, pause, train, updateNow } from './workbench';

/** Learning is bounded by this many seconds, on a software adapter that other work shares. */
const LEARNING = 240_000;

test('FrozenLake is learned, and its values and policy are drawn', { timeout: LEARNING + 60_000 }, async () => {
  const page = await openWorkbench('frozen-lake-4x4');
  await train(page);
  await expect.poll(() => figureOf(page, 'Success'), { timeout: LEARNING, interval: 250 }).toBeGreaterThanOrEqual(0.7);
  await pause(page);
  for (const layer of ['Value', 'Policy', 'Error'])
    expect(await button(page, layer).getAttribute('aria-disabled'), layer).toBe('false');
  await page
    .getByText(/steps\/s/)
    .first()
    .waitFor();
  expect(await button(page, /, device$/).innerText()).toContain('WebGPU');
});

test('CartPole is learned', { timeout: LEARNING + 60_000 }, async () => {
  const page = await openWorkbench('cartpole');
  await train(page);
  await expect.poll(() => figureOf(page, 'Return'), { timeout: LEARNING, interval: 250 }).toBeGreaterThanOrEqual(195);
  await pause(page);
  expect(await updateNow(page)).toBeGreaterThan(1);
  // What the world panel plays back comes from this run.
  const shown = page.getByRole('slider', { name: 'Step shown' });
  expect(await shown.getAttribute('aria-valuetext')).toMatch(/^step \d+ of \d+, update [1-9]/);
  await page.getByRole('button', { name: /^Copy 2: / }).waitFor();
});
