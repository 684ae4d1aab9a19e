/**
 * Opens the built page in a real browser. Whatever the console says as an error or a warning, every
 * uncaught exception and every failed request is collected, and a test fails on it.
 */
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, expect, inject } from 'vitest';
import { withoutGpuEnvironment } from '../scripts/gpu.mjs';
import { ensureBrowser } from '../scripts/setup.mjs';

export interface PageOptions extends BrowserContextOptions {
  /** How this browser answers the wish for WebGPU, in the page and in its workers. */
  readonly webgpu?: 'on' | keyof typeof WITHOUT_WEBGPU;
  /** Where in the page to start, such as `#/workbench/cartpole`. */
  readonly path?: string;
  /** Runs in the page before its own scripts. */
  readonly script?: string;
  /** Console lines that belong to what the test provokes. */
  readonly expected?: readonly RegExp[];
}

const FLAGS = [
  '--enable-unsafe-webgpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];

/** Chromium has no switch for these, so one line goes before every script. */
const WITHOUT_WEBGPU = {
  absent: 'delete (self.Navigator ?? self.WorkerNavigator).prototype.gpu;',
  'no-adapter': 'navigator.gpu.requestAdapter = async () => null;',
  'never-answers': 'navigator.gpu.requestAdapter = () => new Promise(() => {});',
};

let browser: Promise<Browser> | undefined;
const opened: { page: Page; complaints: string[] }[] = [];

/** A fresh page (own storage) that has loaded the site. */
export async function openPage(options: PageOptions = {}): Promise<Page> {
  const { webgpu = 'on', path = '', script = '', expected = [], ...context } = options;
  browser ??= chromium.launch({
    executablePath: ensureBrowser(),
    args: FLAGS,
    env: withoutGpuEnvironment(process.env),
  });
  const page = await (await browser).newPage({ viewport: { width: 1280, height: 800 }, ...context });
  await page.addInitScript(script);
  if (webgpu !== 'on') await putBeforeScripts(page, WITHOUT_WEBGPU[webgpu]);
  const complaints: string[] = [];
  const complain = (text: string) => {
    if (!expected.some((pattern) => pattern.test(text))) complaints.push(text);
  };
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complain(`console ${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complain(`uncaught: ${error.stack ?? error.message}`));
  page.on('requestfailed', (request) => complain(`request failed: ${request.url()} ${request.failure()?.errorText}`));
  page.on('response', (response) => {
    if (response.status() >= 400) complain(`${response.status()}: ${response.url()}`);
  });
  opened.push({ page, complaints });
  await page.goto(inject('site') + path);
  return page;
}

function putBeforeScripts(page: Page, line: string): Promise<unknown> {
  return page.route('**/*.js', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: line + (await response.text()) });
  });
}

/** Every page that a test opened is closed after it, and must have been silent. */
afterEach(async () => {
  const pages = opened.splice(0);
  await Promise.all(pages.map(({ page }) => page.close()));
  expect(pages.flatMap(({ complaints }) => complaints)).toEqual([]);
});

afterAll(async () => {
  await (await browser)?.close();
  browser = undefined;
});

/** What axe-core finds wrong on the page as it stands, one line an element. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'] });
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} (${help}): ${target.join(' ')} · ${failureSummary}`),
    );
  });
}

/** What has the keyboard's focus: its name as labels and text give it, or its tag where it has none. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    const label =
      element instanceof HTMLInputElement || element instanceof HTMLSelectElement ? element.labels?.[0] : null;
    const names = [element?.getAttribute('aria-label'), label?.textContent, element?.textContent, element?.tagName];
    return names.find((name) => name)?.trim() ?? '';
  });
}

/** Presses Tab until an element with this name has the focus; an error if none gets it. */
export async function tabTo(page: Page, name: RegExp, limit = 150): Promise<void> {
  for (let presses = 0; presses < limit; presses++) {
    await page.keyboard.press('Tab');
    if (name.test(await focused(page))) return;
  }
  throw new Error(`Tab reached nothing named ${name} within ${limit} presses`);
}

declare global {
  interface Window {
    axe: typeof axe;
  }
}
