// logits_gradient [rows, V] = d sum(log_prob_gradient * log_prob + entropy_gradient * entropy) / d logits, with
// both as in token_log_prob.wgsl. With p the probabilities at temperature T, label smoothing e and n legal tokens:
//   (log_prob_gradient ((1 - e) 1[v = token] + e / n - p_v) - entropy_gradient p_v (log p_v + entropy)) / T
// Rows that predict no token with mask 1 get 0, and so do illegal tokens, exactly.
// Shapes as in token_log_prob.wgsl; log_prob_gradient, entropy_gradient [S, L]. One invocation a row.

@group(0) @binding(0) var<storage, read> logits: array<f32>;
@group(0) @binding(1) var<storage, read> tokens: array<u32>;
@group(0) @binding(2) var<storage, read> grammar_states: array<u32>;
@group(0) @binding(3) var<storage, read> mask: array<f32>;
@group(0) @binding(4) var<storage, read> grammar: array<u32>;
@group(0) @binding(5) var<storage, read> log_prob_gradient: array<f32>;
@group(0) @binding(6) var<storage, read> entropy_gradient: array<f32>;
@group(0) @binding(7) var<storage, read_write> logits_gradient: array<f32>;

struct Uniforms {
  sequences: u32,
  length: u32,
  vocabulary: u32,
  sequence_stride: u32,
  position_stride: u32,
  temperature: f32,
  grammar: u32,
  smoothing: f32,
}
@group(0) @binding(8) var<uniform> u: Uniforms;

fn logit(i: u32) -> f32 { return logits[i]; }
fn grammar_entry(i: u32) -> u32 { return grammar[i]; }

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let i = (wg.y * workgroups.x + wg.x) * 64u + local;
  if (i >= u.sequences * u.length) { return; }
  let s = i / u.length;
  let t = i % u.length;
  let row = s * u.sequence_stride + t * u.position_stride;
  // Row t speaks of token t + 1, which has the next place in the arrays.
  if (t + 1u >= u.length || mask[i + 1u] == 0.0) {
    for (var v = 0u; v < u.vocabulary; v++) { logits_gradient[row * u.vocabulary + v] = 0.0; }
    return;
  }
  let policy = next_token(row, grammar_states[i + 1u]);
  let by_log_prob = log_prob_gradient[i + 1u] / u.temperature;
  let by_entropy = entropy_gradient[i + 1u] / u.temperature;
  let token = tokens[i + 1u];
  var share = 0.0;
  if (u.smoothing > 0.0) { share = u.smoothing / next_token_choices(policy); }
  for (var v = 0u; v < u.vocabulary; v++) {
    let log_prob = next_token_log_prob(policy, v);
    let prob = exp(log_prob);
    let slope = by_log_prob * (share + select(0.0, 1.0 - u.smoothing, v == token) - prob) - by_entropy * prob * (log_prob + policy.entropy);
    logits_gradient[policy.first + v] = select(0.0, slope, next_token_legal(policy, v));
  }
}
