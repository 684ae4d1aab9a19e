// Gradient of causal attention (attention.wgsl) with respect to its queries, from do = d(o):
//   p[j] = exp(scale · q·k[j] - log_sum)      d = do·o      dq = scale · Σ_j p[j] (do·v[j] - d) k[j]
// over keys j <= t before the sequence's end. d is kept in `deltas` for the keys' gradient.
// Shapes: qkv, result [S · length, 3W] with W = heads · D: queries, keys, values; output, gradient [S · length, W];
// log_sums, deltas [S · length, heads]; lengths [S]. One invocation a row and head. Before this text: const DIM.

struct Uniforms {
  sequences: u32, length: u32, heads: u32,
  scale: f32,
}
@group(0) @binding(0) var<storage, read> qkv: array<f32>;
@group(0) @binding(1) var<storage, read> lengths: array<u32>;
@group(0) @binding(2) var<storage, read> output: array<f32>;
@group(0) @binding(3) var<storage, read> gradient: array<f32>;
@group(0) @binding(4) var<storage, read> log_sums: array<f32>;
@group(0) @binding(5) var<storage, read_write> deltas: array<f32>;
@group(0) @binding(6) var<storage, read_write> result: array<f32>;
@group(0) @binding(7) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let i = (wg.y * count.x + wg.x) * 64u + l;
  if (i >= u.sequences * u.length * u.heads) { return; }
  let r = i / u.heads;
  let head = i % u.heads;
  let s = r / u.length;
  let t = r % u.length;
  let width = u.heads * DIM;
  let q = r * 3u * width + head * DIM;
  var dq: array<f32, DIM>;
  var delta = 0.0;
  for (var c = 0u; c < DIM; c++) { delta += gradient[i * DIM + c] * output[i * DIM + c]; }
  deltas[i] = delta;
  for (var j = 0u; j < min(t + 1u, lengths[s]); j++) {
    let k = (s * u.length + j) * 3u * width + width + head * DIM;
    var score = 0.0;
    var overlap = 0.0;
    for (var c = 0u; c < DIM; c++) {
      score += qkv[q + c] * qkv[k + c];
      overlap += gradient[i * DIM + c] * qkv[k + width + c];
    }
    let slope = exp(min(score * u.scale - log_sums[i], 0.0)) * (overlap - delta) * u.scale;
    for (var c = 0u; c < DIM; c++) { dq[c] += slope * qkv[k + c]; }
  }
  for (var c = 0u; c < DIM; c++) { result[q + c] = dq[c]; }
}
