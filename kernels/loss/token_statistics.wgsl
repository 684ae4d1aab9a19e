// statistics_out[row] = the sums over the S rows of `statistics`, in order: what the losses over tokens report of a
// minibatch. One invocation a column. token_statistics.ts puts STATISTICS, the number of columns, before this text.

@group(0) @binding(0) var<storage, read> statistics: array<f32>;            // [S, STATISTICS]
@group(0) @binding(1) var<storage, read_write> statistics_out: array<f32>;  // [·, STATISTICS]

struct Uniforms {
  sequences: u32,  // S
  row: u32,
}
@group(0) @binding(2) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) column: u32) {
  if (column >= STATISTICS) { return; }
  var sum = 0.0;
  for (var s = 0u; s < u.sequences; s++) {
    sum += statistics[s * STATISTICS + column];
  }
  statistics_out[u.row * STATISTICS + column] = sum;
}
