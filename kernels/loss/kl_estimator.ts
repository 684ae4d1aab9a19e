/** Estimates of the KL divergence from single tokens, as kl_estimator.wgsl has them; and the adaptive coefficient. */

/** How the kernels number them: `estimator` and `straight` are uniforms. */
export const KL_ESTIMATORS = {
  k1: { estimator: 0, straight: 0 },
  abs: { estimator: 1, straight: 0 },
  k2: { estimator: 2, straight: 0 },
  k3: { estimator: 3, straight: 0 },
  'k1+': { estimator: 0, straight: 1 },
  'k3+': { estimator: 3, straight: 1 },
} as const;
export type KlEstimatorName = keyof typeof KL_ESTIMATORS;

/** The estimate and its derivative by log_prob. */
export function klEstimate(logProb: number, reference: number, estimator: number, straight: number): [number, number] {
  const d = logProb - reference;
  const [value, slope] = plainEstimate(d, estimator);
  return [value, straight === 1 ? d : slope];
}

function plainEstimate(d: number, estimator: number): [number, number] {
  if (estimator === 0) return [d, 1];
  if (estimator === 1) return [Math.abs(d), Math.sign(d)];
  if (estimator === 2) return [0.5 * d * d, d];
  const bounded = Math.min(20, Math.max(-20, -d));
  const value = Math.exp(bounded) - 1 - bounded;
  return [Math.min(value, 10), bounded === -d && value <= 10 ? 1 - Math.exp(bounded) : 0];
}

/**
 * The next KL coefficient: it grows while the KL is above its target and shrinks below, by at most a fifth of
 * `steps` / `horizon` (Ziegler et al. 2019, §2.2; verl AdaptiveKLController).
 */
export function adaptKlCoefficient(
  coefficient: number,
  kl: number,
  { target, horizon, steps }: { readonly target: number; readonly horizon: number; readonly steps: number },
): number {
  const error = Math.min(0.2, Math.max(-0.2, kl / target - 1));
  return coefficient * (1 + (error * steps) / horizon);
}
