// KL-Cov (Cui et al. 2025, arXiv:2505.22617; verl core_algos.py compute_policy_loss_kl_cov @ 1dda039): the tokens whose
// advantage and log-probability lie furthest above their means together, (A - mean A)(log_prob - mean log_prob), are those
// that take the entropy away. weights_out keeps the weights of the `share` of tokens where this is largest (one at
// least) and is 0 elsewhere, so that a KL penalty with these weights holds only them.
//
// One workgroup. The smallest value that is still taken is found bit by bit, from the highest, among the floats as
// ordered whole numbers.

const LANES = 64u;

@group(0) @binding(0) var<storage, read> mask: array<f32>;        // [S, L]
@group(0) @binding(1) var<storage, read> weights: array<f32>;     // [S, L]
@group(0) @binding(2) var<storage, read> log_probs: array<f32>;   // [S, L]
@group(0) @binding(3) var<storage, read> advantages: array<f32>;  // [S, L]
@group(0) @binding(4) var<storage, read_write> weights_out: array<f32>;  // [S, L]

struct Uniforms {
  tokens: u32,  // S L
  share: f32,
}
@group(0) @binding(5) var<uniform> u: Uniforms;

var<workgroup> partials: array<vec3f, LANES>;
var<workgroup> counts: array<u32, LANES>;

// The covariance as a whole number in the same order.
fn key(at: u32, mean_advantage: f32, mean_log_prob: f32) -> u32 {
  let bits = bitcast<u32>((advantages[at] - mean_advantage) * (log_probs[at] - mean_log_prob));
  return select(bits | 0x80000000u, ~bits, (bits >> 31u) == 1u);
}

@compute @workgroup_size(LANES)
fn main(@builtin(local_invocation_index) local: u32) {
  var sums = vec3f();
  for (var at = local; at < u.tokens; at += LANES) {
    if (mask[at] != 0.0) { sums += vec3f(1.0, advantages[at], log_probs[at]); }
  }
  partials[local] = sums;
  workgroupBarrier();
  var total = vec3f();
  for (var i = 0u; i < LANES; i++) { total += partials[i]; }
  let mean = total / max(total.x, 1.0);
  // The small addition: 10 tokens times a share of 0.7 is 7, also in single precision.
  let taken = max(1u, u32(floor(total.x * u.share + 1e-4)));

  var threshold = 0u;
  for (var bit = 0u; bit < 32u; bit++) {
    let candidate = threshold | (0x80000000u >> bit);
    var count = 0u;
    for (var at = local; at < u.tokens; at += LANES) {
      if (mask[at] != 0.0 && key(at, mean.y, mean.z) >= candidate) { count += 1u; }
    }
    workgroupBarrier();
    counts[local] = count;
    workgroupBarrier();
    var all = 0u;
    for (var i = 0u; i < LANES; i++) { all += counts[i]; }
    if (all >= taken) { threshold = candidate; }
  }
  for (var at = local; at < u.tokens; at += LANES) {
    weights_out[at] = select(0.0, weights[at], mask[at] != 0.0 && key(at, mean.y, mean.z) >= threshold);
  }
}
