// SwiGLU (Shazeer 2020): output[r, k] = silu(input[r, k]) · input[r, M + k], with silu(x) = x · sigmoid(x).
// Shapes: input [rows, 2M], gate then value; output [rows, M]. One invocation an output element.
// Before this text: activate and activate_gradient of silu (activation.ts).

@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;

struct Uniforms {
  rows: u32,
  width: u32,
}
@group(0) @binding(2) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let i = (wg.y * count.x + wg.x) * 64u + l;
  if (i >= u.rows * u.width) { return; }
  let gate = i + i / u.width * u.width;
  output[i] = activate(input[gate]) * input[gate + u.width];
}
