/**
 * npm run bench -- [--json] [NAME …]
 * Measures this project and its peers in one headless Chromium on the same adapter, all rows or those
 * named, and prints a table, or with --json one object a line: name, ours, peers, ratios, unit, bound,
 * held, detail (and best, note, error where there is one). Exit code 0 when everything was measured (whether a bound is held is a result, not a
 * failure), 1 when a row could not be, 2 for an unknown name.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type { Bench, Measured, Row } from './row';
import { ROWS } from './rows';
import { Browser } from './tab';

export async function main(argv: string[]): Promise<number> {
  const chosen = readArguments(argv);
  if (typeof chosen === 'string') {
    process.stderr.write(
      `${chosen}\nUsage: npm run bench -- [--json] [NAME …]; names: ${ROWS.map(({ name }) => name).join(', ')}\n`,
    );
    return 2;
  }
  const { rows, json } = chosen;
  const browser = await Browser.open();
  try {
    // With --json, stdout carries the objects alone.
    (json ? process.stderr : process.stdout).write(`${await heading(browser)}\n`);
    const bench = { browser, names: rows.map(({ name }) => name) };
    let failed = false;
    for (const row of rows) {
      if (process.stderr.isTTY) process.stderr.write(`measuring ${row.name} …\n`);
      const result = await measure(row, bench);
      failed ||= result.error !== undefined;
      process.stdout.write(`${json ? JSON.stringify(result) : line(result)}\n`);
    }
    return failed ? 1 : 0;
  } finally {
    await browser.close();
  }
}

/** The rows to measure, or what is wrong with the arguments. */
function readArguments(argv: string[]): { rows: readonly Row[]; json: boolean } | string {
  try {
    const { values, positionals } = parseArgs({
      args: argv,
      options: { json: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
    const unknown = positionals.filter((name) => !ROWS.some((row) => row.name === name));
    if (unknown.length > 0) return `No row is named ${unknown.join(', ')}.`;
    return {
      rows: positionals.length > 0 ? ROWS.filter(({ name }) => positionals.includes(name)) : ROWS,
      json: values.json,
    };
  } catch (error) {
    return (error as Error).message;
  }
}

/** What the figures were taken on. */
async function heading(browser: Browser): Promise<string> {
  const { description, isolated, cores } = await browser.inTab((tab) => tab.call('adapter'));
  const load = loadavg()
    .map((value) => value.toFixed(1))
    .join(' ');
  const threads = isolated ? 'cross-origin isolated' : 'not cross-origin isolated: Wasm threads off';
  return `Chromium ${browser.version}, ${description}; ${cpus()[0]?.model ?? 'unknown CPU'}, ${cores} cores, load ${load}; ${threads}.`;
}

interface Result extends Required<Omit<Measured, 'best' | 'note'>>, Pick<Measured, 'best' | 'note'> {
  readonly name: string;
  readonly unit: string;
  readonly bound: string | null;
  readonly held: boolean | null;
  readonly error?: string;
}

/** A row that fails is reported, and the others go on. */
async function measure(row: Row, bench: Bench): Promise<Result> {
  const { name, unit, bound, title } = row;
  const about = { title, load_before: loadavg()[0] };
  try {
    const measured = await row.measure(bench);
    const { ours, peers = {}, ratios = {}, detail, ...rest } = measured;
    return {
      name,
      ours,
      peers,
      ratios,
      unit,
      bound,
      held: row.holds(measured),
      ...rest,
      detail: { ...about, ...detail },
    };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { name, ours: null, peers: {}, ratios: {}, unit, bound, held: null, detail: about, error: message };
  }
}

/** One line of the table. */
function line({ name, ours, best, ratios, unit, bound, held, note, error }: Result): string {
  if (error !== undefined) return `${name.padEnd(24)} failed: ${error.split('\n')[0]}`;
  const figure = `${ours === null ? '—' : short(ours)}${best === undefined ? '' : ` (best ${short(best)})`} ${unit}`;
  const compared = Object.entries(ratios).map(([peer, ratio]) =>
    ratio === null ? `${peer} failed` : `${short(ratio)} × ${peer}`,
  );
  const verdict = held === null ? '' : held ? 'held' : 'NOT held';
  const remarks = [...compared, ...(note === undefined ? [] : [note])].join(', ');
  return [name.padEnd(24), figure.padEnd(44), (bound ?? 'reported').padEnd(31), verdict.padEnd(8), remarks]
    .join(' ')
    .trimEnd();
}

/** Three significant digits, or all before the point. */
function short(value: number): string {
  return Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)));
}
