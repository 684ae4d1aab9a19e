// SAPO, Soft Adaptive Policy Optimization (Gao et al. 2025, arXiv:2511.20347): a gate that closes smoothly as
// the ratio leaves 1, instead of a clip.
//   -A sigmoid(tau (r - 1)) 4 / tau,  tau by the sign of A

const SEQUENCE_LOSS = false;

fn sequence_term(log_ratio: f32, advantage: f32) -> f32 { return log_ratio; }

fn surrogate(token: Token) -> Surrogate {
  let a = token.advantage;
  let tau = select(u.tau_negative, u.tau_positive, a > 0.0);
  let gate = 1.0 / (1.0 + exp(-tau * (token.ratio - 1.0)));
  let slope = -a * 4.0 * gate * (1.0 - gate) * token.ratio * token.moves;
  return Surrogate(-a * gate * 4.0 / tau, slope, false, false, false);
}
