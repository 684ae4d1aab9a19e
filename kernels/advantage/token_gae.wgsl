// Generalised advantage estimation over episodes of tokens, one invocation a sequence, from the last token backwards.
//   delta = r_t + gamma·V(next) - V_t      A_t = delta + gamma·lambda·A(next)      return_t = A_t + V_t
// "next" is the next token with mask 1: observations between two turns are jumped over, so neither their value nor
// their reward enters (verl, core_algos.py, compute_gae_advantage_return). After the last one comes final_values: V of
// the last state where the episode was truncated, else 0 (AReaL, gae.py).
// lambda is one number a sequence (VAPO, arXiv:2504.05118: longer answers, larger lambda; sequence_lambda.wgsl).
// With `dual` the step from the last token of a turn to the next turn has its own discount and lambda (Verlog,
// core_algos.py); a turn_gamma of 0 cuts there, which is the inner level of bi-level GAE (RAGEN, core_algos.py).
// Where the mask is 0 the advantage is 0 and the return the value itself.
// Shapes: [sequences, length], but final_values and lambdas [sequences].

const NO_TURN = 0xffffffffu;

struct Uniforms {
  sequences: u32,
  length: u32,
  gamma: f32,
  dual: u32,
  turn_gamma: f32,
  turn_lambda: f32,
}

@group(0) @binding(0) var<storage, read> rewards: array<f32>;
@group(0) @binding(1) var<storage, read> values: array<f32>;
@group(0) @binding(2) var<storage, read> mask: array<f32>;
@group(0) @binding(3) var<storage, read> turns: array<u32>;
@group(0) @binding(4) var<storage, read> final_values: array<f32>;
@group(0) @binding(5) var<storage, read> lambdas: array<f32>;
@group(0) @binding(6) var<storage, read_write> advantages: array<f32>;
@group(0) @binding(7) var<storage, read_write> returns: array<f32>;
@group(0) @binding(8) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let s = (wg.y * count.x + wg.x) * 64u + l;
  if (s >= u.sequences) { return; }
  var advantage = 0.0;
  var value_after = final_values[s];
  var turn_after = NO_TURN;
  for (var t = u.length; t > 0u; t--) {
    let i = s * u.length + t - 1u;
    let value = values[i];
    if (mask[i] == 0.0) {
      advantages[i] = 0.0;
      returns[i] = value;
      continue;
    }
    let between = u.dual != 0u && turns[i] != turn_after;
    let gamma = select(u.gamma, u.turn_gamma, between);
    let lambda = select(lambdas[s], u.turn_lambda, between);
    advantage = rewards[i] + gamma * value_after - value + gamma * lambda * advantage;
    advantages[i] = advantage;
    returns[i] = advantage + value;
    value_after = value;
    turn_after = turns[i];
  }
}
