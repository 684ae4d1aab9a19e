// Discounted returns of episodes of tokens, and their advantage over a baseline. One invocation a sequence, from the
// last token backwards.
//   G_t = r_t + discount·G(next)      advantage_t = G_t - b
// "next" is the next token with mask 1; the discount is gamma within a turn and turn_gamma to the next turn, so that
// gamma 1 counts time in turns. After the last token comes turn_gamma·final_values: V of the last state of a truncated
// episode, else 0. Rewards where the mask is 0 are dropped.
// REINFORCE: Williams (1992). REINFORCE++: arXiv:2501.03262. Baseline 1, values[s, t]: a critic; 2, baselines[s]: the
// reward of a greedy episode (ReMax, arXiv:2310.10505).
// reset 1: observations cut, as in an older verl: what follows one never reaches the tokens before it.
// Where the mask is 0 the return is that of the next token, the advantage 0.
// Shapes: [sequences, length], but final_values and baselines [sequences].

const OF_TOKEN = 1u;
const OF_SEQUENCE = 2u;

struct Uniforms {
  sequences: u32,
  length: u32,
  gamma: f32,
  turn_gamma: f32,
  baseline: u32,
  reset: u32,
}

@group(0) @binding(0) var<storage, read> rewards: array<f32>;
@group(0) @binding(1) var<storage, read> mask: array<f32>;
@group(0) @binding(2) var<storage, read> turns: array<u32>;
@group(0) @binding(3) var<storage, read> final_values: array<f32>;
@group(0) @binding(4) var<storage, read> values: array<f32>;
@group(0) @binding(5) var<storage, read> baselines: array<f32>;
@group(0) @binding(6) var<storage, read_write> returns: array<f32>;
@group(0) @binding(7) var<storage, read_write> advantages: array<f32>;
@group(0) @binding(8) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let s = (wg.y * count.x + wg.x) * 64u + l;
  if (s >= u.sequences) { return; }
  var following = final_values[s];
  var turn_after = 0xffffffffu;
  for (var t = u.length; t > 0u; t--) {
    let i = s * u.length + t - 1u;
    var advantage = 0.0;
    if (mask[i] != 0.0) {
      following = rewards[i] + select(u.gamma, u.turn_gamma, turns[i] != turn_after) * following;
      turn_after = turns[i];
      advantage = following;
      if (u.baseline == OF_TOKEN) { advantage -= values[i]; }
      if (u.baseline == OF_SEQUENCE) { advantage -= baselines[s]; }
    } else if (u.reset != 0u) {
      following = 0.0;
    }
    returns[i] = following;
    advantages[i] = advantage;
  }
}
