/** The categorical distribution in TypeScript: the twin of categorical.wgsl, function by function. */
import type { TypedArray } from '../kernel';

/** A mask that allows every action, however many there are. */
export const ALL_LEGAL = 0xffffffff;
/** Stands for log 0: exp gives 0, and unlike for -∞ 0 times it is 0. */
const LOG_ZERO = -1e30;

export interface Categorical {
  readonly logits: TypedArray;
  /** Its logits are entries first … first + actions - 1. */
  readonly first: number;
  readonly actions: number;
  readonly legal: number;
  /** The highest legal logit. */
  peak: number;
  /** log Σ exp(logit - peak). */
  logTotal: number;
  entropy: number;
}

export function categoricalLegal(policy: Categorical, action: number): boolean {
  return ((policy.legal >>> (action % 32)) & 1) === 1;
}

/** The first legal action with the highest logit; 0 if none is legal. */
export function categoricalMode(policy: Categorical): number {
  let mode = 0;
  let peak = -3.4e38;
  for (let a = 0; a < policy.actions; a++) {
    const logit = policy.logits[policy.first + a];
    if (categoricalLegal(policy, a) && logit > peak) {
      mode = a;
      peak = logit;
    }
  }
  return mode;
}

/** The action's logit less the peak. */
function belowPeak(policy: Categorical, action: number): number {
  return categoricalLegal(policy, action)
    ? Math.max(policy.logits[policy.first + action] - policy.peak, LOG_ZERO)
    : LOG_ZERO;
}

export function categorical(logits: TypedArray, first: number, actions: number, legal: number): Categorical {
  const policy: Categorical = { logits, first, actions, legal, peak: 0, logTotal: 0, entropy: 0 };
  policy.peak = logits[first + categoricalMode(policy)];
  let total = 0;
  let weighted = 0;
  for (let a = 0; a < actions; a++) {
    const d = belowPeak(policy, a);
    const weight = Math.exp(d);
    total += weight;
    weighted += weight * d;
  }
  total = Math.max(total, 1);
  policy.logTotal = Math.log(total);
  policy.entropy = policy.logTotal - weighted / total;
  return policy;
}

export function categoricalLogProb(policy: Categorical, action: number): number {
  return belowPeak(policy, action) - policy.logTotal;
}

/** Inverse of the distribution function over the actions in order, at uniform in [0, 1). */
export function categoricalChoice(policy: Categorical, uniform: number): number {
  const threshold = uniform * Math.exp(policy.logTotal);
  let sum = 0;
  let chosen = 0;
  for (let a = 0; a < policy.actions; a++) {
    const weight = Math.exp(belowPeak(policy, a));
    if (weight === 0) continue;
    sum += weight;
    chosen = a;
    if (sum > threshold) break;
  }
  return chosen;
}

/** d(logProbGradient · log_prob(chosen) + entropyGradient · entropy) / d logit of `action`. */
export function categoricalGradient(
  policy: Categorical,
  action: number,
  chosen: number,
  logProbGradient: number,
  entropyGradient: number,
): number {
  if (!categoricalLegal(policy, action)) return 0;
  const logProb = categoricalLogProb(policy, action);
  const prob = Math.exp(logProb);
  return logProbGradient * (Number(action === chosen) - prob) - entropyGradient * prob * (logProb + policy.entropy);
}
