/**
 * Which form of the linear kernels runs on this adapter: measured in a fraction of a second at start,
 * since the best differ between a software adapter and a real GPU. The choice is remembered by adapter
 * and layer shape, and recorded with the run, so that the same seed still gives the same bits.
 */
import type { Kernel } from '../../../kernels/kernel';
import { linearBackwardWeight, linearForward } from '../../../kernels/layer/linear';
import { sum } from '../../../kernels/reduce/sum';
import type { MlpForms, MlpShape } from '../policies/mlp';
import type { Executor } from './executor';

/** Choices by adapter and shape; plain data that the page can store. */
export type TuningMemory = Readonly<Record<string, string>>;

/** Forms by the name under which a choice is remembered. More parts suit a device with more cores. */
const CANDIDATES: Readonly<Record<string, MlpForms>> = {
  plain: { rows: 'plain', few: 'plain', weights: 'plain', parts: 32 },
  'rows-1': wide(false),
  'quads-1': wide(true),
  'rows-8': tall(false),
  'quads-8': tall(true),
};

/** For many cores: much in parallel. */
function wide(quads: boolean): MlpForms {
  const tile = { rows: 1, quads, workgroup: 64 };
  return { rows: tile, few: tile, weights: { ...tile, rows: 4 }, parts: 16 };
}

/** For few cores: much held in registers, and few rows still spread over the cores. */
function tall(quads: boolean): MlpForms {
  const few = { rows: 4, quads, workgroup: 4 };
  return { rows: { ...few, rows: 8 }, few, weights: { ...few, rows: 16 }, parts: 2 };
}

const ROWS = 512;
const ROUNDS = 4;

/** The plain kernels. */
export const PLAIN: MlpForms = { rows: 'plain', few: 'plain', weights: 'plain', parts: 4 };
/** For the CPU executor: one core has nothing to gain from parts. */
const ON_CPU: MlpForms = { ...PLAIN, parts: 1 };

export interface Tuned {
  readonly forms: MlpForms;
  /** The candidate's name, as it is recorded with the run. */
  readonly choice: string;
  readonly memory: TuningMemory;
}

/** Measures, or recalls, the forms for an MLP's widest layer. */
export function tune(executor: Executor, shape: MlpShape, memory: TuningMemory): Promise<Tuned> {
  return tuneLayer(executor, widestLayer(shape), memory);
}

/** The same for a linear layer that a policy spends most of its time in. */
export async function tuneLayer(executor: Executor, layer: Layer, memory: TuningMemory): Promise<Tuned> {
  if (executor.kind === 'cpu') return { forms: ON_CPU, choice: executor.fingerprint, memory };
  const key = `${executor.fingerprint}|${layer.inputs}→${layer.outputs}`;
  // Where quads can share, the same tile without sharing is never the faster one.
  const names = Object.keys(CANDIDATES).filter(
    (name) => name === 'plain' || name.startsWith('quads') === executor.quads,
  );
  const known = Object.hasOwn(memory, key) && names.includes(memory[key]) ? memory[key] : undefined;
  const choice = known ?? (await fastest(executor, names, layer));
  return { forms: CANDIDATES[choice], choice, memory: { ...memory, [key]: choice } };
}

function widestLayer({ observationSize, hidden, outputs }: MlpShape): Layer {
  const widths = [observationSize, ...hidden, outputs];
  const layers = widths.slice(1).map((width, i) => ({ inputs: widths[i], outputs: width }));
  return layers.reduce((a, b) => (a.inputs * a.outputs >= b.inputs * b.outputs ? a : b));
}

interface Layer {
  readonly inputs: number;
  readonly outputs: number;
}

interface Trial {
  readonly kernels: readonly Kernel[];
  run(): void;
  destroy(): void;
}

/** The candidate with the least best time of a few rounds, all candidates in turn each round. */
async function fastest(executor: Executor, names: readonly string[], layer: Layer): Promise<string> {
  const trials = names.map((name) => ({
    name,
    trial: trialOf(executor, layer, CANDIDATES[name]),
    best: Number.POSITIVE_INFINITY,
  }));
  await executor.prepare(trials.flatMap(({ trial }) => trial.kernels));
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

/** What a layer costs in an update: forward, the gradient of its weights in parts, and their sum. */
function trialOf(executor: Executor, { inputs, outputs }: Layer, forms: MlpForms): Trial {
  const { parts } = forms;
  const stride = inputs * outputs + outputs;
  const forward = linearForward({ inputs, outputs }, 'tanh', forms.rows, {
    parameters: stride,
    result: ROWS * outputs,
  });
  const backward = linearBackwardWeight({ inputs, outputs }, forms.weights, false, { partials: parts * stride });
  const parameters = executor.createBuffer('trial parameters', 'f32', stride);
  const input = executor.createBuffer('trial input', 'f32', ROWS * inputs);
  const indices = executor.createBuffer('trial indices', 'u32', 1);
  const output = executor.createBuffer('trial output', 'f32', ROWS * outputs);
  const partials = executor.createBuffer('trial partials', 'f32', parts * stride);
  const place = { rows: ROWS, inputs, outputs, weight: 0, bias: inputs * outputs, input_first: 0, indices_first: 0 };
  return {
    kernels: [forward, backward, sum] as unknown as Kernel[],
    run() {
      executor.run(
        forward,
        { parameters, input, indices, output },
        { ...place, gather: 0, output_first: 0, pre_offset: 0 },
      );
      executor.run(
        backward,
        { gradient: output, input, indices, partials },
        { ...place, gradient_first: 0, parts, part_rows: ROWS / parts, stride },
      );
      executor.run(sum, { input: partials, sums: parameters }, { rows: parts, columns: stride, partials: 1 });
    },
    destroy() {
      for (const buffer of [parameters, input, indices, output, partials]) executor.destroyBuffer(buffer);
    },
  };
}
