// VESPO as TRL's loss_type vespo @ f2cd577: the policy gradient, each sequence weighted with phi(w), w the ratio of
// the whole sequence (a product, not a mean) and phi a gamma density's shape with phi(1) = 1.
//   -phi(w) A log_prob,  log phi = lambda + k log w - lambda w,  k and lambda by the sign of A

const SEQUENCE_LOSS = true;
const LOG_SMALLEST = -18.420681;  // log 1e-8

fn sequence_term(log_ratio: f32, advantage: f32) -> f32 { return clamp(log_ratio, -20.0, 20.0); }

fn surrogate(token: Token) -> Surrogate {
  let positive = token.advantage >= 0.0;
  let k = select(u.k_negative, u.k_positive, positive);
  let lambda = max(select(u.lambda_negative, u.lambda_positive, positive), 1e-4);
  let log_w = clamp(token.term_sum, LOG_SMALLEST, 20.0);
  let slope = -exp(lambda + k * log_w - lambda * exp(log_w)) * token.advantage;
  return Surrogate(slope * token.log_prob, slope, false, false, false);
}
