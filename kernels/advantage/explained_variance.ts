/**
 * Explained variance of the critic, CleanRL's losses/explained_variance:
 *
 *     run(explainedVariancePartials, { predictions, targets, partials }, { count });
 *     run(explainedVariance, { partials, output }, {});
 */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import { deviationIsZero, mergeRows, momentsOf, writeMoments } from '../reduce/chan';
import chan from '../reduce/chan.wgsl?raw';
import { PARTIALS } from '../reduce/sum';
import code from './explained_variance.wgsl?raw';
import partialsCode from './explained_variance_partials.wgsl?raw';

/** Floats of the scratch buffer between the two. */
export const EXPLAINED_VARIANCE_PARTIALS_SIZE = PARTIALS * 2 * 3;

/** predictions (values), targets (returns) [count] → partials [256, 2, 3]. */
export const explainedVariancePartials = defineKernel({
  name: 'advantage/explained_variance_partials',
  wgsl: partialsCode,
  bindings: { predictions: 'read', targets: 'read', partials: 'write' },
  uniforms: { count: 'u32' },
  workgroups: () => ceilDiv(PARTIALS, 64),
  reference({ predictions, targets, partials }, { count }) {
    for (let p = 0; p < PARTIALS; p++) {
      writeMoments(
        partials,
        p * 2,
        momentsOf((i) => targets[i], p, count, PARTIALS),
      );
      writeMoments(
        partials,
        p * 2 + 1,
        momentsOf((i) => targets[i] - predictions[i], p, count, PARTIALS),
      );
    }
  },
});

/**
 * partials → output [1]: 1 - Var(targets - predictions) / Var(targets), at most 1. NaN, as in the
 * references, where the targets are all equal: a chart shows a gap there.
 */
export const explainedVariance = defineKernel({
  name: 'advantage/explained_variance',
  wgsl: wgsl(chan, code),
  bindings: { partials: 'read', output: 'write' },
  uniforms: {},
  workgroups: () => 1,
  reference({ partials, output }) {
    const targets = mergeRows(partials, 0, PARTIALS, 2);
    const residuals = mergeRows(partials, 1, PARTIALS, 2);
    const constant = deviationIsZero(Math.sqrt(targets.m2 / Math.max(targets.n, 1)), targets.mean);
    output[0] = constant ? Number.NaN : 1 - residuals.m2 / targets.m2;
  },
});
