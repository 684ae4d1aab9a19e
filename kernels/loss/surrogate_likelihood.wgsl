// Cross-entropy with the tokens that were shown, whatever their advantage: -log_prob

const SEQUENCE_LOSS = false;

fn sequence_term(log_ratio: f32, advantage: f32) -> f32 { return log_ratio; }

fn surrogate(token: Token) -> Surrogate {
  return Surrogate(-token.log_prob, -1.0, false, false, false);
}
