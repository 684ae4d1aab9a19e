// statistics_out[row] = what the losses over tokens wrote, for a whole minibatch: the columns from FIRST_MEAN
// on are means over its tokens, the ones before are sums over its sequences.
// One invocation a column; sums in order.

const COLUMNS = 16u;
const FIRST_MEAN = 4u;

@group(0) @binding(0) var<storage, read> statistics: array<f32>;            // [S, 16]
@group(0) @binding(1) var<storage, read_write> statistics_out: array<f32>;  // [·, 16]

struct Uniforms {
  sequences: u32,  // S
  row: u32,
}
@group(0) @binding(2) var<uniform> u: Uniforms;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) column: u32) {
  var sum = 0.0;
  var tokens = 0.0;
  for (var s = 0u; s < u.sequences; s++) {
    tokens += statistics[s * COLUMNS];
    sum += statistics[s * COLUMNS + column];
  }
  statistics_out[u.row * COLUMNS + column] = select(sum, sum / max(tokens, 1.0), column >= FIRST_MEAN);
}
