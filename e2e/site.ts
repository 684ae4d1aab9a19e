/**
 * Vitest's global set-up for the browser tests: builds the page as for production and serves it
 * under a sub-path without special headers, as a static host would.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import type { TestProject } from 'vitest/node';
import { serve } from '../scripts/serve.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the served page, ending in its base path. */
    site: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'site-'));
  await build({ mode: 'production', logLevel: 'warn', build: { outDir: folder, emptyOutDir: true } });
  const site = await serve({ folder, base: '/x/y/' });
  project.provide('site', site.url);
  return async () => {
    await site.close();
    rmSync(folder, { recursive: true });
  };
}
