/**
 * `node scripts/node.mjs ENTRY.ts [ARGUMENT …]`: runs a TypeScript entry of this project in Node with
 * a GPU. Vite bundles it (so `?raw` and `import.meta.glob` work as in the page), and a child process
 * with the GPU's environment calls its `main(args): Promise<number>`; that number is the exit code.
 * The working folder is the repository's root; a bundle has no `import.meta.dirname` of its source.
 */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gpuEnvironment } from './gpu.mjs';
import { ensureDependencies, main, ROOT, SetupError } from './setup.mjs';

const RUN = `
  const [bundle, ...args] = process.argv.slice(1);
  const { main } = await import(bundle);
  const code = await main(args);
  // Not left to the end of the event loop: a device that is still alive would keep it turning.
  process.stdout.write('', () => process.exit(code));`;

main(async () => {
  const [entry, ...args] = process.argv.slice(2);
  if (!entry) throw new SetupError('Usage: node scripts/node.mjs ENTRY.ts [ARGUMENT …]');
  ensureDependencies();
  // Inside node_modules, so that the bundle finds the packages; its own folder, since runs may overlap.
  const folder = join(ROOT, 'node_modules', '.cache', 'headless', String(process.pid));
  try {
    await bundle(entry, folder);
    return await run(join(folder, 'entry.mjs'), args);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

async function bundle(entry, folder) {
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'warn',
    build: {
      ssr: join(ROOT, entry),
      outDir: folder,
      target: 'node20',
      sourcemap: true,
      copyPublicDir: false,
      rolldownOptions: { output: { entryFileNames: 'entry.mjs' } },
    },
  });
}

function run(file, args) {
  const options = ['--enable-source-maps', '--input-type=module', '--eval', RUN, pathToFileURL(file).href, ...args];
  const child = spawn(process.execPath, options, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...gpuEnvironment() },
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('exit', (code, signal) => done(code ?? 128 + constants.signals[signal]));
  });
}
