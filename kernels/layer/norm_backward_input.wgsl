// Gradient of a normalisation (norm.wgsl) with respect to its input. With g = dy · weight and n = (x - mean) · factor,
//   dx = factor · (g - mean(g) - n · mean(g · n));  RMS has no mean(g).
// It is added to what `result` holds when `accumulate` is 1: the gradient that passes by on the residual stream.
// Shapes: gradient, input, result [rows, width]; statistics [rows, 2]. One invocation a row. Before this text: const LAYER.

struct Uniforms {
  rows: u32,
  width: u32,
  weight: u32,
  accumulate: u32,
}
@group(0) @binding(0) var<storage, read> parameters: array<f32>;
@group(0) @binding(1) var<storage, read> gradient: array<f32>;
@group(0) @binding(2) var<storage, read> input: array<f32>;
@group(0) @binding(3) var<storage, read> statistics: array<f32>;
@group(0) @binding(4) var<storage, read_write> result: array<f32>;
@group(0) @binding(5) var<uniform> u: Uniforms;

@compute @workgroup_size(16)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let r = (wg.y * count.x + wg.x) * 16u + l;
  if (r >= u.rows) { return; }
  let width = u.width;
  let row0 = r * width;
  let mean = statistics[2u * r];
  let factor = statistics[2u * r + 1u];
  var sum = 0.0;
  var overlap = 0.0;
  for (var k = 0u; k < width; k++) {
    let g = gradient[row0 + k] * parameters[u.weight + k];
    sum += g;
    overlap += g * (input[row0 + k] - mean);
  }
  let level = select(0.0, sum / f32(width), LAYER);
  let slope = overlap * factor * factor / f32(width);
  for (var k = 0u; k < width; k++) {
    let g = gradient[row0 + k] * parameters[u.weight + k];
    let d = factor * (g - level - (input[row0 + k] - mean) * slope);
    result[row0 + k] = select(d, result[row0 + k] + d, u.accumulate == 1u);
  }
}
