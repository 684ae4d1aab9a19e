/** `npm start [-- --port N]`: sets up what is missing, builds the site and serves it. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { serve } from './serve.mjs';
import { ensureDependencies, main, ROOT, SetupError, seconds } from './setup.mjs';

main(async () => {
  const port = wantedPort();
  ensureDependencies();
  console.log('Building …');
  const started = Date.now();
  const vite = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js');
  const { status } = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  if (status !== 0) throw new SetupError('The build failed; its reason stands above.');
  const { url } = await serve({ folder: join(ROOT, 'dist'), port });
  console.log(`Built in ${seconds(started)}.\n\n  Agentic RL Playground: ${url}\n\nCtrl+C stops it.`);
});

/** From --port or PORT; 4173 if neither is given. */
function wantedPort() {
  const args = process.argv.slice(2);
  const given = args.length === 0 ? process.env.PORT || '4173' : /^--port(?:=| |$)(.*)/.exec(args.join(' '))?.[1];
  const port = Number(given);
  if (given && Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new SetupError('Usage: npm start [-- --port N], N from 1 to 65535 (or the variable PORT).');
}
