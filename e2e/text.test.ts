/** A person's path through a world of tokens: watch it learn, read an episode, play, try the policy, change the phases. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { accessibilityFaults, focused } from './browser';
import {
  button,
  chart,
  figureOf,
  oneUpdate,
  openCard,
  openWorkbench,
  PATIENCE,
  pause,
  paused,
  ready,
  train,
  updateNow,
} from './workbench';

const SCENARIO = 'search-r1-mask';
/** Learning is bounded by this many milliseconds, on a software adapter that other work shares. */
const LEARNING = 400_000;

const world = (page: Page) => page.getByRole('region', { name: 'World' });
const cards = (page: Page) => world(page).getByRole('list', { name: 'Episodes' }).getByRole('button');
const transcript = (page: Page) => world(page).getByRole('region', { name: 'Transcript' });
const standing = (page: Page) => world(page).locator('.standing');

test('success rises while the episodes are written, and an episode is read to its end', {
  timeout: LEARNING + 120_000,
}, async () => {
  const page = await openWorkbench(SCENARIO);
  await world(page).getByText('Press Train and watch the episodes being written').waitFor();
  await train(page);
  // Imitation first, then reinforcement: the status line and the curves say so.
  await page.getByText(/imitate, phase 1 of 2/).waitFor({ timeout: PATIENCE });
  await page.getByText(/reinforce, phase 2 of 2/).waitFor({ timeout: LEARNING });
  await expect.poll(() => figureOf(page, 'pass@1'), { timeout: PATIENCE, interval: 250 }).toBeGreaterThan(0);
  expect(await chart(page, 'Success').locator('.phase-mark').count()).toBe(2);
  const start = await figureOf(page, 'pass@1');
  await expect
    .poll(() => figureOf(page, 'pass@1'), { timeout: LEARNING, interval: 500 })
    .toBeGreaterThan(Math.max(0.25, start + 0.08));
  await pause(page);
  await expect.poll(() => cards(page).count()).toBeGreaterThan(1);
  await page.keyboard.press('j');
  expect(await cards(page).nth(1).getAttribute('aria-pressed')).toBe('true');
  const text = transcript(page);
  expect(await text.getByText('turn 1', { exact: true }).count()).toBeGreaterThan(0);
  expect(await text.locator('.token.observation.masked').count()).toBeGreaterThan(0);
  expect(await text.locator('.verdict').innerText()).toMatch(/^(Success|No success|Cut by a limit|Being written)/);
  expect(await text.getByRole('img', { name: /^Graph of \d+ names/ }).count()).toBe(1);
  await button(page, 'Probability').click();
  expect(await text.locator('.token.graded').first().innerText()).toMatch(/\.\d\d|1/);
  expect(await accessibilityFaults(page)).toEqual([]);
});

