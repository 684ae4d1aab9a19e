/** The surrogates of token_surrogate.ts, each in WGSL and here. */
import type { ScalarType, UniformValues } from '../kernel';
import cispoCode from './surrogate_cispo.wgsl?raw';
import clipCode from './surrogate_clip.wgsl?raw';
import dppoCode from './surrogate_dppo.wgsl?raw';
import gmpoCode from './surrogate_gmpo.wgsl?raw';
import noneCode from './surrogate_none.wgsl?raw';
import sapoCode from './surrogate_sapo.wgsl?raw';
import vespoCode from './surrogate_vespo.wgsl?raw';

export type SurrogateName = 'clip' | 'cispo' | 'sapo' | 'gmpo' | 'vespo' | 'dppo' | 'none';

/** A token as its surrogate sees it; token_surrogate.wgsl explains each. */
export interface Token {
  readonly logProb: number;
  readonly oldLogProb: number;
  readonly logRatio: number;
  readonly ratio: number;
  readonly moves: number;
  readonly advantage: number;
  readonly count: number;
  readonly termSum: number;
  readonly advantageSum: number;
}

interface SurrogateLoss {
  readonly loss: number;
  /** d loss / d log_prob */
  readonly slope: number;
  readonly low?: boolean;
  readonly high?: boolean;
  readonly dual?: boolean;
}

export interface SurrogateCode {
  readonly wgsl: string;
  readonly uniforms: Readonly<Record<string, ScalarType>>;
  /** It is a loss of whole sequences, and reports its log-ratios unbounded. */
  readonly ofSequences?: true;
  /** What is summed over a sequence's tokens; the log-ratio by default. */
  term?(logRatio: number, advantage: number, u: UniformValues): number;
  loss(token: Token, u: UniformValues): SurrogateLoss;
}

const clamp = (x: number, low: number, high: number) => Math.min(high, Math.max(low, x));

export const SURROGATES: Readonly<Record<SurrogateName, SurrogateCode>> = {
  clip: {
    wgsl: clipCode,
    uniforms: { clip_low: 'f32', clip_high: 'f32', dual_clip: 'f32' },
    loss({ ratio, moves, advantage: a }, { clip_low, clip_high, dual_clip }) {
      const plain = -a * ratio;
      const clipped = -a * clamp(ratio, 1 - clip_low, 1 + clip_high);
      const isClipped = clipped > plain;
      const [low, high] = [isClipped && a < 0, isClipped && a > 0];
      const loss = Math.max(plain, clipped);
      if (dual_clip > 0 && a < 0 && loss > -a * dual_clip)
        return { loss: -a * dual_clip, slope: 0, low, high, dual: true };
      return { loss, slope: isClipped ? 0 : plain * moves, low, high };
    },
  },
  cispo: {
    wgsl: cispoCode,
    uniforms: { ratio_low: 'f32', ratio_high: 'f32' },
    loss({ logProb, ratio, advantage }, { ratio_low, ratio_high }) {
      const slope = -clamp(ratio, ratio_low, ratio_high) * advantage;
      return { loss: slope * logProb, slope, low: ratio < ratio_low, high: ratio > ratio_high };
    },
  },
  sapo: {
    wgsl: sapoCode,
    uniforms: { tau_positive: 'f32', tau_negative: 'f32' },
    loss({ ratio, moves, advantage: a }, { tau_positive, tau_negative }) {
      const tau = a > 0 ? tau_positive : tau_negative;
      const gate = 1 / (1 + Math.exp(-tau * (ratio - 1)));
      return { loss: (-a * gate * 4) / tau, slope: -a * 4 * gate * (1 - gate) * ratio * moves };
    },
  },
  gmpo: {
    wgsl: gmpoCode,
    uniforms: { clip_low: 'f32', clip_high: 'f32' },
    ofSequences: true,
    term(logRatio, advantage, { clip_low, clip_high }) {
      const side = Math.sign(advantage);
      return side * Math.min(side * logRatio, side * clamp(logRatio, -clip_low, clip_high));
    },
    loss({ logRatio, advantage: a, count, termSum, advantageSum }, { clip_low, clip_high }) {
      const mean = termSum / count;
      const bounded = clamp(mean, -20, 20);
      const loss = -(advantageSum / count) * Math.exp(bounded);
      const [below, above] = [logRatio < -clip_low, logRatio > clip_high];
      const stopped = (a > 0 && above) || (a < 0 && below) || a === 0 || mean !== bounded;
      return { loss, slope: stopped ? 0 : loss, low: (below || above) && a < 0, high: (below || above) && a > 0 };
    },
  },
  vespo: {
    wgsl: vespoCode,
    uniforms: { k_positive: 'f32', lambda_positive: 'f32', k_negative: 'f32', lambda_negative: 'f32' },
    ofSequences: true,
    term: (logRatio) => clamp(logRatio, -20, 20),
    loss({ logProb, advantage, termSum }, u) {
      const [k, lambda] = advantage >= 0 ? [u.k_positive, u.lambda_positive] : [u.k_negative, u.lambda_negative];
      const rate = Math.max(lambda, 1e-4);
      const logW = clamp(termSum, Math.log(1e-8), 20);
      const slope = -Math.exp(rate + k * logW - rate * Math.exp(logW)) * advantage;
      return { loss: slope * logProb, slope };
    },
  },
  dppo: {
    wgsl: dppoCode,
    uniforms: { limit_low: 'f32', limit_high: 'f32', ratio_cap: 'f32', divergence: 'u32' },
    loss({ logProb, oldLogProb, ratio, advantage: a }, { limit_low, limit_high, ratio_cap, divergence }) {
      const [p, q] = [Math.exp(logProb), Math.exp(oldLogProb)];
      const distance =
        divergence === 1
          ? q * (oldLogProb - logProb) + (1 - q) * Math.log((1 - q + 1e-8) / (1 - p + 1e-8))
          : Math.abs(p - q);
      const away = a > 0 ? p > q : p < q;
      const lost = away && distance > (a > 0 ? limit_high : limit_low);
      const slope = lost ? 0 : -Math.min(ratio, ratio_cap) * a;
      return {
        loss: slope * logProb,
        slope,
        low: lost && a <= 0,
        high: lost && a > 0,
        dual: !lost && ratio > ratio_cap,
      };
    },
  },
  none: {
    wgsl: noneCode,
    uniforms: {},
    loss: ({ logProb, advantage }) => ({ loss: -advantage * logProb, slope: -advantage }),
  },
};
