/**
 * `npm run golden -- [FOLDER]`: runs every file of golden vectors in a folder through the kernels, on
 * the CPU (references alone, and with SIMD) and on the WebGPU executor, and prints a line a file: passed, failed with the first
 * difference, or not covered. Without FOLDER the project's own copies, kernels/golden.
 * Exit code 0: nothing failed. 1: something failed. 2: wrong use.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { everyCase, type GoldenCheck } from '../../kernels/golden/adapter';
import { GOLDEN_CHECKS } from '../../kernels/golden/adapters';
import { decodeGolden, type GoldenFile } from '../../kernels/golden/read';
import { createCpuExecutor } from '../engine/device/cpu';
import type { Executor } from '../engine/device/executor';
import { createWebGpuExecutor } from '../engine/device/webgpu';
import { ppoMlp } from '../engine/policies/golden';
import { grpoTransformer } from '../engine/policies/transformer_golden';
import { dapoExtras, simpletirVoidTurn } from '../engine/stages/filters/golden';
import { nodeGpu } from './node';

const TRANSFORMER_CHECK = everyCase(grpoTransformer('plain'), grpoTransformer('tuned'));

/** The kernels' checks, and those that need the engine. */
const CHECKS: ReadonlyMap<string, GoldenCheck> = new Map([
  ...GOLDEN_CHECKS,
  ['dapo_extras', everyCase(dapoExtras)],
  ['e2e_ppo_mlp', everyCase(ppoMlp('plain'), ppoMlp('tuned'))],
  ['e2e_drgrpo_transformer', TRANSFORMER_CHECK],
  ['e2e_grpo_transformer', TRANSFORMER_CHECK],
  ['simpletir_void_turn', everyCase(simpletirVoidTurn)],
]);

const USAGE = 'Usage: npm run golden -- [FOLDER]';

export async function main(argv: string[]): Promise<number> {
  if (argv.length > 1 || argv[0]?.startsWith('-')) return wrongUse(`Not understood: ${argv.join(' ')}`);
  // npm starts scripts in the project's folder; INIT_CWD is where the person typed the command.
  const folder = argv[0] === undefined ? resolve('kernels/golden') : resolve(process.env.INIT_CWD ?? '.', argv[0]);
  let names: string[];
  try {
    names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  } catch (error) {
    return wrongUse(`Cannot read the folder ${folder}: ${messageOf(error)}`);
  }
  if (names.length === 0) return wrongUse(`No files of vectors (*.json) in ${folder}`);

  const adapter = await nodeGpu().requestAdapter();
  if (!adapter) throw new Error('No WebGPU adapter, so only half of the check could run.');
  const executors = [
    createCpuExecutor('golden vectors', 'references'),
    createCpuExecutor('golden vectors'),
    await createWebGpuExecutor(adapter),
  ];
  let failures = 0;
  for (const name of names) {
    const { state, detail } = await checkFile(join(folder, name), executors);
    console.log(`${state.padEnd(11)}  ${name}${detail === '' ? '' : `: ${detail}`}`);
    if (state === 'failed') failures += 1;
  }
  for (const executor of executors) executor.destroy();
  return failures === 0 ? 0 : 1;
}

interface Line {
  readonly state: 'passed' | 'failed' | 'not covered';
  readonly detail: string;
}

/** One file on every executor. Whatever is wrong with the file or the kernels makes a failed line. */
export async function checkFile(path: string, executors: readonly Executor[]): Promise<Line> {
  try {
    const file = decodeGolden(JSON.parse(await readFile(path, 'utf8')));
    const check = CHECKS.get(file.name);
    return check === undefined ? { state: 'not covered', detail: '' } : await checkOn(executors, file, check);
  } catch (error) {
    return { state: 'failed', detail: messageOf(error) };
  }
}

async function checkOn(executors: readonly Executor[], file: GoldenFile, check: GoldenCheck): Promise<Line> {
  const names = executors.map(nameOf).join(' and ');
  let line: Line = { state: 'not covered', detail: '' };
  for (const executor of executors) {
    const { passed, notCovered, problem } = await check(file, executor);
    if (problem !== undefined) return { state: 'failed', detail: `${nameOf(executor)}: ${problem}` };
    const rest = notCovered === 0 ? '' : `; ${notCovered} not covered`;
    if (passed > 0)
      line = { state: 'passed', detail: `${passed} ${passed === 1 ? 'case' : 'cases'} on ${names}${rest}` };
  }
  return line;
}

/** The CPU executor counts twice: with the references alone, and with the forms in SIMD. */
function nameOf({ kind, fingerprint }: Executor): string {
  return kind === 'cpu' ? fingerprint : kind;
}

function wrongUse(message: string): number {
  console.error(`${message}\n${USAGE}`);
  return 2;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
