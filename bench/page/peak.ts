/** The adapter's own multiply-add peak, and what share of it one PPO minibatch reaches, measured in turn. */
import { defineKernel } from '../../kernels/kernel';
import { ours } from '../peers/ours';
import { FLOP_PER_SAMPLE } from '../peers/peer';
import { makeProblem } from '../peers/reference';
import { openGpu } from './adapter';
import code from './peak.wgsl?raw';
import { milliseconds, summarize, type Timing } from './timing';

const INVOCATIONS = 4096;
const WORKGROUP = 64;
/** A turn of the loop: 32 fused multiply-adds of four lanes, two operations each. */
const FLOP_PER_TURN = 32 * 4 * 2;
const BATCHES = [256, 2048] as const;
/** The loop is made long enough for a dispatch of about this. */
const DISPATCH_MS = 100;
/** An update's share is timed over so many, so that submitting weighs as in training. */
const UPDATES = { 256: 32, 2048: 4 } as const;

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

/** GFLOP/s. */
export interface PeakFigures {
  readonly peak: Timing;
  readonly update: Readonly<Record<(typeof BATCHES)[number], Timing>>;
}

export async function multiplyAddPeak(rounds: number): Promise<PeakFigures> {
  const executor = await openGpu();
  const output = executor.createBuffer('output', 'f32', INVOCATIONS);
  const spin = (turns: number) =>
    milliseconds(() => {
      executor.run(kernel, { output }, { turns, scale: 0.5 });
      return executor.finished();
    });
  await spin(1);
  let turns = 64;
  while ((await spin(turns)) < DISPATCH_MS) turns *= 2;

  const learners = await Promise.all(BATCHES.map((batch) => ours.load(makeProblem(batch))));
  for (const learner of learners) await learner.update(1);
  const peak: number[] = [];
  const update: Record<(typeof BATCHES)[number], number[]> = { 256: [], 2048: [] };
  for (let round = 0; round < rounds; round++) {
    peak.push(gigaflops(turns * FLOP_PER_TURN * INVOCATIONS, await spin(turns)));
    for (const [i, batch] of BATCHES.entries()) {
      const count = UPDATES[batch];
      update[batch].push(
        gigaflops(count * batch * FLOP_PER_SAMPLE, await milliseconds(() => learners[i].update(count))),
      );
    }
  }
  for (const learner of learners) learner.dispose();
  executor.destroy();
  return {
    peak: summarize(peak, false),
    update: { 256: summarize(update[256], false), 2048: summarize(update[2048], false) },
  };
}

function gigaflops(operations: number, ms: number): number {
  return operations / ms / 1e6;
}
