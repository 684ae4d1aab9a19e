// The weight of each token in the loss, so that every way of averaging is sum(weights * token losses):
//   weights[s, t] = mask[s, t] / (row * batch * divisor)
// row: 1, or the tokens of sequence s. batch: 1, the tokens of the batch, its sequences that have any
// token, or all its sequences. token_weights.ts names the usual combinations. One invocation a sequence;
// each adds up the counts in the same order.

@group(0) @binding(0) var<storage, read> mask: array<f32>;           // [S, L]
@group(0) @binding(1) var<storage, read> counts: array<f32>;         // [S], of token_counts.wgsl
@group(0) @binding(2) var<storage, read_write> weights: array<f32>;  // [S, L]

struct Uniforms {
  sequences: u32,  // S
  length: u32,     // L
  row: u32,        // 0: 1. 1: tokens of the sequence
  batch: u32,      // 0: 1. 1: tokens. 2: sequences with a token. 3: sequences
  divisor: f32,
}
@group(0) @binding(3) var<uniform> u: Uniforms;

@compute @workgroup_size(16)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let s = (wg.y * workgroups.x + wg.x) * 16u + local;
  if (s >= u.sequences) { return; }
  var tokens = 0.0;
  var filled = 0.0;
  for (var i = 0u; i < u.sequences; i++) {
    let count = counts[i];
    tokens += count;
    filled += select(0.0, 1.0, count > 0.0);
  }
  var batch = 1.0;
  if (u.batch == 1u) { batch = tokens; }
  if (u.batch == 2u) { batch = filled; }
  if (u.batch == 3u) { batch = f32(u.sequences); }
  let row = select(1.0, counts[s], u.row == 1u);
  // A masked token weighs exactly 0, also where there is nothing to divide by.
  let weight = 1.0 / (max(row, 1.0) * max(batch, 1.0) * u.divisor);
  for (var t = 0u; t < u.length; t++) {
    let at = s * u.length + t;
    weights[at] = select(0.0, weight, mask[at] != 0.0);
  }
}
