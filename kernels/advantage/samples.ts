/** The permuted batch of all epochs, gathered in one dispatch: four floats a row. */
import { ceilDiv, defineKernel } from '../kernel';
import code from './samples.wgsl?raw';

/** Columns of a row of `samples`. */
export const SAMPLE = { logProb: 0, advantage: 1, return: 2, value: 3 } as const;
export const SAMPLE_SIZE = 4;

/**
 * advantages, weights, returns, values, log_probs [batch] (rollout order), indices [epochs, batch], moments
 * [epochs · minibatches, 2] (minibatch_moments.ts) → samples [epochs · batch, 4]: log-probability and
 * value when acting, normalised advantage (0 for a row of weight 0), return.
 */
export const samples = defineKernel({
  name: 'advantage/samples',
  wgsl: code,
  bindings: {
    advantages: 'read',
    weights: 'read',
    returns: 'read',
    values: 'read',
    log_probs: 'read',
    indices: 'read',
    moments: 'read',
    samples: 'write',
  },
  uniforms: { batch: 'u32', minibatch: 'u32', epochs: 'u32' },
  workgroups: ({ batch, epochs }) => ceilDiv(epochs * batch, 64),
  reference(buffers, { batch, minibatch, epochs }) {
    const { advantages, weights, returns, values, log_probs, indices, moments } = buffers;
    const minibatches = ceilDiv(batch, minibatch);
    for (let i = 0; i < epochs * batch; i++) {
      const m = Math.floor(i / batch) * minibatches + Math.floor((i % batch) / minibatch);
      const [mean, deviation] = [moments[m * 2], moments[m * 2 + 1]];
      const row = indices[i];
      const advantage = deviation === 0 || weights[row] === 0 ? 0 : (advantages[row] - mean) / (deviation + 1e-8);
      buffers.samples.set([log_probs[row], advantage, returns[row], values[row]], i * SAMPLE_SIZE);
    }
  },
});
