// Gradient of SwiGLU (swiglu.wgsl): d(gate) = d · value · silu'(gate), d(value) = d · silu(gate).
// Shapes: gradient [rows, M]; input, result [rows, 2M]. One invocation an element of gradient.
// Before this text: activate and activate_gradient of silu (activation.ts).

@group(0) @binding(0) var<storage, read> gradient: array<f32>;
@group(0) @binding(1) var<storage, read> input: array<f32>;
@group(0) @binding(2) var<storage, read_write> result: array<f32>;

struct Uniforms {
  rows: u32,
  width: u32,
}
@group(0) @binding(3) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let i = (wg.y * count.x + wg.x) * 64u + l;
  if (i >= u.rows * u.width) { return; }
  let gate = i + i / u.width * u.width;
  let d = gradient[i];
  let x = input[gate];
  let y = activate(x);
  result[gate] = d * input[gate + u.width] * activate_gradient(x);
  result[gate + u.width] = d * y;
}
