// Cross-entropy with the tokens that were shown: sum of -weight * log_prob, whatever their advantage. One invocation
// a sequence.

@group(0) @binding(0) var<storage, read> mask: array<f32>;       // [S, L]
@group(0) @binding(1) var<storage, read> weights: array<f32>;    // [S, L]
@group(0) @binding(2) var<storage, read> log_probs: array<f32>;  // [S, L]
@group(0) @binding(3) var<storage, read_write> log_prob_gradient: array<f32>;  // [S, L], 0 where the mask is 0
@group(0) @binding(4) var<storage, read_write> statistics: array<f32>;         // [S, STATISTICS]

struct Uniforms {
  sequences: u32,  // S
  length: u32,     // L
}
@group(0) @binding(5) var<uniform> u: Uniforms;

@compute @workgroup_size(16)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let s = (wg.y * workgroups.x + wg.x) * 16u + local;
  if (s >= u.sequences) { return; }
  var loss = 0.0;
  var count = 0.0;
  for (var at = s * u.length; at < (s + 1u) * u.length; at++) {
    var slope = 0.0;
    if (mask[at] != 0.0) {
      slope = -weights[at];
      loss += slope * log_probs[at];
      count += 1.0;
    }
    log_prob_gradient[at] = slope;
  }
  let row = s * STATISTICS;
  for (var column = 0u; column < STATISTICS; column++) { statistics[row + column] = 0.0; }
  statistics[row + STATISTIC_LOSS] = loss;
  statistics[row + STATISTIC_IMITATION_LOSS] = loss;
  statistics[row + STATISTIC_IMITATION_TOKENS] = count;
}
