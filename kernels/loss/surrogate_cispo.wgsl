// CISPO (MiniMax-M1, Chen et al. 2025): the policy gradient, each token weighted with its clipped ratio. The ratio
// is a constant here, so that no token ever loses its gradient.
//   -clip(r, lowest, highest) A log_prob
// verl clips to [1 - low, 1 + high]; TRL has only the upper bound, and calls it epsilon_high.

const SEQUENCE_LOSS = false;

fn sequence_term(log_ratio: f32, advantage: f32) -> f32 { return log_ratio; }

fn surrogate(token: Token) -> Surrogate {
  let slope = -clamp(token.ratio, u.ratio_low, u.ratio_high) * token.advantage;
  let low = token.ratio < u.ratio_low;
  let high = token.ratio > u.ratio_high;
  return Surrogate(slope * token.log_prob, slope, low, high, false);
}
