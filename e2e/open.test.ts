/** The page opens from a static host, under a sub-path, and says nothing in the console. */
import { expect, test } from 'vitest';
import { openPage } from './browser';

test('the page opens', async () => {
  const page = await openPage();
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(await page.title()).toContain('Agentic RL Playground');
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(false);
});

test('the browser of these tests has WebGPU', async () => {
  const page = await openPage();
  expect(await page.evaluate(async () => (await navigator.gpu.requestAdapter()) !== null)).toBe(true);
});

test('a browser without WebGPU opens the page as well', async () => {
  const page = await openPage({ webgpu: 'absent' });
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(await page.evaluate(() => 'gpu' in navigator)).toBe(false);
});
