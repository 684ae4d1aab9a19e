// Whitens masked numbers in place, with the moments of masked_moments.wgsl. One invocation a number.
//   x ← (x - mean) · rsqrt(variance + 1e-8)
// verl, torch_functional.py, masked_whiten. scale 0: only centres. center 0: puts the mean back after scaling.
// Equal numbers become 0 (plus the mean). Where the mask is 0, x becomes 0.
// Shapes: values and mask [count], moments [3].

struct Uniforms {
  count: u32,
  center: u32,
  scale: u32,
}

@group(0) @binding(0) var<storage, read> mask: array<f32>;
@group(0) @binding(1) var<storage, read> moments: array<f32>;
@group(0) @binding(2) var<storage, read_write> values: array<f32>;
@group(0) @binding(3) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let i = (wg.y * count.x + wg.x) * 64u + l;
  if (i >= u.count) { return; }
  let mean = moments[1];
  let variance = moments[2];
  let factor = select(1.0, inverseSqrt(variance + 1e-8), u.scale != 0u);
  let centered = select(0.0, (values[i] - mean) * factor, variance > 0.0);
  values[i] = select(0.0, centered + select(mean, 0.0, u.center != 0u), mask[i] != 0.0);
}
