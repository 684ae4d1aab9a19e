// The critic's loss over tokens: half the squared error, or with `value_clip` the larger of it and the same with the
// value kept within ± value_clip of the old one (PPO2; verl core_algos.py compute_value_loss @ 1dda039).
//   coefficient * weight * max((V - R)², (clip(V) - R)²) / 2.  One invocation a sequence.

@group(0) @binding(0) var<storage, read> mask: array<f32>;        // [S, L]
@group(0) @binding(1) var<storage, read> weights: array<f32>;     // [S, L]
@group(0) @binding(2) var<storage, read> values: array<f32>;      // [S, L]
@group(0) @binding(3) var<storage, read> old_values: array<f32>;  // [S, L]
@group(0) @binding(4) var<storage, read> returns: array<f32>;     // [S, L]
@group(0) @binding(5) var<storage, read_write> value_gradient: array<f32>;  // [S, L]
@group(0) @binding(6) var<storage, read_write> statistics: array<f32>;      // [S, STATISTICS], added to

struct Uniforms {
  sequences: u32,   // S
  length: u32,      // L
  coefficient: f32,  // 0: there is no critic, nothing is read and the gradient is 0
  value_clip: f32,  // 0: not clipped
}
@group(0) @binding(7) var<uniform> u: Uniforms;

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
  var clipped_count = 0.0;
  for (var at = s * u.length; at < (s + 1u) * u.length; at++) {
    var slope = 0.0;
    if (mask[at] != 0.0 && u.coefficient != 0.0) {
      let error = values[at] - returns[at];
      let kept = clamp(values[at], old_values[at] - u.value_clip, old_values[at] + u.value_clip);
      let clipped_error = kept - returns[at];
      // Where the clip bites, the clipped value does not move.
      let clipped = u.value_clip > 0.0 && clipped_error * clipped_error > error * error;
      let larger = select(error, clipped_error, clipped);
      slope = u.coefficient * weights[at] * select(error, 0.0, clipped);
      loss += weights[at] * 0.5 * larger * larger;
      count += 1.0;
      clipped_count += select(0.0, 1.0, clipped);
    }
    value_gradient[at] = slope;
  }
  statistics[s * STATISTICS + STATISTIC_LOSS] += u.coefficient * loss;
  statistics[s * STATISTICS + STATISTIC_VALUE_LOSS] += loss;
  statistics[s * STATISTICS + STATISTIC_VALUE_CLIPPED] += clipped_count;
  statistics[s * STATISTICS + STATISTIC_VALUE_TOKENS] += count;
}
