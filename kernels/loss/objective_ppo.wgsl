// PPO's clipped surrogate (Schulman et al. 2017), as a loss: max(-A r, -A clip(r, 1 - clip, 1 + clip)) with
// A the advantage and r the ratio of new to old probability; d r / d log_prob = r, or 0 where r was bounded.

struct Objective {
  loss: f32,
  slope: f32,     // d loss / d log_prob
  clipped: bool,  // whether the ratio is outside the clip range
}

fn objective_loss(log_prob: f32, ratio: f32, bounded: bool, advantage: f32) -> Objective {
  let plain = -advantage * ratio;
  let clipped = -advantage * clamp(ratio, 1.0 - u.clip, 1.0 + u.clip);
  return Objective(max(plain, clipped), select(plain, 0.0, clipped > plain || bounded), abs(ratio - 1.0) > u.clip);
}
