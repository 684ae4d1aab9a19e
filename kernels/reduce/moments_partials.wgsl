// First stage of moments: count, mean and Σ(x - mean)² of every partials-th row, for each column.
// Two passes over the same numbers: a single pass over squares loses all digits far from 0.
// Shapes: input [rows, columns], partials [partials, columns, 3].

struct Uniforms {
  rows: u32,
  columns: u32,
  partials: u32,
}

@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read_write> partials: array<f32>;
@group(0) @binding(2) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let i = (wg.y * count.x + wg.x) * 64u + l;
  if (i >= u.partials * u.columns) { return; }
  let first = i / u.columns;
  let c = i % u.columns;
  var n = 0.0;
  var total = 0.0;
  for (var row = first; row < u.rows; row += u.partials) {
    n += 1.0;
    total += input[row * u.columns + c];
  }
  let mean = total / max(n, 1.0);
  var m2 = 0.0;
  for (var row = first; row < u.rows; row += u.partials) {
    let d = input[row * u.columns + c] - mean;
    m2 += d * d;
  }
  partials[i * 3u] = n;
  partials[i * 3u + 1u] = mean;
  partials[i * 3u + 2u] = m2;
}