test('play by choosing tokens, try the policy, gather and compare, without touching the run', {
  timeout: 300_000,
}, async () => {
  const page = await openWorkbench(SCENARIO);
  await oneUpdate(page);
  const before = await updateNow(page);

  // By keyboard alone: a shown key, a typed name, Esc.
  await page.keyboard.press('p');
  await page.getByRole('heading', { name: 'You play' }).waitFor({ timeout: PATIENCE });
  await expect.poll(() => standing(page).innerText()).toMatch(/^Your turn 1: \d+ tokens? may follow/);
  await page.keyboard.press('h');
  await world(page).locator('.hint').first().waitFor();
  // A mistyped token is taken back.
  await page.keyboard.press('1');
  await button(page, 'Take back').click();
  await expect.poll(() => button(page, 'Take back').getAttribute('aria-disabled')).toBe('true');
  await expect.poll(() => world(page).locator('.hint').first().innerText()).toMatch(/\.\d\d|1/);
  await page.keyboard.press('/');
  await page.keyboard.type('ans');
  await page.keyboard.press('Enter');
  await expect.poll(() => transcript(page).innerText()).toMatch(/You[\s\S]*ANS/);
  await page.keyboard.press('Tab');
  // Whatever may follow: the first of it, until the episode is over.
  await expect
    .poll(
      async () => {
        const first = world(page).getByRole('group', { name: 'Tokens that may follow' }).getByRole('button').first();
        if ((await first.count()) > 0) await first.click();
        return standing(page).innerText();
      },
      { timeout: PATIENCE },
    )
    .toMatch(/^(Episode over|Cut)/);
  await button(page, 'Use as demonstration').click();
  await expect.poll(() => button(page, 'Use as demonstration').getAttribute('aria-pressed')).toBe('true');
  await page.keyboard.press('Escape');
  await expect.poll(() => focused(page)).toMatch(/^Play it yourself/);

  await page.getByRole('checkbox', { name: 'Greedy' }).check();
  await tryOut(page);
  await world(page)
    .getByText(/\d of 4 episodes right, by update \d+/)
    .waitFor();
  expect(await updateNow(page)).toBe(before);
  // A beginning of one’s own, of tokens that there are and that may stand there.
  const begin = world(page).getByRole('textbox', { name: 'Begin with' });
  await begin.fill('ans <b>nobody</b>');
  await world(page).getByRole('alert').getByText('“<b>nobody</b>” is no token of this world.').waitFor();
  expect(await button(page, 'Run').getAttribute('aria-disabled')).toBe('true');
  await begin.fill('ans end');
  await button(page, 'Run').click();
  await world(page).getByRole('alert').getByText('“END” ends the turn: give what comes before it.').waitFor();
  await begin.fill('ans');
  await button(page, 'Run').click();
  await expect
    .poll(() => transcript(page).locator('.token.given').allInnerTexts(), { timeout: PATIENCE })
    .toEqual(['ANS']);
  // The form says what it said, after a game too.
  await page.keyboard.press('p');
  await page.getByRole('heading', { name: 'You play' }).waitFor();
  await page.keyboard.press('Escape');
  expect(await page.getByRole('checkbox', { name: 'Greedy' }).isChecked()).toBe(true);

  await world(page).getByRole('tab', { name: 'Training' }).click();
  expect(await accessibilityFaults(page)).toEqual([]);
});

