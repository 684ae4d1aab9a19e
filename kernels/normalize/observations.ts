/**
 * Running normalisation of observations. While training, each block of observations is taken in:
 *
 *     run(momentsPartials, { input: observations, partials }, { rows, columns: dimensions, partials: PARTIALS });
 *     run(observationMoments, { partials, running }, { dimensions, partials: PARTIALS });
 *
 * and `normalizeObservations` applies what is known. Evaluation only applies: its episodes never
 * change the statistics, which travel with the policy.
 */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import { mergeMoments, mergeRows } from '../reduce/chan';
import chan from '../reduce/chan.wgsl?raw';
import normalizeCode from './normalize_observations.wgsl?raw';
import momentsCode from './observation_moments.wgsl?raw';

const EPSILON = 1e-8;
/** What the first block is weighed against: next to nothing (Gymnasium's RunningMeanStd). */
const FIRST_COUNT = 1e-4;

/** Statistics before anything was seen: means 0, variances 1, and their count. */
export function initialRunning(dimensions: number): Float32Array {
  const running = new Float32Array(2 * dimensions + 1).fill(1, dimensions, 2 * dimensions);
  running[2 * dimensions] = FIRST_COUNT;
  return running;
}

/** partials [partials, dimensions, 3] (reduce/moments.ts) into running [2·dimensions + 1]. */
export const observationMoments = defineKernel({
  name: 'normalize/observation_moments',
  wgsl: wgsl(chan, momentsCode),
  bindings: { partials: 'read', running: 'write' },
  uniforms: { dimensions: 'u32', partials: 'u32' },
  workgroups: () => 1,
  reference(buffers, { dimensions, partials }) {
    const { running } = buffers;
    const count = running[2 * dimensions];
    for (let c = 0; c < dimensions; c++) {
      const before = { n: count, mean: running[c], m2: running[dimensions + c] * count };
      const { n, mean, m2 } = mergeMoments(before, mergeRows(buffers.partials, c, partials, dimensions));
      running[c] = mean;
      running[dimensions + c] = m2 / n;
      running[2 * dimensions] = n;
    }
  },
});

/** Rows first … first + rows - 1 of observations [·, dimensions] → the same rows of `normalized`. */
export const normalizeObservations = defineKernel({
  name: 'normalize/normalize_observations',
  wgsl: normalizeCode,
  bindings: { observations: 'read', running: 'read', normalized: 'write' },
  uniforms: { first: 'u32', rows: 'u32', dimensions: 'u32', clip: 'f32' },
  workgroups: ({ rows, dimensions }) => ceilDiv(rows * dimensions, 64),
  reference({ observations, running, normalized }, { first, rows, dimensions, clip }) {
    for (let k = 0; k < rows * dimensions; k++) {
      const i = first * dimensions + k;
      const c = k % dimensions;
      const x = (observations[i] - running[c]) / Math.sqrt(running[dimensions + c] + EPSILON);
      normalized[i] = Math.min(Math.max(x, -clip), clip);
    }
  },
});
