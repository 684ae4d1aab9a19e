// Gradient of a normalisation (norm.wgsl) with respect to weight and bias, in parts that are summed later in
// fixed order: part p covers rows [p · part_rows, (p + 1) · part_rows).
//   dweight[k] = Σ_r dy[r, k] · (x[r, k] - mean[r]) · factor[r]      dbias[k] = Σ_r dy[r, k]
// Shapes: gradient, input [rows, width]; statistics [rows, 2]; partials [parts, stride], laid out as the parameters.
// An invocation takes four columns of a part. Before this text: const LAYER.

@group(0) @binding(0) var<storage, read> gradient: array<f32>;
@group(0) @binding(1) var<storage, read> input: array<f32>;
@group(0) @binding(2) var<storage, read> statistics: array<f32>;
@group(0) @binding(3) var<storage, read_write> partials: array<f32>;

struct Uniforms {
  rows: u32,
  width: u32,
  weight: u32,
  bias: u32,
  parts: u32,
  part_rows: u32,
  stride: u32,
}
@group(0) @binding(4) var<uniform> u: Uniforms;

@compute @workgroup_size(16)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let i = (wg.y * count.x + wg.x) * 16u + l;
  let fours = (u.width + 3u) / 4u;
  if (i >= u.parts * fours) { return; }
  let part = i / fours;
  let k0 = i % fours * 4u;
  // Columns past the width are read from the last one and not written.
  let columns = min(vec4u(k0) + vec4u(0u, 1u, 2u, 3u), vec4u(u.width - 1u));
  var weight = vec4f();
  var bias = vec4f();
  for (var r = part * u.part_rows; r < min(u.rows, (part + 1u) * u.part_rows); r++) {
    let at = vec4u(r * u.width) + columns;
    let dy = vec4f(gradient[at.x], gradient[at.y], gradient[at.z], gradient[at.w]);
    let x = vec4f(input[at.x], input[at.y], input[at.z], input[at.w]);
    weight += dy * (x - statistics[2u * r]) * statistics[2u * r + 1u];
    bias += dy;
  }
  let to = part * u.stride;
  for (var c = 0u; c < 4u && k0 + c < u.width; c++) {
    partials[to + u.weight + k0 + c] = weight[c];
    if (LAYER) { partials[to + u.bias + k0 + c] = bias[c]; }
  }
}
