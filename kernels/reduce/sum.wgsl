// Sums over the rows of a matrix [rows, columns]; a vector is one column.
//   sums[p, c] = Σ_k input[p + k·partials, c], k ascending, p < partials
// Run it twice: rows → partials, then partials → 1. The order of additions depends on the sizes
// alone, so the result is the same bits every time; no memory is shared, so no barrier can be missed.
// Shapes: input [rows, columns], sums [partials, columns].

struct Uniforms {
  rows: u32,
  columns: u32,
  partials: u32,
}

@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;
@group(0) @binding(2) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let i = (wg.y * count.x + wg.x) * 64u + l;
  if (i >= u.partials * u.columns) { return; }
  let first = i / u.columns;
  let c = i - first * u.columns;
  var total = 0.0;
  for (var row = first; row < u.rows; row += u.partials) {
    total += input[row * u.columns + c];
  }
  sums[i] = total;
}
