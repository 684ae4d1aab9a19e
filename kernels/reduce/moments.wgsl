// Second stage of moments: merges the partial moments of each column in ascending order.
//   moments[c] = (mean, population variance); (0, 0) of no numbers
// Shapes: partials [partials, columns, 3], moments [columns, 2]. After chan.wgsl.

struct Uniforms {
  columns: u32,
  partials: u32,
}

@group(0) @binding(0) var<storage, read> partials: array<f32>;
@group(0) @binding(1) var<storage, read_write> moments: array<f32>;
@group(0) @binding(2) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let c = (wg.y * count.x + wg.x) * 64u + l;
  if (c >= u.columns) { return; }
  var merged = Moments(0.0, 0.0, 0.0);
  for (var p = 0u; p < u.partials; p++) {
    let at = (p * u.columns + c) * 3u;
    merged = merge_moments(merged, Moments(partials[at], partials[at + 1u], partials[at + 2u]));
  }
  moments[c * 2u] = merged.mean;
  moments[c * 2u + 1u] = merged.m2 / max(merged.n, 1.0);
}
