// statistics_out[row] = the means of one minibatch's 8 statistics: the sums of its chunks
// (policy_loss.wgsl) added in order, over its number of samples. One invocation a statistic.

@group(0) @binding(0) var<storage, read> statistics: array<f32>;            // [partials, 8]
@group(0) @binding(1) var<storage, read_write> statistics_out: array<f32>;  // [·, 8]

struct Uniforms {
  partials: u32,
  rows: u32,
  row: u32,
}
@group(0) @binding(2) var<uniform> u: Uniforms;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) column: u32) {
  var sum = 0.0;
  for (var i = 0u; i < u.partials; i++) {
    sum += statistics[i * 8u + column];
  }
  statistics_out[u.row * 8u + column] = sum / f32(u.rows);
}
