// Gradient of causal attention (attention.wgsl) with respect to its keys and values: with p and d of
// attention_backward_query.wgsl, over queries t >= j of the same sequence,
//   dv[j] = Σ_t p[t, j] do[t]      dk[j] = scale · Σ_t p[t, j] (do[t]·v[j] - d[t]) q[t]
// Keys of padding get 0. Shapes as in attention_backward_query.wgsl, which runs first.
// One invocation a key and head. Before this text: const DIM.

struct Uniforms {
  sequences: u32, length: u32, heads: u32,
  scale: f32,
}
@group(0) @binding(0) var<storage, read> qkv: array<f32>;
@group(0) @binding(1) var<storage, read> lengths: array<u32>;
@group(0) @binding(2) var<storage, read> gradient: array<f32>;
@group(0) @binding(3) var<storage, read> log_sums: array<f32>;
@group(0) @binding(4) var<storage, read> deltas: array<f32>;
@group(0) @binding(5) var<storage, read_write> result: array<f32>;
@group(0) @binding(6) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let i = (wg.y * count.x + wg.x) * 64u + l;
  if (i >= u.sequences * u.length * u.heads) { return; }
  let r = i / u.heads;
  let head = i % u.heads;
  let s = r / u.length;
  let width = u.heads * DIM;
  let k = r * 3u * width + width + head * DIM;
  let v = k + width;
  var dk: array<f32, DIM>;
  var dv: array<f32, DIM>;
  // Nobody sees a key of padding.
  for (var t = select(u.length, r % u.length, r % u.length < lengths[s]); t < u.length; t++) {
    let row = s * u.length + t;
    let q = row * 3u * width + head * DIM;
    let o = row * width + head * DIM;
    var score = 0.0;
    var overlap = 0.0;
    for (var c = 0u; c < DIM; c++) {
      score += qkv[q + c] * qkv[k + c];
      overlap += gradient[o + c] * qkv[v + c];
    }
    let p = exp(min(score * u.scale - log_sums[row * u.heads + head], 0.0));
    let slope = p * (overlap - deltas[row * u.heads + head]) * u.scale;
    for (var c = 0u; c < DIM; c++) {
      dv[c] += p * gradient[o + c];
      dk[c] += slope * qkv[q + c];
    }
  }
  for (var c = 0u; c < DIM; c++) {
    result[k + c] = dk[c];
    result[v + c] = dv[c];
  }
}
