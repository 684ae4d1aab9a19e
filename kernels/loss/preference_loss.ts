/** Losses over pairs of episodes, of which one is preferred: DPO, IPO and hinge. */
import { ceilDiv, defineKernel, type ReferenceBuffers, wgsl } from '../kernel';
import code from './preference_loss.wgsl?raw';
import { addStatistics, STATISTICS_CODE, TOKEN_STATISTICS_SIZE } from './token_statistics';
import { SEQUENCE_WORKGROUP } from './token_weights';

/** How the kernel numbers them. */
export const PREFERENCE_KIND = { logistic: 0, hinge: 1, ipo: 2 } as const;

/**
 * `mask`, `log_probs`, `reference_log_probs` [2 P, L], sequence 2i chosen and 2i + 1 rejected → `log_prob_gradient`
 * [2 P, L] of the mean loss, exactly 0 where the mask is, and the rows of
 * `statistics` (token_statistics.ts); a pair's stand in the chosen sequence's row.
 */
export const preferenceLoss = defineKernel({
  name: 'loss/preference_loss',
  wgsl: wgsl(STATISTICS_CODE, code),
  bindings: {
    mask: 'read',
    log_probs: 'read',
    reference_log_probs: 'read',
    log_prob_gradient: 'write',
    statistics: 'write',
  },
  uniforms: {
    pairs: 'u32',
    length: 'u32',
    kind: 'u32',
    mean: 'u32',
    beta: 'f32',
    weight_right: 'f32',
    weight_wrong: 'f32',
  },
  workgroups: ({ pairs }) => ceilDiv(pairs, SEQUENCE_WORKGROUP),
  reference(buffers, u) {
    const { log_prob_gradient, mask, statistics } = buffers;
    statistics.fill(0, 0, 2 * u.pairs * TOKEN_STATISTICS_SIZE);
    for (let pair = 0; pair < u.pairs; pair++) {
      const sides = [2 * pair, 2 * pair + 1].map((sequence) => sumsOf(buffers, sequence, u.length));
      const [chosen, rejected] = sides;
      const shares = sides.map(({ tokens }) => (u.mean === 1 ? 1 / Math.max(tokens, 1) : 1));
      const delta = chosen.moved * shares[0] - rejected.moved * shares[1];
      const { loss, slope } = pairLoss(delta, u);
      for (const side of [0, 1])
        for (let at = (2 * pair + side) * u.length; at < (2 * pair + side + 1) * u.length; at++)
          log_prob_gradient[at] = mask[at] === 0 ? 0 : ((side === 0 ? slope : -slope) * shares[side]) / u.pairs;
      const rewards = sides.map(({ moved }) => u.beta * moved);
      addStatistics(statistics, 2 * pair, {
        pairs: 1,
        loss: loss / u.pairs,
        preference_loss: loss / u.pairs,
        preference_accuracy: Number(rewards[0] > rewards[1]),
        preference_margin: rewards[0] - rewards[1],
        chosen_log_prob: chosen.logProb,
        rejected_log_prob: rejected.logProb,
        chosen_reward: rewards[0],
        rejected_reward: rewards[1],
      });
    }
  },
});

function sumsOf({ mask, log_probs, reference_log_probs }: ReferenceBuffers, sequence: number, length: number) {
  const sums = { logProb: 0, moved: 0, tokens: 0 };
  for (let at = sequence * length; at < (sequence + 1) * length; at++) {
    if (mask[at] === 0) continue;
    sums.logProb += log_probs[at];
    sums.moved += log_probs[at] - reference_log_probs[at];
    sums.tokens += 1;
  }
  return sums;
}

const softplus = (x: number) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

/** The loss of one pair and its derivative by `delta`, the difference of the log-ratios. */
function pairLoss(
  delta: number,
  u: { kind: number; beta: number; weight_right: number; weight_wrong: number },
): { loss: number; slope: number } {
  const z = u.beta * delta;
  if (u.kind === PREFERENCE_KIND.hinge) return { loss: Math.max(0, 1 - z), slope: z < 1 ? -u.beta : 0 };
  if (u.kind === PREFERENCE_KIND.ipo) {
    const error = delta - 0.5 / u.beta;
    return { loss: error * error, slope: 2 * error };
  }
  return {
    loss: u.weight_right * softplus(-z) + u.weight_wrong * softplus(z),
    slope: u.beta * (u.weight_wrong * sigmoid(z) - u.weight_right * sigmoid(-z)),
  };
}

/** Weights of the logistic loss when labels are wrong with probability `smoothing` (below ½ for `robust`). */
export function labelWeights(
  smoothing: number,
  robust: boolean,
): { readonly weight_right: number; readonly weight_wrong: number } {
  if (!robust) return { weight_right: 1 - smoothing, weight_wrong: smoothing };
  const scale = 1 / (1 - 2 * smoothing);
  return { weight_right: (1 - smoothing) * scale, weight_wrong: -smoothing * scale };
}
