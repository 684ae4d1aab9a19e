// Mean and sample deviation (n - 1) of the advantage over each minibatch of each epoch; the
// normalised advantage is then (A - mean) / (deviation + 1e-8), as CleanRL and Stable-Baselines3 have it.
//   not enabled, or a minibatch of one:  (0, 1), which leaves the advantage as it is
//   all equal (deviation ≤ 1e-6·|mean|): (mean, 0), which makes it exactly 0
// Shapes: partials [epochs · minibatches, 16, 3], moments [epochs · minibatches, 2]. After chan.wgsl.

const PARTIALS = 16u;

struct Uniforms {
  count: u32,
  enabled: u32,
}

@group(0) @binding(0) var<storage, read> partials: array<f32>;
@group(0) @binding(1) var<storage, read_write> moments: array<f32>;
@group(0) @binding(2) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let i = (wg.y * count.x + wg.x) * 64u + l;
  if (i >= u.count) { return; }
  var merged = Moments(0.0, 0.0, 0.0);
  for (var p = i * PARTIALS; p < (i + 1u) * PARTIALS; p++) {
    merged = merge_moments(merged, Moments(partials[p * 3u], partials[p * 3u + 1u], partials[p * 3u + 2u]));
  }
  var mean = 0.0;
  var deviation = 1.0;
  if (u.enabled != 0u && merged.n > 1.0) {
    mean = merged.mean;
    deviation = sqrt(merged.m2 / (merged.n - 1.0));
    if (deviation_is_zero(deviation, mean)) { deviation = 0.0; }
  }
  moments[i * 2u] = mean;
  moments[i * 2u + 1u] = deviation;
}
