// The policy gradient (Williams 1992) as a loss: -A log_prob, with A the return or the advantage.

struct Objective {
  loss: f32,
  slope: f32,     // d loss / d log_prob
  clipped: bool,  // nothing is clipped here
}

fn objective_loss(log_prob: f32, ratio: f32, bounded: bool, advantage: f32) -> Objective {
  return Objective(-advantage * log_prob, -advantage, false);
}
