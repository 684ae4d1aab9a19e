// The KL penalty in the reward instead of the loss (Ziegler et al. 2019): every token that teaches pays for its
// distance to the reference. rewards -= coefficient * KL estimate (kl_estimator.wgsl, before this text).
// One invocation a token.

@group(0) @binding(0) var<storage, read> mask: array<f32>;                 // [S, L]
@group(0) @binding(1) var<storage, read> log_probs: array<f32>;            // [S, L]
@group(0) @binding(2) var<storage, read> reference_log_probs: array<f32>;  // [S, L]
@group(0) @binding(3) var<storage, read_write> rewards: array<f32>;        // [S, L]

struct Uniforms {
  tokens: u32,  // S L
  coefficient: f32,
  estimator: u32,
}
@group(0) @binding(4) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let at = (wg.y * workgroups.x + wg.x) * 64u + local;
  if (at >= u.tokens || mask[at] == 0.0) { return; }
  rewards[at] -= u.coefficient * kl_estimate(log_probs[at], reference_log_probs[at], u.estimator, false).value;
}
