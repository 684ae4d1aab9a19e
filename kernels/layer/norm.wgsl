// Normalisation of rows, over their width D. Layer (Ba, Kiros, Hinton 2016; torch F.layer_norm):
//   y = (x - mean) / sqrt(var + epsilon) * weight + bias, var divided by D.
// RMS (Zhang and Sennrich 2019; LlamaRMSNorm): y = x / sqrt(mean(x²) + epsilon) * weight.
// The variance is of x - x[0], so that one walk over the row is enough and an offset costs no digits.
// Shapes: input, output [rows, width]; statistics [rows, 2]: mean (RMS: 0) and the factor of x.
// One invocation a row. Before this text: const LAYER.

struct Uniforms {
  rows: u32,
  width: u32,
  weight: u32,
  bias: u32,
  epsilon: f32,
}
@group(0) @binding(0) var<storage, read> parameters: array<f32>;
@group(0) @binding(1) var<storage, read> input: array<f32>;
@group(0) @binding(2) var<storage, read_write> output: array<f32>;
@group(0) @binding(3) var<storage, read_write> statistics: array<f32>;
@group(0) @binding(4) var<uniform> u: Uniforms;

@compute @workgroup_size(16)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let r = (wg.y * count.x + wg.x) * 16u + l;
  if (r >= u.rows) { return; }
  let width = u.width;
  let row0 = r * width;
  let shift = select(0.0, input[row0], LAYER);
  var sum = 0.0;
  var squares = 0.0;
  for (var k = 0u; k < width; k++) {
    let d = input[row0 + k] - shift;
    sum += d;
    squares += d * d;
  }
  let offset = select(0.0, sum / f32(width), LAYER);
  let mean = shift + offset;
  let factor = inverseSqrt(max(squares / f32(width) - offset * offset, 0.0) + u.epsilon);
  for (var k = 0u; k < width; k++) {
    let y = (input[row0 + k] - mean) * factor * parameters[u.weight + k];
    if (LAYER) { output[row0 + k] = y + parameters[u.bias + k]; } else { output[row0 + k] = y; }
  }
  statistics[2u * r] = mean;
  statistics[2u * r + 1u] = factor;
}
