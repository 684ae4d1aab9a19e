/** Draws actions from a diagonal Gaussian, or takes its means. */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import { Random } from '../random/threefry';
import threefry from '../random/threefry.wgsl?raw';
import { gaussianExp, gaussianLogProb } from './gaussian';
import shared from './gaussian.wgsl?raw';
import code from './gaussian_sample.wgsl?raw';

/**
 * `means` [rows, size]; `actions` [·, size] and `log_probs` are used from row `first` on; the log-deviations are
 * `parameters` from `log_std_offset` on. Actions are not clipped.
 */
export const gaussianSample = defineKernel({
  name: 'sampling/gaussian_sample',
  wgsl: wgsl(threefry, shared, code),
  bindings: { means: 'read', parameters: 'read', actions: 'write', log_probs: 'write' },
  uniforms: {
    rows: 'u32',
    size: 'u32',
    first: 'u32',
    seed: 'u32',
    stream: 'u32',
    step: 'u32',
    greedy: 'u32',
    log_std_offset: 'u32',
  },
  workgroups: ({ rows }) => ceilDiv(rows, 64),
  reference({ means, parameters, actions, log_probs }, u) {
    for (let i = 0; i < u.rows; i++) {
      const random = new Random(u.seed, u.stream, i, u.step);
      let logProb = 0;
      for (let d = 0; d < u.size; d++) {
        const logStd = parameters[u.log_std_offset + d];
        const z = u.greedy === 0 ? random.normal() : 0;
        actions[(u.first + i) * u.size + d] = means[i * u.size + d] + gaussianExp(logStd) * z;
        logProb += gaussianLogProb(z, logStd);
      }
      log_probs[u.first + i] = logProb;
    }
  },
});
