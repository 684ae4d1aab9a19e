// Observations seen through the running statistics:
//   normalized = clamp((x - mean) / sqrt(variance + 1e-8), ±clip)
// Stable-Baselines3's VecNormalize; Gymnasium's NormalizeObservation with the clip CleanRL adds.
// Shapes: observations, normalized [·, dimensions] of which rows first … first + rows - 1 are done;
// running [2·dimensions + 1] of observation_moments.

struct Uniforms {
  first: u32,
  rows: u32,
  dimensions: u32,
  clip: f32,
}

@group(0) @binding(0) var<storage, read> observations: array<f32>;
@group(0) @binding(1) var<storage, read> running: array<f32>;
@group(0) @binding(2) var<storage, read_write> normalized: array<f32>;
@group(0) @binding(3) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let k = (wg.y * count.x + wg.x) * 64u + l;
  if (k >= u.rows * u.dimensions) { return; }
  let i = u.first * u.dimensions + k;
  let c = k % u.dimensions;
  let x = (observations[i] - running[c]) / sqrt(running[u.dimensions + c] + 1e-8);
  normalized[i] = clamp(x, -u.clip, u.clip);
}
