/**
 * The browser in which everything is measured: builds the benchmark's page and the site as for
 * production, serves both without special headers (so without threads, as the playground runs), and
 * opens tabs of one headless Chromium.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CDPSession, chromium, type Page, type Browser as PlaywrightBrowser } from 'playwright-core';
import { build } from 'vite';
import { withoutGpuEnvironment } from '../scripts/gpu.mjs';
import { serve } from '../scripts/serve.mjs';
import { ensureBrowser } from '../scripts/setup.mjs';
import type { Workloads } from './page/page';

const FLAGS = [
  '--enable-unsafe-webgpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
  // A tab that is measured must not be slowed down for being in the background.
  '--disable-background-timer-throttling',
  '--disable-renderer-backgrounding',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];

type Arguments<K extends keyof Workloads> = Parameters<Workloads[K]>;
type Answer<K extends keyof Workloads> = Awaited<ReturnType<Workloads[K]>>;

export class Browser {
  private constructor(
    private readonly chromium: PlaywrightBrowser,
    private readonly folder: string,
    private readonly servers: readonly { url: string; close(): Promise<void> }[],
  ) {}

  static async open(): Promise<Browser> {
    const folder = mkdtempSync(join(tmpdir(), 'bench-'));
    const root = process.cwd();
    const output = (name: string) => ({ outDir: join(folder, name), emptyOutDir: true });
    await build({ root, mode: 'production', logLevel: 'warn', build: output('site') });
    await build({
      configFile: false,
      root: join(root, 'bench', 'page'),
      base: './',
      logLevel: 'error',
      worker: { format: 'es' },
      build: { ...output('page'), target: 'es2022', chunkSizeWarningLimit: 1e5 },
    });
    const servers = await Promise.all(['page', 'site'].map((name) => serve({ folder: join(folder, name) })));
    const launched = await chromium.launch({
      executablePath: ensureBrowser(),
      args: FLAGS,
      env: withoutGpuEnvironment(process.env),
    });
    return new Browser(launched, folder, servers);
  }

  get version(): string {
    return this.chromium.version();
  }

  /** Address of the built site. */
  get site(): string {
    return this.servers[1].url;
  }

  /** A fresh page with its own storage. */
  page(): Promise<Page> {
    return this.chromium.newPage();
  }

  /** Opens the benchmark's page in a tab of its own, and closes it after `work`. */
  async inTab<T>(work: (tab: Tab) => Promise<T>): Promise<T> {
    const page = await this.page();
    try {
      await page.goto(this.servers[0].url);
      return await work(new Tab(page, await page.context().newCDPSession(page)));
    } finally {
      await page.close();
    }
  }

  async close(): Promise<void> {
    await this.chromium.close();
    await Promise.all(this.servers.map((server) => server.close()));
    rmSync(this.folder, { recursive: true });
  }
}

export class Tab {
  constructor(
    private readonly page: Page,
    private readonly devtools: CDPSession,
  ) {}

  /** Runs a workload of bench/page/page.ts in the tab. */
  call<K extends keyof Workloads>(name: K, ...args: Arguments<K>): Promise<Answer<K>> {
    return this.page.evaluate(
      ([name, args]) =>
        (globalThis as unknown as { workloads: Record<string, (...args: unknown[]) => unknown> }).workloads[name](
          ...args,
        ),
      [name, args] as [string, unknown[]],
    ) as Promise<Answer<K>>;
  }

  /** Bytes in use on the JavaScript heap after collecting garbage. */
  async heapBytes(): Promise<number> {
    await this.devtools.send('HeapProfiler.collectGarbage');
    return (await this.devtools.send('Runtime.getHeapUsage')).usedSize;
  }
}
