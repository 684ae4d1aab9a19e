/** Log-probability and entropy of a diagonal Gaussian policy, and their gradients. */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import { gaussianEntropy, gaussianGradient, gaussianLogProb, gaussianZ } from './gaussian';
import shared from './gaussian.wgsl?raw';
import backward from './gaussian_backward.wgsl?raw';
import evaluate from './gaussian_evaluate.wgsl?raw';

/** `means`, `actions` [rows, size], log-deviations in `parameters` → `log_probs`, `entropies` [rows]. */
export const gaussianEvaluate = defineKernel({
  name: 'sampling/gaussian_evaluate',
  wgsl: wgsl(shared, evaluate),
  bindings: { means: 'read', parameters: 'read', actions: 'read', log_probs: 'write', entropies: 'write' },
  uniforms: { rows: 'u32', size: 'u32', log_std_offset: 'u32' },
  workgroups: ({ rows }) => ceilDiv(rows, 64),
  reference({ means, parameters, actions, log_probs, entropies }, u) {
    for (let i = 0; i < u.rows; i++) {
      let logProb = 0;
      let entropy = 0;
      for (let d = 0; d < u.size; d++) {
        const k = i * u.size + d;
        const logStd = parameters[u.log_std_offset + d];
        logProb += gaussianLogProb(gaussianZ(actions[k], means[k], logStd), logStd);
        entropy += gaussianEntropy(logStd);
      }
      log_probs[i] = logProb;
      entropies[i] = entropy;
    }
  },
});

/** Gradients of Σ log_prob_gradient · log_prob + entropy_gradient · entropy, both [rows, size]. */
export const gaussianBackward = defineKernel({
  name: 'sampling/gaussian_backward',
  wgsl: wgsl(shared, backward),
  bindings: {
    means: 'read',
    parameters: 'read',
    actions: 'read',
    log_prob_gradient: 'read',
    entropy_gradient: 'read',
    means_gradient: 'write',
    log_std_gradient: 'write',
  },
  uniforms: { rows: 'u32', size: 'u32', log_std_offset: 'u32' },
  workgroups: ({ rows }) => ceilDiv(rows, 64),
  reference({ means, parameters, actions, log_prob_gradient, entropy_gradient, means_gradient, log_std_gradient }, u) {
    for (let i = 0; i < u.rows; i++)
      for (let d = 0; d < u.size; d++) {
        const k = i * u.size + d;
        const logStd = parameters[u.log_std_offset + d];
        const [byMean, byLogStd] = gaussianGradient(gaussianZ(actions[k], means[k], logStd), logStd);
        means_gradient[k] = log_prob_gradient[i] * byMean;
        log_std_gradient[k] = log_prob_gradient[i] * byLogStd + entropy_gradient[i];
      }
  },
});
