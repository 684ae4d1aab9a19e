// The decoupled objective (AReaL, Fu et al. 2025, arXiv:2505.24298): tokens were sampled by a policy that is older
// than the one the ratio is taken against, and each token's weight is multiplied by what lies between them:
//   weights_out = weights * w,  w = exp(proximal - behaviour)
// Above `cap`, w is the cap; with `drop` the token is left out instead, as AReaL does. One invocation a token.

@group(0) @binding(0) var<storage, read> weights: array<f32>;              // [S, L], 0 where the mask is
@group(0) @binding(1) var<storage, read> proximal_log_probs: array<f32>;   // [S, L]
@group(0) @binding(2) var<storage, read> behaviour_log_probs: array<f32>;  // [S, L]
@group(0) @binding(3) var<storage, read_write> weights_out: array<f32>;    // [S, L]

struct Uniforms {
  tokens: u32,  // S L
  cap: f32,
  drop: u32,
}
@group(0) @binding(4) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let at = (wg.y * workgroups.x + wg.x) * 64u + local;
  if (at >= u.tokens) { return; }
  let importance = exp(clamp(proximal_log_probs[at] - behaviour_log_probs[at], -20.0, 20.0));
  let capped = select(min(importance, u.cap), 0.0, u.drop == 1u && importance > u.cap);
  let weight = weights[at];
  weights_out[at] = select(weight * capped, 0.0, weight == 0.0);
}
