// The policy gradient without a ratio (Williams 1992; GPG, Chu et al. 2025): -A log_prob

const SEQUENCE_LOSS = false;

fn sequence_term(log_ratio: f32, advantage: f32) -> f32 { return log_ratio; }

fn surrogate(token: Token) -> Surrogate {
  return Surrogate(-token.advantage * token.log_prob, -token.advantage, false, false, false);
}
