/** The server that stands for any static host: base path, types, nothing outside its folder. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serve } from './serve.mjs';

const parent = mkdtempSync(join(tmpdir(), 'serve-'));
const folder = join(parent, 'site');
let site: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'index.html'), '<!doctype html>');
  writeFileSync(join(folder, 'assets', 'a.js'), 'export {}');
  writeFileSync(join(parent, 'secret'), 'secret');
  site = await serve({ folder, base: '/x/y/' });
});
afterAll(async () => {
  await site.close();
  rmSync(parent, { recursive: true });
});

/** With node:http, since fetch tidies `..` away before it asks. */
function statusOf(path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(site.url);
  return new Promise((done, fail) => {
    request({ hostname, port, path }, (response) => done(response.resume().statusCode))
      .on('error', fail)
      .end();
  });
}

test('serves under its base path, without isolation headers', async () => {
  const page = await fetch(site.url);
  expect(await page.text()).toBe('<!doctype html>');
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.has('cross-origin-opener-policy')).toBe(false);
  expect((await fetch(`${site.url}assets/a.js?v=1`)).headers.get('content-type')).toBe(
    'text/javascript; charset=utf-8',
  );
  expect((await fetch(site.url.slice(0, -1))).url).toBe(site.url);
});

test.each([
  ['/', 404],
  ['/x/y/nothing', 404],
  ['/x/y/assets', 404],
  ['/x/y/../../secret', 404],
  ['/x/y/..%2f..%2fsecret', 403],
  ['/x/y/%', 400],
])('%s is answered with %i', async (path, status) => expect(await statusOf(path)).toBe(status));

test('a taken port gives way to the next', async () => {
  const taken = Number(new URL(site.url).port);
  const next = await serve({ folder, port: taken });
  expect(Number(new URL(next.url).port)).toBeGreaterThan(taken);
  await next.close();
});
