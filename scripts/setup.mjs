/**
 * Makes a fresh machine ready: dependencies (npm ci) and a browser. Plain Node, no imports from
 * node_modules, since nothing is installed yet when this runs. What is there already is kept.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root folder. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Something a person can put right: printed as one sentence, without a stack. */
export class SetupError extends Error {}

/** Runs `npm ci` unless node_modules already is what package-lock.json asks for. */
export function ensureDependencies() {
  requireNode();
  if (dependenciesCurrent()) return;
  console.log('Installing dependencies with npm ci (800 MB on disk; about half a minute) …');
  const started = Date.now();
  const { status, error } = npm('ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error');
  if (error) throw new SetupError(`npm could not be started: ${error.message}`);
  if (status !== 0)
    throw new SetupError(`npm ci failed (exit ${status}); its reason stands above. Is the npm registry within reach?`);
  console.log(`Dependencies installed in ${seconds(started)}.`);
}

/** The path of an installed Chrome or Chromium, or undefined. CHROME_PATH goes before all others. */
export function findBrowser() {
  const named = process.env.CHROME_PATH;
  if (named) {
    if (existsSync(named)) return named;
    throw new SetupError(`CHROME_PATH is ${named}, and there is no such file.`);
  }
  return [...usualPlaces(), ...playwrightPlace()].find((path) => existsSync(path));
}

/** The path of a browser, installed now if there was none. */
export function ensureBrowser() {
  const found = findBrowser() ?? installFromDebian() ?? installFromPlaywright();
  if (found) return found;
  throw new SetupError(
    'The tests need a browser: install Google Chrome or Chromium, or set CHROME_PATH to one, and run npm test again.',
  );
}

/** Runs `work`; a SetupError becomes one sentence and exit code 1. */
export async function main(work) {
  try {
    process.exitCode = (await work()) ?? 0;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  }
}

/** Time since `started` (Date.now()) in words. */
export function seconds(started) {
  return `${((Date.now() - started) / 1000).toFixed(1)} s`;
}

/** Vite 8 runs on Node ^20.19 and from 22.12 on; an older one fails with a riddle, so say it first. */
function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if ((major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22) return;
  throw new SetupError(
    `Node ${process.versions.node} runs this; it needs Node 20.19 or later in the 20 series, or 22.12 or later.`,
  );
}

/**
 * npm leaves node_modules/.package-lock.json as its last act of an install, so a broken install has
 * none. Every package that the lock file asks for must stand there in the same version; optional
 * ones (binaries for other platforms) may be missing.
 */
function dependenciesCurrent() {
  const asked = readJson('package-lock.json');
  const installed = readJson('node_modules/.package-lock.json');
  if (!asked || !installed) return false;
  return Object.entries(asked.packages).every(([path, wanted]) => {
    if (path === '') return true;
    const there = installed.packages[path];
    if (!there) return wanted.optional === true;
    return there.version === wanted.version && there.integrity === wanted.integrity && existsSync(join(ROOT, path));
  });
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
  } catch {
    return undefined;
  }
}

function npm(...args) {
  const options = { cwd: ROOT, stdio: 'inherit' };
  // Under `npm start` npm says where its own script is; that also saves Windows a shell.
  const script = process.env.npm_execpath;
  if (script?.endsWith('.js')) return spawnSync(process.execPath, [script, ...args], options);
  return spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
}

function usualPlaces() {
  const { env, platform } = process;
  if (platform === 'darwin') {
    const apps = ['/Applications', join(env.HOME ?? '', 'Applications')];
    const names = ['Google Chrome', 'Chromium', 'Microsoft Edge'];
    return apps.flatMap((folder) => names.map((name) => join(folder, `${name}.app`, 'Contents', 'MacOS', name)));
  }
  if (platform === 'win32') {
    const folders = [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA].filter(
      (folder) => folder !== undefined,
    );
    const programs = [
      'Google/Chrome/Application/chrome.exe',
      'Chromium/Application/chrome.exe',
      'Microsoft/Edge/Application/msedge.exe',
    ];
    return folders.flatMap((folder) => programs.map((program) => join(folder, program)));
  }
  const folders = [
    ...(env.PATH ?? '').split(delimiter),
    '/usr/bin',
    '/usr/local/bin',
    '/snap/bin',
    '/opt/google/chrome',
  ];
  const names = ['google-chrome-stable', 'google-chrome', 'chromium', 'chromium-browser', 'chrome'];
  return names.flatMap((name) => folders.filter((folder) => folder !== '').map((folder) => resolve(folder, name)));
}

/** Where Playwright keeps a browser that it downloaded itself. Asked only when it is installed. */
function playwrightPlace() {
  try {
    const { chromium } = createRequire(import.meta.url)('playwright-core');
    return [chromium.executablePath()];
  } catch {
    return [];
  }
}

function installFromDebian() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined;
  if (!/^ID=debian$/m.test(readText('/etc/os-release'))) return undefined;
  console.log("No browser found: installing Debian's chromium with apt-get (about a minute) …");
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args) => spawnSync('apt-get', ['-qq', ...args], { env, encoding: 'utf8' });
  apt('update');
  const { stderr } = apt('install', '-y', '--no-install-recommends', 'chromium');
  const browser = findBrowser();
  if (!browser) console.error(stderr);
  return browser;
}

function installFromPlaywright() {
  console.log('No browser found: downloading Chromium with Playwright (about 170 MB) …');
  const tool = join(ROOT, 'node_modules', 'playwright-core', 'cli.js');
  spawnSync(process.execPath, [tool, 'install', 'chromium'], { stdio: 'inherit' });
  return findBrowser();
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
