// rows_gradient[row(s, t)] = values_gradient[s, t + 1], 0 for the last position: the gradient of token_values.wgsl,
// given that values_gradient is 0 where no token teaches. Final values are targets and get none.
// Shapes: values_gradient [S, L], rows_gradient [*].

@group(0) @binding(0) var<storage, read> values_gradient: array<f32>;
@group(0) @binding(1) var<storage, read_write> rows_gradient: array<f32>;

struct Uniforms {
  sequences: u32,
  length: u32,
  sequence_stride: u32,
  position_stride: u32,
}
@group(0) @binding(2) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let i = (wg.y * workgroups.x + wg.x) * 64u + local;
  if (i >= u.sequences * u.length) { return; }
  let s = i / u.length;
  let t = i % u.length;
  var gradient = 0.0;
  if (t + 1u < u.length) { gradient = values_gradient[i + 1u]; }
  rows_gradient[s * u.sequence_stride + t * u.position_stride] = gradient;
}
