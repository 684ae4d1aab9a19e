// The diagonal Gaussian with a deviation that does not depend on the state, as in CleanRL's
// ppo_continuous_action.py: log-probability and entropy are sums over the dimensions. Included as text;
// the functions are of one dimension. The twin is gaussian.ts.

// The deviation, or (with the sign changed) its inverse. exp is bounded; within the bound it is exact.
fn gaussian_exp(log_std: f32) -> f32 {
  return exp(clamp(log_std, -20.0, 20.0));
}

// How many deviations the action lies above the mean.
fn gaussian_z(action: f32, mean: f32, log_std: f32) -> f32 {
  return (action - mean) * gaussian_exp(-log_std);
}

// log N(z): 0.9189385 = log(2 pi) / 2.
fn gaussian_log_prob(z: f32, log_std: f32) -> f32 {
  return -0.5 * z * z - log_std - 0.9189385332;
}

fn gaussian_entropy(log_std: f32) -> f32 {
  return log_std + 1.4189385332;
}

// d log_prob / d (mean, log_std)
fn gaussian_gradient(z: f32, log_std: f32) -> vec2f {
  return vec2f(z * gaussian_exp(-log_std), z * z - 1.0);
}
