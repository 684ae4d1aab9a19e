// GMPO, geometric-mean policy optimization (Zhao et al. 2025, arXiv:2507.20673) as verl's
// compute_policy_loss_geo_mean @ 1dda039: one ratio a sequence, the geometric mean of its tokens' ratios, each
// clipped in log space on the side that its advantage would push it to.
//   -mean(A) exp(mean(clipped log r)),  clipped log r = sign(A) min(sign(A) log r, sign(A) clip(log r, -low, high))
// Belongs with weights that are means over each sequence's tokens: then the sum is the mean over sequences.

const SEQUENCE_LOSS = true;

fn sequence_term(log_ratio: f32, advantage: f32) -> f32 {
  let clipped = clamp(log_ratio, -u.clip_low, u.clip_high);
  let side = sign(advantage);
  return side * min(side * log_ratio, side * clipped);
}

fn surrogate(token: Token) -> Surrogate {
  let a = token.advantage;
  let mean = token.term_sum / token.count;
  let bounded = clamp(mean, -20.0, 20.0);
  let loss = -(token.advantage_sum / token.count) * exp(bounded);
  let outside = token.log_ratio < -u.clip_low || token.log_ratio > u.clip_high;
  let stopped = (a > 0.0 && token.log_ratio > u.clip_high) || (a < 0.0 && token.log_ratio < -u.clip_low);
  let slope = select(loss, 0.0, stopped || a == 0.0 || mean != bounded);
  return Surrogate(loss, slope, outside && (a < 0.0), outside && (a > 0.0), false);
}
