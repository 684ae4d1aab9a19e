// Lambda of each sequence, from its number n of tokens (or turns) with mask 1. One invocation a sequence.
//   rule 0  lambda                                  the same for all
//   rule 1  max(0, 1 - 1/(alpha·n))                 length-adaptive: VAPO, arXiv:2504.05118; AReaL, lambda_fn.py
//   rule 2  q^(1/(n - 1)), 1 where n is 1           the first token keeps the share q of the last reward: AReaL, ibid.
// An empty sequence has lambda 0 under rules 1 and 2. `value` is lambda, alpha or q.
// Shapes: mask [sequences, length], lambdas [sequences].

const LENGTH_ADAPTIVE = 1u;
const RELATIVE_POSITION = 2u;

struct Uniforms {
  sequences: u32,
  length: u32,
  rule: u32,
  value: f32,
}

@group(0) @binding(0) var<storage, read> mask: array<f32>;
@group(0) @binding(1) var<storage, read_write> lambdas: array<f32>;
@group(0) @binding(2) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let s = (wg.y * count.x + wg.x) * 64u + l;
  if (s >= u.sequences) { return; }
  var n = 0.0;
  for (var t = 0u; t < u.length; t++) {
    n += select(0.0, 1.0, mask[s * u.length + t] != 0.0);
  }
  var lambda = u.value;
  if (u.rule == LENGTH_ADAPTIVE) { lambda = max(0.0, 1.0 - 1.0 / max(u.value * n, 1e-30)); }
  if (u.rule == RELATIVE_POSITION) {
    lambda = min(n, 1.0);
    if (n > 1.0) { lambda = pow(u.value, 1.0 / (n - 1.0)); }
  }
  lambdas[s] = lambda;
}
