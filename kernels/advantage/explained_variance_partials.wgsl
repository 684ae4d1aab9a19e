// First stage of explained_variance: count, mean and Σ(x - mean)² of every 256th target y and of every
// 256th residual y - prediction. Two passes over the same numbers.
// Shapes: predictions, targets [count], partials [256, 2, 3] (targets first).

const PARTIALS = 256u;

struct Uniforms {
  count: u32,
}

@group(0) @binding(0) var<storage, read> predictions: array<f32>;
@group(0) @binding(1) var<storage, read> targets: array<f32>;
@group(0) @binding(2) var<storage, read_write> partials: array<f32>;
@group(0) @binding(3) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let p = (wg.y * count.x + wg.x) * 64u + l;
  if (p >= PARTIALS) { return; }
  var n = 0.0;
  var mean = vec2f(0.0);  // of the targets, of the residuals
  for (var i = p; i < u.count; i += PARTIALS) {
    n += 1.0;
    mean += vec2f(targets[i], targets[i] - predictions[i]);
  }
  mean /= max(n, 1.0);
  var m2 = vec2f(0.0);
  for (var i = p; i < u.count; i += PARTIALS) {
    let d = vec2f(targets[i], targets[i] - predictions[i]) - mean;
    m2 += d * d;
  }
  let at = p * 6u;
  partials[at] = n;
  partials[at + 1u] = mean.x;
  partials[at + 2u] = m2.x;
  partials[at + 3u] = n;
  partials[at + 4u] = mean.y;
  partials[at + 5u] = m2.y;
}
