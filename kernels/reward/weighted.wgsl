// The reward as a weighted sum of the signals that the environment reports each step:
//   reward = scale · clamp(Σ_k weight_k · signal_k, ±clip)      clip 0: no bounds
// The last signal is success, the environment's own verdict: it never enters, whatever its weight.
// A signal of weight 0 is left out, so that one that is not finite spoils nothing.
// Shapes: signals [rows, signals], weights [signals], rewards [rows].

struct Uniforms {
  rows: u32,
  signals: u32,
  scale: f32,
  clip: f32,
}

@group(0) @binding(0) var<storage, read> signals: array<f32>;
@group(0) @binding(1) var<storage, read> weights: array<f32>;
@group(0) @binding(2) var<storage, read_write> rewards: array<f32>;
@group(0) @binding(3) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let row = (wg.y * count.x + wg.x) * 64u + l;
  if (row >= u.rows) { return; }
  var total = 0.0;
  for (var k = 0u; k + 1u < u.signals; k++) {
    let weight = weights[k];
    if (weight != 0.0) { total += weight * signals[row * u.signals + k]; }
  }
  if (u.clip > 0.0) { total = clamp(total, -u.clip, u.clip); }
  rewards[row] = u.scale * total;
}
