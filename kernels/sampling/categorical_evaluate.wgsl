// Log-probability of given actions and entropy, for each row of logits [rows, A] (categorical.wgsl).

@group(0) @binding(0) var<storage, read> logits: array<f32>;
@group(0) @binding(1) var<storage, read> masks: array<u32>;
@group(0) @binding(2) var<storage, read> actions: array<f32>;
@group(0) @binding(3) var<storage, read_write> log_probs: array<f32>;
@group(0) @binding(4) var<storage, read_write> entropies: array<f32>;

struct Uniforms {
  rows: u32,
  actions: u32,
  masked: u32,
}
@group(0) @binding(5) var<uniform> u: Uniforms;

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
  log_probs[i] = categorical_log_prob(policy, u32(actions[i]));
  entropies[i] = policy.entropy;
}
