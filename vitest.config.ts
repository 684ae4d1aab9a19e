/** Two projects: `unit` (units and kernels, in Node with Dawn) and `e2e` (the built page in a real browser). */
import { defineConfig } from 'vitest/config';
import { gpuEnvironment } from './scripts/gpu.mjs';

// Test processes inherit it; the dynamic loader reads LD_LIBRARY_PATH only when a process starts.
Object.assign(process.env, gpuEnvironment());

export default defineConfig({
  test: {
    // Dawn keeps global state: a process for each worker, and few of them.
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{kernels,src,scripts,bench}/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          globalSetup: ['e2e/site.ts'],
          // The software adapter shares two cores with the page: one file at a time.
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
