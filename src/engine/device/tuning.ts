/**
 * Which form of the linear kernels runs on this adapter: measured in a fraction of a second at start,
 * since the best differ between a software adapter and a real GPU. The choice is remembered by adapter
 * and layer shape, and recorded with the run, so that the same seed still gives the same bits.
 */
import type { Kernel } from '../../../kernels/kernel';
import { type LinearForm, linearBackwardWeight, linearForward } from '../../../kernels/layer/linear';
import type { MlpForms, MlpShape } from '../policies/mlp';
import type { Executor } from './executor';

/** Choices by adapter and shape; plain data that the page can store. */
export type TuningMemory = Readonly<Record<string, string>>;

/** Forms by the name under which a choice is remembered. */
const ROW_FORMS: Readonly<Record<string, LinearForm>> = {
  plain: 'plain',
  'rows-1': { rows: 1, quads: false },
  'rows-4': { rows: 4, quads: false },
  'quads-1': { rows: 1, quads: true },
  'quads-4': { rows: 4, quads: true },
};
const WEIGHT_FORMS: Readonly<Record<string, LinearForm>> = {
  plain: 'plain',
  tile: { rows: 4, quads: false },
  'tile-quads': { rows: 4, quads: true },
};
const PARTS = [8, 32] as const;
const ROWS = 512;
const ROUNDS = 3;

/** The plain kernels, and what the CPU executor runs. */
export const PLAIN: MlpForms = { rows: 'plain', weights: 'plain', parts: 8 };

export interface Tuned {
  readonly forms: MlpForms;
  /** `quads-4/tile-quads/8`: what was chosen, as it is recorded. */
  readonly choice: string;
  readonly memory: TuningMemory;
}

/** Measures, or recalls, the forms for a policy's widest layer. */
export async function tune(executor: Executor, shape: MlpShape, memory: TuningMemory): Promise<Tuned> {
  if (executor.kind === 'cpu') return { forms: PLAIN, choice: 'plain/plain/8', memory };
  const layer = widestLayer(shape);
  const key = `${executor.fingerprint}|${layer.inputs}→${layer.outputs}`;
  const known = memory[key];
  const forms = known === undefined ? undefined : parseChoice(known, executor.quads);
  if (known !== undefined && forms) return { forms, choice: known, memory };
  const rows = await fastest(executor, Object.keys(ROW_FORMS).filter((name) => usable(ROW_FORMS[name], executor.quads)), (name) => forwardTrial(executor, layer, ROW_FORMS[name]));
  const weights = await fastest(
    executor,
    Object.keys(WEIGHT_FORMS)
      .filter((name) => usable(WEIGHT_FORMS[name], executor.quads))
      .flatMap((name) => PARTS.map((parts) => `${name}/${parts}`)),
    (name) => weightTrial(executor, layer, WEIGHT_FORMS[name.split('/')[0]], Number(name.split('/')[1])),
  );
  const choice = `${rows}/${weights}`;
  return { forms: parseChoice(choice, executor.quads) as MlpForms, choice, memory: { ...memory, [key]: choice } };
}

/** Undefined for a choice that this build or this adapter does not know. */
export function parseChoice(choice: string, quads: boolean): MlpForms | undefined {
  const [rows, weights, parts] = choice.split('/');
  const [rowForm, weightForm] = [ROW_FORMS[rows], WEIGHT_FORMS[weights]];
  if (!rowForm || !weightForm || !usable(rowForm, quads) || !usable(weightForm, quads) || !PARTS.some((n) => n === Number(parts))) return undefined;
  return { rows: rowForm, weights: weightForm, parts: Number(parts) };
}

function usable(form: LinearForm, quads: boolean): boolean {
  // Where quads can share, the same tile without sharing is never the faster one.
  return form === 'plain' || form.quads === quads;
}

function widestLayer({ observationSize, hidden, outputs }: MlpShape): { inputs: number; outputs: number } {
  const widths = [observationSize, ...hidden, outputs];
  const layers = widths.slice(1).map((width, i) => ({ inputs: widths[i], outputs: width }));
  return layers.reduce((a, b) => (a.inputs * a.outputs >= b.inputs * b.outputs ? a : b));
}

interface Trial {
  readonly kernel: Kernel;
  run(): void;
  destroy(): void;
}

/** The candidate with the least best time of a few rounds, all candidates in turn each round. */
async function fastest(executor: Executor, names: readonly string[], make: (name: string) => Trial): Promise<string> {
  const trials = names.map((name) => ({ name, trial: make(name), best: Number.POSITIVE_INFINITY }));
  await executor.prepare(trials.map(({ trial }) => trial.kernel));
  for (const { trial } of trials) trial.run();
  await executor.finished();
  for (let round = 0; round < ROUNDS; round++)
    for (const candidate of trials) {
      const start = performance.now();
      candidate.trial.run();
      await executor.finished();
      candidate.best = Math.min(candidate.best, performance.now() - start);
    }
  for (const { trial } of trials) trial.destroy();
  return trials.reduce((a, b) => (a.best <= b.best ? a : b)).name;
}

function forwardTrial(executor: Executor, { inputs, outputs }: { inputs: number; outputs: number }, form: LinearForm): Trial {
  const kernel = linearForward({ inputs, outputs }, 'tanh', form);
  const buffers = {
    parameters: executor.createBuffer('trial parameters', 'f32', inputs * outputs + outputs),
    input: executor.createBuffer('trial input', 'f32', ROWS * inputs),
    indices: executor.createBuffer('trial indices', 'u32', 1),
    output: executor.createBuffer('trial output', 'f32', ROWS * outputs),
  };
  const uniforms = { rows: ROWS, inputs, outputs, weight: 0, bias: inputs * outputs, input_first: 0, gather: 0, indices_first: 0, output_first: 0, pre_offset: 0 };
  return trialOf(executor, kernel as unknown as Kernel, buffers, uniforms);
}

function weightTrial(executor: Executor, { inputs, outputs }: { inputs: number; outputs: number }, form: LinearForm, parts: number): Trial {
  const kernel = linearBackwardWeight({ inputs, outputs }, form);
  const stride = inputs * outputs + outputs;
  const buffers = {
    gradient: executor.createBuffer('trial gradient', 'f32', ROWS * outputs),
    input: executor.createBuffer('trial input', 'f32', ROWS * inputs),
    indices: executor.createBuffer('trial indices', 'u32', 1),
    partials: executor.createBuffer('trial partials', 'f32', parts * stride),
  };
  const uniforms = { rows: ROWS, inputs, outputs, weight: 0, bias: inputs * outputs, gradient_first: 0, input_first: 0, gather: 0, indices_first: 0, parts, part_rows: ROWS / parts, stride };
  return trialOf(executor, kernel as unknown as Kernel, buffers, uniforms);
}

function trialOf(executor: Executor, kernel: Kernel, buffers: Record<string, ReturnType<Executor['createBuffer']>>, uniforms: Record<string, number>): Trial {
  return {
    kernel,
    run: () => {
      for (let i = 0; i < 4; i++) executor.run(kernel, buffers, uniforms);
    },
    destroy: () => {
      for (const buffer of Object.values(buffers)) executor.destroyBuffer(buffer);
    },
  };
}
