/** The diagonal Gaussian in TypeScript: the twin of gaussian.wgsl, function by function, one dimension at a time. */

const HALF_LOG_TWO_PI = 0.5 * Math.log(2 * Math.PI);

/** The deviation, or (with the sign changed) its inverse. */
export function gaussianExp(logStd: number): number {
  return Math.exp(Math.min(20, Math.max(-20, logStd)));
}

/** How many deviations the action lies above the mean. */
export function gaussianZ(action: number, mean: number, logStd: number): number {
  return (action - mean) * gaussianExp(-logStd);
}

export function gaussianLogProb(z: number, logStd: number): number {
  return -0.5 * z * z - logStd - HALF_LOG_TWO_PI;
}

export function gaussianEntropy(logStd: number): number {
  return logStd + 0.5 + HALF_LOG_TWO_PI;
}

/** d log_prob / d (mean, log_std) */
export function gaussianGradient(z: number, logStd: number): [number, number] {
  return [z * gaussianExp(-logStd), z * z - 1];
}
