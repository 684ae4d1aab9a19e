/** The tokens that KL-Cov holds: those whose advantage and log-probability are high together. */
import { defineKernel } from '../kernel';
import code from './covariance_selection.wgsl?raw';

/**
 * `mask`, `weights`, `log_probs`, `advantages` [S, L], `tokens` = S · L → `weights_out` [S, L]: the weights of the `share`
 * of tokens with the largest covariance, at least one; 0 elsewhere.
 */
export const covarianceSelection = defineKernel({
  name: 'loss/covariance_selection',
  wgsl: code,
  bindings: { mask: 'read', weights: 'read', log_probs: 'read', advantages: 'read', weights_out: 'write' },
  uniforms: { tokens: 'u32', share: 'f32' },
  workgroups: () => 1,
  reference({ mask, weights, log_probs, advantages, weights_out }, { tokens, share }) {
    const taught = Array.from({ length: tokens }, (_, at) => at).filter((at) => mask[at] !== 0);
    const mean = (data: ArrayLike<number>) => taught.reduce((sum, at) => sum + data[at], 0) / taught.length;
    const [meanAdvantage, meanLogProb] = [mean(advantages), mean(log_probs)];
    const covariance = (at: number) => (advantages[at] - meanAdvantage) * (log_probs[at] - meanLogProb);
    const taken = Math.max(1, Math.floor(taught.length * share + 1e-4));
    const threshold = taught.map(covariance).sort((a, b) => b - a)[taken - 1];
    weights_out.fill(0, 0, tokens);
    for (const at of taught) if (covariance(at) >= threshold) weights_out[at] = weights[at];
  },
});
