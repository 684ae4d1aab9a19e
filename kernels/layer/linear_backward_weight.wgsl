// Gradient of a linear layer with respect to its weights and bias, in parts that are summed later in
// fixed order (no atomics): part s covers rows [s · part_rows, (s + 1) · part_rows).
//   dW[j, k] = Σ_r dz[r, j] · x[row(r), k]      db[j] = Σ_r dz[r, j]
// Shapes: dz [rows, outputs] from gradient_first; input [*, inputs], row(r) as in linear.wgsl;
// partials [parts, stride], where a part is laid out like the parameters.
// One invocation a weight and part; the extra column k = inputs is the bias. Before this text: GATHER, BIAS.

struct Uniforms {
  rows: u32, inputs: u32, outputs: u32,
  weight: u32, bias: u32, gradient_first: u32,
  input_first: u32, indices_first: u32,
  parts: u32, part_rows: u32, stride: u32,
}
@group(0) @binding(0) var<storage, read> gradient: array<f32>;
@group(0) @binding(1) var<storage, read> input: array<f32>;
@group(0) @binding(2) var<storage, read> indices: array<u32>;
@group(0) @binding(3) var<storage, read_write> partials: array<f32>;
@group(0) @binding(4) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let i = (wg.y * count.x + wg.x) * 64u + l;
  let columns = u.inputs + 1u;
  if (i >= u.parts * u.outputs * columns) { return; }
  let part = i / (u.outputs * columns);
  let j = (i / columns) % u.outputs;
  let k = i % columns;
  if (k == u.inputs && !BIAS) { return; }
  var sum = 0.0;
  for (var r = part * u.part_rows; r < min(u.rows, (part + 1u) * u.part_rows); r++) {
    let d = gradient[u.gradient_first + r * u.outputs + j];
    if (k == u.inputs) {
      sum += d;
    } else {
      var row = u.input_first + r;
      if (GATHER) { row = indices[u.indices_first + r]; }
      sum += d * input[row * u.inputs + k];
    }
  }
  partials[part * u.stride + select(u.weight + j * u.inputs + k, u.bias + j, k == u.inputs)] = sum;
}
