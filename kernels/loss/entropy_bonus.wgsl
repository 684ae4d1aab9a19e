// The entropy bonus: -coefficient * weight * entropy joins the loss. One invocation a sequence.

@group(0) @binding(0) var<storage, read> mask: array<f32>;       // [S, L]
@group(0) @binding(1) var<storage, read> weights: array<f32>;    // [S, L]
@group(0) @binding(2) var<storage, read> entropies: array<f32>;  // [S, L]
@group(0) @binding(3) var<storage, read_write> entropy_gradient: array<f32>;  // [S, L]
@group(0) @binding(4) var<storage, read_write> statistics: array<f32>;        // [S, STATISTICS], added to

struct Uniforms {
  sequences: u32,  // S
  length: u32,     // L
  coefficient: f32,
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
  var sum = 0.0;
  var loss = 0.0;
  var count = 0.0;
  for (var at = s * u.length; at < (s + 1u) * u.length; at++) {
    var slope = 0.0;
    if (mask[at] != 0.0) {
      slope = -u.coefficient * weights[at];
      loss += slope * entropies[at];
      sum += entropies[at];
      count += 1.0;
    }
    entropy_gradient[at] = slope;
  }
  statistics[s * STATISTICS + STATISTIC_LOSS] += loss;
  statistics[s * STATISTICS + STATISTIC_ENTROPY] += sum;
  statistics[s * STATISTICS + STATISTIC_ENTROPY_TOKENS] += count;
}
