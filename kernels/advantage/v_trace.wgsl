// V-trace targets and advantages over episodes of tokens that another policy sampled; one invocation a sequence, from
// the last token backwards.
//   rho_t = exp(proximal - behaviour), the log-ratio bounded to ±20
//   delta = min(rho_t, rho_max)·(r_t + gamma·V(next) - V_t)      acc_t = delta + gamma·min(rho_t, c_max)·acc(next)
//   return_t = V_t + acc_t      A_t = min(rho_t, policy_rho_max)·(r_t + gamma·return(next) - V_t)
// Espeholt et al., "IMPALA" (2018), arXiv:1802.01561; torchbeast, vtrace.py. "next" is the next token with mask 1, and
// final_values after the last. Where the mask is 0: advantage 0, return = value.
// Shapes: [sequences, length], but final_values [sequences].

struct Uniforms {
  sequences: u32,
  length: u32,
  gamma: f32,
  rho_max: f32,
  c_max: f32,
  policy_rho_max: f32,
}

@group(0) @binding(0) var<storage, read> rewards: array<f32>;
@group(0) @binding(1) var<storage, read> values: array<f32>;
@group(0) @binding(2) var<storage, read> mask: array<f32>;
@group(0) @binding(3) var<storage, read> behaviour: array<f32>;
@group(0) @binding(4) var<storage, read> proximal: array<f32>;
@group(0) @binding(5) var<storage, read> final_values: array<f32>;
@group(0) @binding(6) var<storage, read_write> advantages: array<f32>;
@group(0) @binding(7) var<storage, read_write> returns: array<f32>;
@group(0) @binding(8) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let s = (wg.y * count.x + wg.x) * 64u + l;
  if (s >= u.sequences) { return; }
  var value_after = final_values[s];
  var return_after = value_after;
  var accumulated = 0.0;
  for (var t = u.length; t > 0u; t--) {
    let i = s * u.length + t - 1u;
    let value = values[i];
    if (mask[i] == 0.0) {
      advantages[i] = 0.0;
      returns[i] = value;
      continue;
    }
    let rho = exp(clamp(proximal[i] - behaviour[i], -20.0, 20.0));
    let delta = min(rho, u.rho_max) * (rewards[i] + u.gamma * value_after - value);
    accumulated = delta + u.gamma * min(rho, u.c_max) * accumulated;
    advantages[i] = min(rho, u.policy_rho_max) * (rewards[i] + u.gamma * return_after - value);
    return_after = value + accumulated;
    returns[i] = return_after;
    value_after = value;
  }
}
