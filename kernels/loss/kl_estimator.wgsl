// Estimates of KL(policy || reference) from the token that was sampled (Schulman 2020, "Approximating KL
// divergence"), with d = log_prob - reference. verl core_algos.py kl_penalty @ 1dda039.
//   0 k1: d.  1 abs: |d|.  2 k2: d² / 2.  3 k3: exp(-d) - 1 + d, at most 10 and its exponent within ±20
// straight: the value stays, its derivative becomes that of k2, the unbiased one (verl's suffix "+").

struct KlEstimate {
  value: f32,
  slope: f32,  // its derivative by log_prob
}

fn kl_estimate(log_prob: f32, reference: f32, estimator: u32, straight: bool) -> KlEstimate {
  let d = log_prob - reference;
  var kl = KlEstimate(d, 1.0);
  if (estimator == 1u) { kl = KlEstimate(abs(d), sign(d)); }
  if (estimator == 2u) { kl = KlEstimate(0.5 * d * d, d); }
  if (estimator == 3u) {
    let bounded = clamp(-d, -20.0, 20.0);
    let value = exp(bounded) - 1.0 - bounded;
    kl = KlEstimate(min(value, 10.0), select(0.0, 1.0 - exp(bounded), bounded == -d && value <= 10.0));
  }
  return KlEstimate(kl.value, select(kl.slope, d, straight));
}
