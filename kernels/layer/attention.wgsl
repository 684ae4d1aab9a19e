// Causal attention (Vaswani et al. 2017), one head at a time: with q, k, v of dim D,
//   p[j] = exp(scale · q·k[j] - m) / Σ_j exp(scale · q·k[j] - m)      o = Σ_j p[j] v[j]      over keys j <= pos(r)
// in one walk over the keys: m is the largest score so far, and what was summed shrinks when m grows
// (Milakov and Gimelshein 2018, as in FlashAttention). log_sums keeps m + log Σ for the gradient.
// Query r belongs to sequence s = r / length and stands at pos(r) = r mod length; with STEPWISE there is one
// query a sequence, at extents[s], and the keys are a cache. Else extents[s] is the length of sequence s: keys
// from there on are padding, which nobody sees (as key_padding_mask of torch.nn.MultiheadAttention).
// Shapes: queries [rows, query_stride]; keys [S · key_rows, key_stride], a row holding the key from key_first and
// the value from value_first on; output [rows, heads · D]; log_sums [rows, heads]. Head h takes D numbers from h · D on.
// One invocation a row and head. Before this text: const DIM, STEPWISE.

struct Uniforms {
  rows: u32, length: u32, heads: u32,
  query_stride: u32, key_rows: u32, key_stride: u32, key_first: u32, value_first: u32,
  scale: f32,
}
@group(0) @binding(0) var<storage, read> queries: array<f32>;
@group(0) @binding(1) var<storage, read> keys: array<f32>;
@group(0) @binding(2) var<storage, read> extents: array<u32>;
@group(0) @binding(3) var<storage, read_write> output: array<f32>;
@group(0) @binding(4) var<storage, read_write> log_sums: array<f32>;
@group(0) @binding(5) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let i = (wg.y * count.x + wg.x) * 64u + l;
  if (i >= u.rows * u.heads) { return; }
  let r = i / u.heads;
  let head = i % u.heads;
  let s = r / u.length;
  var seen = min(r % u.length + 1u, extents[s]);
  if (STEPWISE) { seen = min(extents[s] + 1u, u.key_rows); }

  let q = r * u.query_stride + head * DIM;
  var largest = -3.0e38;
  var sum = 0.0;
  var o: array<f32, DIM>;
  for (var j = 0u; j < seen; j++) {
    let row = (s * u.key_rows + j) * u.key_stride + head * DIM;
    var score = 0.0;
    for (var c = 0u; c < DIM; c++) { score += queries[q + c] * keys[row + u.key_first + c]; }
    score *= u.scale;
    let m = max(largest, score);
    let shrink = exp(largest - m);
    let weight = exp(score - m);
    sum = sum * shrink + weight;
    for (var c = 0u; c < DIM; c++) { o[c] = o[c] * shrink + weight * keys[row + u.value_first + c]; }
    largest = m;
  }
  for (var c = 0u; c < DIM; c++) { output[i * DIM + c] = select(o[c] / sum, 0.0, seen == 0u); }
  log_sums[i] = select(largest + log(sum), 0.0, seen == 0u);
}
