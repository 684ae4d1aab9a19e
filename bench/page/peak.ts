/** The adapter's own multiply-add peak, and what share of it an update reaches, measured in turn. */
import { defineKernel } from '../../kernels/kernel';
import type { Executor } from '../../src/engine/device/executor';
import { ours } from '../peers/ours';
import { FLOP_PER_SAMPLE, type Learner } from '../peers/peer';
import { makeProblem } from '../peers/reference';
import { ourTransformer } from '../peers/transformer/ours';
import { makeTransformerProblem, TRANSFORMER_FLOP } from '../peers/transformer/problem';
import { openGpu } from './adapter';
import code from './peak.wgsl?raw';
import { milliseconds, summarize, type Timing } from './timing';

const INVOCATIONS = 4096;
const WORKGROUP = 64;
/** A turn of the loop: 32 fused multiply-adds of four lanes, two operations each. */
const FLOP_PER_TURN = 32 * 4 * 2;
/** The loop is made long enough for a dispatch of about this. */
const DISPATCH_MS = 300;

const kernel = defineKernel({
  name: 'bench/peak',
  wgsl: code,
  bindings: { output: 'write' },
  uniforms: { turns: 'u32', scale: 'f32' },
  workgroups: () => INVOCATIONS / WORKGROUP,
  reference: () => {
    throw new Error('a measurement of the adapter has no reference');
  },
});

/** An update with the operations of its products. */
interface Work {
  readonly learner: Learner<unknown>;
  readonly operations: number;
  /** Updates a round, so that submitting weighs as in training. */
  readonly count: number;
}

export interface PeakFigures<N extends string> {
  /** GFLOP/s. */
  readonly peak: Timing;
  readonly update: Readonly<Record<N, Timing>>;
  /** Of the peak of the same round, so that a busy moment of the machine falls on both. */
  readonly share: Readonly<Record<N, Timing>>;
}

/** PPO minibatches, by their size. */
export async function minibatchPeak(rounds: number): Promise<PeakFigures<'256' | '2048'>> {
  const work = async (batch: number, count: number): Promise<Work> => ({
    learner: await ours.load(makeProblem(batch)),
    operations: batch * FLOP_PER_SAMPLE,
    count,
  });
  return sharesOf({ 256: await work(256, 32), 2048: await work(2048, 4) }, rounds);
}

/** The transformer's update. */
export async function transformerPeak(rounds: number): Promise<PeakFigures<'transformer'>> {
  const learner = await ourTransformer.load(makeTransformerProblem());
  return sharesOf({ transformer: { learner, operations: TRANSFORMER_FLOP, count: 1 } }, rounds);
}

async function sharesOf<N extends string>(works: Readonly<Record<N, Work>>, rounds: number): Promise<PeakFigures<N>> {
  const executor = await openGpu();
  const peakNow = await multiplyAdds(executor);
  const all = Object.entries<Work>(works).map(([name, work]) => ({ name, ...work, samples: [] as number[] }));
  for (const { learner } of all) await learner.update(1);
  const peak: number[] = [];
  for (let round = 0; round < rounds; round++) {
    peak.push(await peakNow());
    for (const { learner, operations, count, samples } of all)
      samples.push(gigaflops(count * operations, await milliseconds(() => learner.update(count))));
  }
  for (const { learner } of all) learner.dispose();
  executor.destroy();
  const each = (of: (sample: number, round: number) => number) =>
    Object.fromEntries(all.map(({ name, samples }) => [name, summarize(samples.map(of), false)])) as Record<N, Timing>;
  return {
    peak: summarize(peak, false),
    update: each((sample) => sample),
    share: each((sample, round) => sample / peak[round]),
  };
}

/** What measures the peak once, in GFLOP/s. */
async function multiplyAdds(executor: Executor): Promise<() => Promise<number>> {
  const output = executor.createBuffer('output', 'f32', INVOCATIONS);
  const spin = (turns: number) =>
    milliseconds(() => {
      executor.run(kernel, { output }, { turns, scale: 0.5 });
      return executor.finished();
    });
  await spin(1);
  let turns = 64;
  while ((await spin(turns)) < DISPATCH_MS) turns *= 2;
  return async () => gigaflops(turns * FLOP_PER_TURN * INVOCATIONS, await spin(turns));
}

function gigaflops(operations: number, ms: number): number {
  return operations / ms / 1e6;
}
