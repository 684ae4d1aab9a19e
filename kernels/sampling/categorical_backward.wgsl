// logits_gradient [rows, A] = d sum(log_prob_gradient * log_prob + entropy_gradient * entropy) / d logits,
// with log-probability of the given actions and entropy as in categorical_evaluate.wgsl. With p the
// probabilities: log_prob_gradient (1[a = action] - p_a) - entropy_gradient p_a (log p_a + entropy).

@group(0) @binding(0) var<storage, read> logits: array<f32>;
@group(0) @binding(1) var<storage, read> masks: array<u32>;
@group(0) @binding(2) var<storage, read> actions: array<f32>;
@group(0) @binding(3) var<storage, read> log_prob_gradient: array<f32>;
@group(0) @binding(4) var<storage, read> entropy_gradient: array<f32>;
@group(0) @binding(5) var<storage, read_write> logits_gradient: array<f32>;

struct Uniforms {
  rows: u32,
  actions: u32,
  masked: u32,
}
@group(0) @binding(6) var<uniform> u: Uniforms;

fn logit(i: u32) -> f32 { return logits[i]; }

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let i = (wg.y * workgroups.x + wg.x) * 64u + local;
  if (i >= u.rows) { return; }
  var legal = ALL_LEGAL;
  if (u.masked == 1u) { legal = masks[i]; }
  let policy = categorical(i * u.actions, u.actions, legal);
  let chosen = u32(actions[i]);
  for (var a = 0u; a < u.actions; a++) {
    logits_gradient[policy.first + a] =
      categorical_gradient(policy, a, chosen, log_prob_gradient[i], entropy_gradient[i]);
  }
}