test('phases are added, changed and undone; the pipeline has a filter and only what fits', async () => {
  const page = await openWorkbench(SCENARIO);
  await openCard(page, 'filter');
  await page.getByRole('heading', { name: 'Filter', exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await openCard(page, 'policy');
  const policies = page.getByRole('combobox', { name: 'Choice' }).getByRole('option');
  expect(await policies.allInnerTexts()).not.toContain('MLP');
  await page.keyboard.press('Escape');

  await page.keyboard.press('0');
  await page.getByRole('heading', { name: 'Phases', exact: true }).waitFor();
  const phases = page.locator('.phase');
  expect(await phases.count()).toBe(2);
  await button(page, 'Add a phase').click();
  await page.getByRole('menuitem', { name: /^Prefer/ }).click();
  expect(await phases.count()).toBe(3);
  // It opens with the focus on it.
  await expect.poll(() => focused(page)).toMatch(/3 Prefer/);
  await phases.nth(2).getByLabel('Another setting').selectOption({ label: 'Learning rate' });
  await phases.nth(2).getByRole('textbox', { name: 'Optimiser: Learning rate' }).waitFor();
  await button(page, 'Phase 3 earlier').click();
  expect(await phases.nth(1).locator('summary').innerText()).toMatch(/2 Prefer/);
  await page.keyboard.press('Escape');
  expect(await page.locator('[data-stage=phases]').innerText()).toMatch(/imitate, prefer, reinforce/);
  for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Control+z');
  await expect.poll(() => page.locator('[data-stage=phases]').innerText()).toMatch(/imitate, reinforce/);
});

async function tryOut(page: Page): Promise<void> {
  await button(page, 'Run').click();
  await expect.poll(() => cards(page).count(), { timeout: PATIENCE }).toBe(4);
}

const claim = (page: Page) => page.locator('.claim-foot .this-run');
const trainButton = (page: Page) => button(page, /^(Train|Train on)$/);

test('a phase that learns from the person says so before training, and goes on once there is something', {
  timeout: 180_000,
}, async () => {
  const page = await openWorkbench('dpo');
  await expect.poll(() => claim(page).innerText()).toMatch(/This run: 20 updates to go\.$/);
  await page.keyboard.press('0');
  await page.locator('.phase summary').first().click();
  await page.getByRole('combobox', { name: 'Pairs from' }).selectOption('your choices in the page');
  await page.locator('.phase').getByRole('alert').getByText('you have made none yet').waitFor();
  await page.locator('.banner').getByText('Phase 1 waits for you.').waitFor({ timeout: PATIENCE });
  expect(await trainButton(page).getAttribute('aria-disabled')).toBe('true');
  expect(await accessibilityFaults(page)).toEqual([]);
  // Other settings than the claim's: no verdict.
  await expect.poll(() => claim(page).innerText()).toMatch(/This run: not measured with these settings\.$/);

  await button(page, 'Write episodes').click();
  await expect.poll(() => cards(page).count(), { timeout: PATIENCE }).toBe(6);
  const demonstration = button(page, 'Use as demonstration');
  await demonstration.click();
  await world(page).getByText('1 demonstration and 0 pairs gathered.').waitFor();
  await demonstration.click();
  await world(page).getByText('0 demonstrations and 0 pairs gathered.').waitFor();
  await world(page).getByRole('combobox', { name: 'Beside' }).selectOption({ index: 1 });
  await button(page, 'Prefer this one').first().click();
  await world(page).getByText('0 demonstrations and 1 pair gathered.').waitFor();
  // The next two are offered at once.
  await button(page, 'Prefer this one').first().click();
  await world(page).getByText('0 demonstrations and 2 pairs gathered.').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await button(page, 'Done').click();
  await oneUpdate(page);
  expect(await page.locator('.banner').count()).toBe(0);

  // What was gathered belongs to the scenario.
  await page.goto(page.url().replace('dpo', 'ppo-clip'));
  await expect.poll(() => updateNow(page), { timeout: PATIENCE }).toBe(0);
  await ready(page);
  await tryOut(page);
  await world(page).getByText('0 demonstrations and 0 pairs gathered.').waitFor({ timeout: PATIENCE });
  expect(await world(page).getByText('The run keeps an episode only for a while').count()).toBe(0);
});

test('what a reset takes back it brings back: transcripts too; the claim counts anew', async () => {
  const page = await openWorkbench('dpo');
  await train(page);
  await expect.poll(() => updateNow(page), { timeout: PATIENCE }).toBeGreaterThan(0);
  await cards(page).first().waitFor({ timeout: PATIENCE });
  // In the middle of an update, so that something is still under way.
  await button(page, 'Reset').click();
  await ready(page);
  expect(await updateNow(page)).toBe(0);
  expect(await figureOf(page, 'pass@1')).toBeNaN();
  expect(await page.getByRole('region', { name: 'Transport' }).innerText()).toContain('0 turns · 0.0 s');
  expect(await claim(page).innerText()).toMatch(/This run: \d+ updates to go\.$/);
  await page
    .getByRole('region', { name: /^Notices/ })
    .getByRole('button', { name: 'Undo' })
    .last()
    .click();
  await paused(page);
  await expect.poll(() => cards(page).count()).toBeGreaterThan(0);
});

test('at 360 px nothing scrolls sideways', async () => {
  const page = await openWorkbench(SCENARIO, { viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' });
  await button(page, 'One update').click();
  await page.getByText('Paused at update 1', { exact: true }).waitFor({ state: 'attached', timeout: PATIENCE });
  for (const tab of ['World', 'Pipeline', 'Curves', 'Lesson', 'Health', 'World']) {
    await page.getByRole('tablist', { name: 'Panels' }).getByRole('tab', { name: tab }).click();
    for (const width of [640, 360]) {
      await page.setViewportSize({ width, height: 740 });
      const over = () =>
        page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      expect(await over(), `${tab} at ${width} px`).toBeLessThanOrEqual(0);
    }
    expect(await accessibilityFaults(page), tab).toEqual([]);
  }
});
