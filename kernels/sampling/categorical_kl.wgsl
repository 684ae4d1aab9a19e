// KL(p || q) of two categorical policies for each row, and its gradient with respect to p's logits:
// kl = sum_a p_a (log p_a - log q_a) over legal actions, gradient_a = p_a (log p_a - log q_a - kl).

@group(0) @binding(0) var<storage, read> logits: array<f32>;            // p, [rows, A]
@group(0) @binding(1) var<storage, read> reference_logits: array<f32>;  // q, [rows, A]
@group(0) @binding(2) var<storage, read> masks: array<u32>;
@group(0) @binding(3) var<storage, read_write> kl: array<f32>;
@group(0) @binding(4) var<storage, read_write> logits_gradient: array<f32>;

struct Uniforms {
  rows: u32,
  actions: u32,
  masked: u32,
}
@group(0) @binding(5) var<uniform> u: Uniforms;

// q's logits follow p's.
fn logit(i: u32) -> f32 {
  let p_length = u.rows * u.actions;
  if (i < p_length) { return logits[i]; }
  return reference_logits[i - p_length];
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let i = (wg.y * workgroups.x + wg.x) * 64u + local;
  if (i >= u.rows) { return; }
  var legal = ALL_LEGAL;
  if (u.masked == 1u) { legal = masks[i]; }
  let p = categorical(i * u.actions, u.actions, legal);
  let q = categorical((u.rows + i) * u.actions, u.actions, legal);

  var sum = 0.0;
  for (var a = 0u; a < u.actions; a++) {
    let log_p = categorical_log_prob(p, a);
    if (categorical_legal(p, a)) { sum += exp(log_p) * (log_p - categorical_log_prob(q, a)); }
  }
  kl[i] = sum;
  for (var a = 0u; a < u.actions; a++) {
    let log_p = categorical_log_prob(p, a);
    let slope = exp(log_p) * (log_p - categorical_log_prob(q, a) - sum);
    logits_gradient[p.first + a] = select(0.0, slope, categorical_legal(p, a));
  }
}
