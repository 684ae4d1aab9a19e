/**
 * What advantage normalisation needs, for all minibatches of all epochs at once:
 *
 *     run(minibatchPartials, { advantages, weights, indices, partials }, { batch, minibatch, epochs });
 *     run(minibatchMoments, { partials, moments }, { count: epochs * minibatches, enabled });
 */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import { deviationIsZero, mergeRows, momentsOf, writeMoments } from '../reduce/chan';
import chan from '../reduce/chan.wgsl?raw';
import code from './minibatch_moments.wgsl?raw';
import partialsCode from './minibatch_partials.wgsl?raw';

const PARTIALS = 16;

/** Floats of the scratch buffer between the two; `minibatches` counts those of all epochs. */
export function minibatchPartialsSize(minibatches: number): number {
  return minibatches * PARTIALS * 3;
}

/**
 * advantages and weights [batch] in rollout order and indices [epochs, batch] (each row a permutation) →
 * partials [epochs · minibatches, 16, 3]. The last minibatch of an epoch is smaller where `minibatch`
 * does not divide `batch`. Rows of weight 0, which an estimator left out, do not count.
 */
export const minibatchPartials = defineKernel({
  name: 'advantage/minibatch_partials',
  wgsl: partialsCode,
  bindings: { advantages: 'read', weights: 'read', indices: 'read', partials: 'write' },
  uniforms: { batch: 'u32', minibatch: 'u32', epochs: 'u32' },
  workgroups: ({ batch, minibatch, epochs }) => ceilDiv(epochs * ceilDiv(batch, minibatch) * PARTIALS, 64),
  reference({ advantages, weights, indices, partials }, { batch, minibatch, epochs }) {
    const minibatches = ceilDiv(batch, minibatch);
    for (let i = 0; i < epochs * minibatches * PARTIALS; i++) {
      const number = Math.floor(i / PARTIALS);
      const row = Math.floor(number / minibatches) * batch;
      const begin = (number % minibatches) * minibatch;
      const end = Math.min(begin + minibatch, batch);
      const rows: number[] = [];
      for (let k = begin + (i % PARTIALS); k < end; k += PARTIALS)
        if (weights[indices[row + k]] !== 0) rows.push(indices[row + k]);
      writeMoments(
        partials,
        i,
        momentsOf((k) => advantages[rows[k]], 0, rows.length, 1),
      );
    }
  },
});

/**
 * partials → moments [count, 2]: mean and sample deviation (n - 1) of each minibatch. (0, 1) leaves an
 * advantage as it is: not `enabled`, or a minibatch of one. A deviation of 0 makes it 0: all are equal.
 */
export const minibatchMoments = defineKernel({
  name: 'advantage/minibatch_moments',
  wgsl: wgsl(chan, code),
  bindings: { partials: 'read', moments: 'write' },
  uniforms: { count: 'u32', enabled: 'u32' },
  workgroups: ({ count }) => ceilDiv(count, 64),
  reference({ partials, moments }, { count, enabled }) {
    for (let i = 0; i < count; i++) {
      const { n, mean, m2 } = mergeRows(partials, i * PARTIALS, PARTIALS);
      if (enabled && n > 1) {
        const deviation = Math.sqrt(m2 / (n - 1));
        moments.set([mean, deviationIsZero(deviation, mean) ? 0 : deviation], i * 2);
      } else {
        moments.set([0, 1], i * 2);
      }
    }
  },
});
