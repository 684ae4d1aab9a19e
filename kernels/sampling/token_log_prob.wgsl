// Log-probability and entropy of every token that is to teach, from the logits of a whole batch. Token t of
// sequence s is predicted by the row before it: row(s, t) = s sequence_stride + t position_stride. The
// distribution is next_token.wgsl's, in the grammar state in which the token was chosen. 0 elsewhere.
// With label smoothing e (Szegedy et al. 2016, arXiv:1512.00567, as in torch's cross_entropy) it is instead
// (1 - e) log p(token) + e mean of log p over the legal tokens.
// Shapes: logits [rows, V]; tokens, grammar_states, mask, log_probs, entropies [S, L]; grammar [states, V].

@group(0) @binding(0) var<storage, read> logits: array<f32>;
@group(0) @binding(1) var<storage, read> tokens: array<u32>;
@group(0) @binding(2) var<storage, read> grammar_states: array<u32>;
@group(0) @binding(3) var<storage, read> mask: array<f32>;
@group(0) @binding(4) var<storage, read> grammar: array<u32>;
@group(0) @binding(5) var<storage, read_write> log_probs: array<f32>;
@group(0) @binding(6) var<storage, read_write> entropies: array<f32>;

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
@group(0) @binding(7) var<uniform> u: Uniforms;

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
  var log_prob = 0.0;
  var entropy = 0.0;
  if (t > 0u && mask[i] != 0.0) {
    let policy = next_token(s * u.sequence_stride + (t - 1u) * u.position_stride, grammar_states[i]);
    log_prob = next_token_log_prob(policy, tokens[i]);
    if (u.smoothing > 0.0) { log_prob = mix(log_prob, next_token_mean_log_prob(policy), u.smoothing); }
    entropy = policy.entropy;
  }
  log_probs[i] = log_prob;
  entropies[i] = entropy;
}
