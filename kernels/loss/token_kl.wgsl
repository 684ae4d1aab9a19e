// The KL penalty in the loss: adds coefficient * weight * KL estimate (kl_estimator.wgsl, before this text) to what
// the surrogate left. One invocation a sequence.

@group(0) @binding(0) var<storage, read> mask: array<f32>;                 // [S, L]
@group(0) @binding(1) var<storage, read> weights: array<f32>;              // [S, L]
@group(0) @binding(2) var<storage, read> log_probs: array<f32>;            // [S, L]
@group(0) @binding(3) var<storage, read> reference_log_probs: array<f32>;  // [S, L]
@group(0) @binding(4) var<storage, read_write> log_prob_gradient: array<f32>;  // [S, L], added to
@group(0) @binding(5) var<storage, read_write> statistics: array<f32>;         // [S, STATISTICS], added to

struct Uniforms {
  sequences: u32,  // S
  length: u32,     // L
  coefficient: f32,
  estimator: u32,
  straight: u32,
  report: u32,  // 1: this is the KL to the reference policy, and the statistics say so
}
@group(0) @binding(6) var<uniform> u: Uniforms;

@compute @workgroup_size(16)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let s = (wg.y * workgroups.x + wg.x) * 16u + local;
  if (s >= u.sequences) { return; }
  var sum = 0.0;
  var loss = 0.0;
  var count = 0.0;
  for (var at = s * u.length; at < (s + 1u) * u.length; at++) {
    if (mask[at] != 0.0) {
      let kl = kl_estimate(log_probs[at], reference_log_probs[at], u.estimator, u.straight == 1u);
      let weight = u.coefficient * weights[at];
      log_prob_gradient[at] += weight * kl.slope;
      loss += weight * kl.value;
      sum += kl.value;
      count += 1.0;
    }
  }
  statistics[s * STATISTICS + STATISTIC_LOSS] += loss;
  if (u.report == 1u) {
    statistics[s * STATISTICS + STATISTIC_REFERENCE_KL] += sum;
    statistics[s * STATISTICS + STATISTIC_REFERENCE_TOKENS] += count;
  }
}
