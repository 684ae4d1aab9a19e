import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import optim from '../../kernels/golden/torch_optim.json';
import { main } from './golden';

let folder: string;
let lines: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'golden-'));
  lines = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  vi.spyOn(console, 'error').mockImplementation((line: string) => void lines.push(line));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

const put = (name: string, content: unknown) =>
  writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));

describe('npm run golden', () => {
  it('passes good vectors, and says which files no kernel covers', async () => {
    await put('optim.json', optim);
    await put('other.json', { ...optim, name: 'a_function_without_a_kernel' });
    expect(await main([folder])).toBe(0);
    expect(lines[0]).toBe(`passed       optim.json: ${optim.cases.length} cases on cpu and cpu simd and webgpu`);
    expect(lines[1]).toBe('not covered  other.json');
  });

  it('names the first difference', async () => {
    const [first] = optim.cases;
    await put('optim.json', { ...optim, cases: [{ ...first, inputs: { ...first.inputs, lr: 0.5 } }] });
    expect(await main([folder])).toBe(1);
    expect(lines[0]).toMatch(/^failed +optim\.json: cpu: case "adam defaults, 5 steps": params\[0\] is .*, expected /);
  });

  it('fails on a file that is not JSON, not vectors, or has nothing in it, and goes on', async () => {
    await put('a.json', '{"name": ');
    await put('b.json', [1]);
    await put('c.json', { name: 'torch_optim' });
    await put('d.json', optim);
    expect(await main([folder])).toBe(1);
    expect(lines.map((line) => line.slice(0, 6))).toEqual(['failed', 'failed', 'failed', 'passed']);
  });

  it('refuses a folder that is not there, an empty one, and what it does not understand', async () => {
    expect(await main([join(folder, 'nowhere')])).toBe(2);
    expect(await main([folder])).toBe(2);
    expect(await main([folder, folder])).toBe(2);
    expect(await main(['--help'])).toBe(2);
  });
});
