// First stage of masked moments: count, mean and Σ(x - mean)² of every partials-th entry, where the mask is not 0.
// Shapes: values and mask [count], partials [partials, 3].

struct Uniforms {
  count: u32,
  partials: u32,
}

@group(0) @binding(0) var<storage, read> values: array<f32>;
@group(0) @binding(1) var<storage, read> mask: array<f32>;
@group(0) @binding(2) var<storage, read_write> partials: array<f32>;
@group(0) @binding(3) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let first = (wg.y * count.x + wg.x) * 64u + l;
  if (first >= u.partials) { return; }
  var n = 0.0;
  var total = 0.0;
  for (var i = first; i < u.count; i += u.partials) {
    let counts = mask[i] != 0.0;
    n += select(0.0, 1.0, counts);
    total += select(0.0, values[i], counts);
  }
  let mean = total / max(n, 1.0);
  var m2 = 0.0;
  for (var i = first; i < u.count; i += u.partials) {
    let d = select(0.0, values[i] - mean, mask[i] != 0.0);
    m2 += d * d;
  }
  partials[first * 3u] = n;
  partials[first * 3u + 1u] = mean;
  partials[first * 3u + 2u] = m2;
}
