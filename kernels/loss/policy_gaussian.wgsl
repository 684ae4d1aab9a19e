// The Gaussian policy in policy_loss.wgsl: outputs are means, an action is one number a dimension, and the
// log-deviations are parameters of their own.

@group(0) @binding(5) var<storage, read> parameters: array<f32>;

struct Policy {
  log_prob: f32,
  entropy: f32,
}

fn policy_evaluate(i: u32, row: u32) -> Policy {
  var policy = Policy(0.0, 0.0);
  for (var d = 0u; d < u.actions; d++) {
    let log_std = parameters[u.log_std_offset + d];
    let z = gaussian_z(actions[row * u.actions + d], outputs[i * u.actions + d], log_std);
    policy.log_prob += gaussian_log_prob(z, log_std);
    policy.entropy += gaussian_entropy(log_std);
  }
  return policy;
}

// Writes the gradient of log_prob_gradient * log_prob + entropy_gradient * entropy.
fn policy_backward(policy: Policy, i: u32, row: u32, log_prob_gradient: f32, entropy_gradient: f32) {
  for (var d = 0u; d < u.actions; d++) {
    let log_std = parameters[u.log_std_offset + d];
    let z = gaussian_z(actions[row * u.actions + d], outputs[i * u.actions + d], log_std);
    let slope = log_prob_gradient * gaussian_gradient(z, log_std);
    gradient[i * u.actions + d] = slope.x;
    gradient[u.rows * (u.actions + 1u) + i * u.actions + d] = slope.y + entropy_gradient;
  }
}
