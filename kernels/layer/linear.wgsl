// Linear layer with its activation: y[r, j] = f(Σ_k x[row(r), k] · W[j, k] + b[j]).
// Weights are [outputs, inputs], row-major, as in PyTorch's nn.Linear.
// Shapes: input [*, inputs], output [*, outputs]; row(r) = input_first + r, or with gather
// indices[indices_first + r]. One invocation an output element.
// Row r goes to row output_first + r. When the activation's derivative needs z, the pre-activations
// are kept at pre_offset. Before this text: the activation, and two constants. ACCUMULATE adds z to what
// the output holds; without BIAS there is no b.

struct Uniforms {
  rows: u32, inputs: u32, outputs: u32,
  weight: u32, bias: u32,
  input_first: u32, gather: u32, indices_first: u32, output_first: u32, pre_offset: u32,
}
@group(0) @binding(0) var<storage, read> parameters: array<f32>;
@group(0) @binding(1) var<storage, read> input: array<f32>;
@group(0) @binding(2) var<storage, read> indices: array<u32>;
@group(0) @binding(3) var<storage, read_write> output: array<f32>;
@group(0) @binding(4) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let i = (wg.y * count.x + wg.x) * 64u + l;
  if (i >= u.rows * u.outputs) { return; }
  let r = i / u.outputs;
  let j = i % u.outputs;
  var row = u.input_first + r;
  if (u.gather == 1u) { row = indices[u.indices_first + r]; }
  var z = 0.0;
  for (var k = 0u; k < u.inputs; k++) {
    z += input[row * u.inputs + k] * parameters[u.weight + j * u.inputs + k];
  }
  if (BIAS) { z += parameters[u.bias + j]; }
  let out = u.output_first * u.outputs + i;
  if (ACCUMULATE) { z += output[out]; }
  if (u.pre_offset > 0u) { output[u.pre_offset + i] = z; }
  output[out] = activate(z);
}
