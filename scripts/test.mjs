/**
 * `npm test`: every check of the project, one after the other, on a machine that may have nothing but
 * Node and git. Ends with `N passed, N failed`; each tool counts one, each test counts one.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBrowser, ensureDependencies, main, ROOT, seconds } from './setup.mjs';

const totals = { passed: 0, failed: 0 };

main(() => {
  ensureDependencies();
  console.log(`Browser: ${ensureBrowser()}`);
  tool('types', 'node_modules/typescript/bin/tsc', '-p', '.');
  tool('lint and format', 'node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings');
  tool('layers', 'scripts/layers.mjs');
  tool('unused code', 'node_modules/knip/bin/knip.js', '--no-progress');
  tests('units and kernels', 'unit');
  tests('the page in a browser', 'e2e');
  console.log(`\n${totals.passed} passed, ${totals.failed} failed`);
  return totals.failed === 0 ? 0 : 1;
});

/** A tool that says yes or no, by its script. */
function tool(title, script, ...args) {
  heading(title);
  const started = Date.now();
  const { status } = node(script, ...args);
  count(title, started, status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 });
}

/** A Vitest project. Its tests are counted from its own report, not from what it prints. */
function tests(title, project) {
  heading(title);
  const started = Date.now();
  const folder = mkdtempSync(join(tmpdir(), 'tests-'));
  const report = join(folder, 'report.json');
  const { status } = node(
    'node_modules/vitest/vitest.mjs',
    'run',
    ...['--project', project],
    ...['--reporter', 'default', '--reporter', 'json', '--outputFile.json', report],
  );
  count(title, started, verdicts(report, status));
  rmSync(folder, { recursive: true });
}

/**
 * A skipped test is a failure, since nothing was seen to pass. So is a file that could not be loaded,
 * and a run that broke off although no test failed.
 */
function verdicts(report, status) {
  let files = [];
  try {
    files = JSON.parse(readFileSync(report, 'utf8')).testResults;
  } catch {
    console.error('Vitest left no report.');
  }
  const all = files.flatMap((file) => file.assertionResults.map((test) => test.status));
  const passed = all.filter((verdict) => verdict === 'passed').length;
  const broken = files.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const failed = all.length - passed + broken;
  return { passed, failed: failed === 0 && (status !== 0 || passed === 0) ? 1 : failed };
}

function count(title, started, { passed, failed }) {
  totals.passed += passed;
  totals.failed += failed;
  console.log(`${failed === 0 ? '✓' : '✗'} ${title}: ${passed} passed, ${failed} failed (${seconds(started)})`);
}

function heading(title) {
  console.log(`\n── ${title} ──`);
}

function node(script, ...args) {
  return spawnSync(process.execPath, [join(ROOT, script), ...args], { cwd: ROOT, stdio: 'inherit' });
}
