/**
 * A small static web server for the built site: any base path, no cross-origin-isolation headers,
 * no fallback page, as on GitHub Pages. Plain Node.
 */
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, resolve, sep } from 'node:path';

const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};

/**
 * Serves `folder` under `base` ('/' or '/x/y/') on this machine only.
 * @param {{ folder: string, base?: string, port?: number }} options port: the first to try; a taken
 *   one gives way to the next free one. 0: any.
 * @returns {Promise<{ url: string, close(): Promise<void> }>} url ends in the base path.
 */
export async function serve({ folder, base = '/', port = 0 }) {
  const server = createServer((request, response) => answer(request, response, resolve(folder), base));
  const taken = await listen(server, port);
  return {
    url: `http://127.0.0.1:${taken}${base}`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

async function listen(server, first) {
  for (let port = first; ; port++) {
    try {
      await new Promise((done, fail) => {
        server.once('error', fail);
        server.listen(port, '127.0.0.1', () => {
          server.off('error', fail);
          done();
        });
      });
      return server.address().port;
    } catch (error) {
      const next = error.code === 'EADDRINUSE' || error.code === 'EACCES';
      if (!next || port >= Math.min(first + 100, 65_535)) throw error;
    }
  }
}

function answer(request, response, folder, base) {
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(response, 405, 'only GET');
  let path;
  try {
    path = decodeURIComponent(new URL(request.url, 'http://host').pathname);
  } catch {
    return refuse(response, 400, 'not an address');
  }
  if (`${path}/` === base) return response.writeHead(301, { location: base }).end();
  if (!path.startsWith(base)) return refuse(response, 404, `the site is at ${base}`);
  const relative = path.slice(base.length);
  const file = resolve(folder, relative.endsWith('/') || relative === '' ? `${relative}index.html` : relative);
  if (!file.startsWith(folder + sep)) return refuse(response, 403, 'outside the site');
  const size = sizeOf(file);
  if (size === undefined) return refuse(response, 404, 'not found');
  response.writeHead(200, {
    'content-type': TYPES[extname(file).toLowerCase()] ?? 'application/octet-stream',
    'content-length': size,
    'cache-control': 'no-cache',
  });
  if (request.method === 'HEAD') return response.end();
  return createReadStream(file)
    .on('error', () => response.destroy())
    .pipe(response);
}

function sizeOf(file) {
  try {
    const stat = statSync(file);
    return stat.isFile() ? stat.size : undefined;
  } catch {
    return undefined;
  }
}

function refuse(response, status, reason) {
  return response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${status}: ${reason}\n`);
}
