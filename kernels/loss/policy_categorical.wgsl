// The categorical policy in policy_loss.wgsl: outputs are logits, an action is an index, and the masks of
// legal actions lie in rollout order.

@group(0) @binding(5) var<storage, read> masks: array<u32>;

struct Policy {
  log_prob: f32,
  entropy: f32,
  distribution: Categorical,
  chosen: u32,
}

fn logit(i: u32) -> f32 { return outputs[i]; }

fn policy_evaluate(i: u32, row: u32) -> Policy {
  var legal = ALL_LEGAL;
  if (u.masked == 1u) { legal = masks[row]; }
  let distribution = categorical(i * u.actions, u.actions, legal);
  let chosen = u32(actions[row]);
  return Policy(categorical_log_prob(distribution, chosen), distribution.entropy, distribution, chosen);
}

// Writes the gradient of log_prob_gradient * log_prob + entropy_gradient * entropy.
fn policy_backward(policy: Policy, i: u32, row: u32, log_prob_gradient: f32, entropy_gradient: f32) {
  for (var a = 0u; a < u.actions; a++) {
    gradient[i * u.actions + a] =
      categorical_gradient(policy.distribution, a, policy.chosen, log_prob_gradient, entropy_gradient);
  }
}
