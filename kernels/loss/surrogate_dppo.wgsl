// DPPO (arXiv:2602.04879) as verl's compute_policy_loss_dppo_tv and _kl @ 1dda039: the policy gradient with a truncated
// ratio, kept only while the probability p of the token has not moved too far from its old q in the direction that
// its advantage pushes. How far is measured between the two-valued distributions (p, 1 - p) and (q, 1 - q).
//   -min(r, cap) A log_prob where kept
// divergence 0, total variation: kept while p - q <= limit_high (A > 0), p - q >= -limit_low (else)
// divergence 1, KL(q || p): kept while it is within the limit, or p is on the other side of q

const SEQUENCE_LOSS = false;

fn sequence_term(log_ratio: f32, advantage: f32) -> f32 { return log_ratio; }

fn surrogate(token: Token) -> Surrogate {
  let a = token.advantage;
  let p = exp(token.log_prob);
  let q = exp(token.old_log_prob);
  var distance = abs(p - q);
  if (u.divergence == 1u) {
    distance = q * (token.old_log_prob - token.log_prob) + (1.0 - q) * log((1.0 - q + 1e-8) / (1.0 - p + 1e-8));
  }
  let away = select((p < q), (p > q), a > 0.0);
  let lost = away && distance > select(u.limit_low, u.limit_high, a > 0.0);
  let slope = select(-min(token.ratio, u.ratio_cap) * a, 0.0, lost);
  return Surrogate(
    slope * token.log_prob, slope, lost && (a <= 0.0), lost && (a > 0.0), !lost && token.ratio > u.ratio_cap,
  );
}
