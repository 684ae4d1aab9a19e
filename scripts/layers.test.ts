/** The layer rule must fail on an import that goes upwards, and name it. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';

let tree: string;

function check(files: Record<string, string>): { status: number | null; stderr: string } {
  tree = mkdtempSync(join(tmpdir(), 'layers-'));
  for (const [path, text] of Object.entries({ 'kernels/kernel.ts': '', 'src/main.tsx': '', ...files })) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  }
  return spawnSync(process.execPath, ['scripts/layers.mjs', tree], { encoding: 'utf8' });
}

afterEach(() => rmSync(tree, { recursive: true, force: true }));

test.each([
  ['kernels/a/a.ts', "import { x } from '../../src/engine/run';", 'kernels may not import engine'],
  ['src/engine/run.ts', "import {\n  x,\n} from '../worker/protocol';", 'engine may not import protocol'],
  ['src/engine/run.ts', "export * from '../stores/run';", 'engine may not import stores'],
  ['src/engine/run.ts', "import { useState } from 'react';", "engine may not know the page's packages"],
  ['src/stores/run.ts', "import '../worker/worker';", 'stores may not import worker'],
  ['src/stores/run.ts', "const page = await import('../pages/gallery');", 'stores may not import pages'],
  ['src/components/a.tsx', "import { E } from '../editors/e';", 'components may not import editors'],
  ['src/formats/s.ts', "import { run } from '../engine/run';", 'formats may import only types of engine'],
  ['src/worker/protocol.ts', "import { x } from './worker';", 'protocol may not import worker'],
  ['src/headless/train.ts', "import { x } from '../../bench/run';", 'headless may not import from outside the layers'],
])('%s: %s', (path, text, reason) => {
  const { status, stderr } = check({ [path]: text });
  expect(stderr).toContain(`${path}:1 imports`);
  expect(stderr).toContain(reason);
  expect(status).toBe(1);
});

test('imports that go down are let through', () => {
  const { status, stderr } = check({
    'kernels/a/a.ts': "import { defineKernel } from '../kernel';\nimport code from './a.wgsl?raw';",
    'kernels/a/a.test.ts': "import { executors } from '../../src/engine/device/testing';",
    'src/engine/run.ts': "import { k } from '../../kernels/a/a';",
    'src/formats/s.ts':
      "import type { Scenario } from '../engine/scenario';\nimport { check } from '../engine/parameters';",
    'src/stores/run.ts': "import { create } from 'zustand';\nimport type { Command } from '../worker/protocol';",
    'src/pages/w.tsx': "import { E } from '../editors/e';\nimport { C } from '../components/c';",
    'src/main.tsx': "import { W } from './pages/w';",
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});
