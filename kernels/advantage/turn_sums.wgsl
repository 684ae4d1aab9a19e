// Episodes by turn instead of by token, one invocation a sequence. Column k of a turn array is turn k; as a turn has at
// least one token, [sequences, length] is room enough. Only tokens with mask 1 count.
//   turn_rewards[s, k] = Σ rewards of the turn's tokens      turn_mask[s, k] = 1 where the turn has a token
//   turn_counts[s] = 1 + last turn, 0 without any            outcomes[s] = turn_rewards of the last turn
// AReaL, gae.py, _compute_turn_level_gae: a turn is one time step, and its reward the sum over it.
// Shapes: rewards, mask, turns, turn_rewards, turn_mask [sequences, length]; turn_counts, outcomes [sequences].

struct Uniforms {
  sequences: u32,
  length: u32,
}

@group(0) @binding(0) var<storage, read> rewards: array<f32>;
@group(0) @binding(1) var<storage, read> mask: array<f32>;
@group(0) @binding(2) var<storage, read> turns: array<u32>;
@group(0) @binding(3) var<storage, read_write> turn_rewards: array<f32>;
@group(0) @binding(4) var<storage, read_write> turn_mask: array<f32>;
@group(0) @binding(5) var<storage, read_write> turn_counts: array<u32>;
@group(0) @binding(6) var<storage, read_write> outcomes: array<f32>;
@group(0) @binding(7) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let s = (wg.y * count.x + wg.x) * 64u + l;
  if (s >= u.sequences) { return; }
  let row = s * u.length;
  for (var k = 0u; k < u.length; k++) {
    turn_rewards[row + k] = 0.0;
    turn_mask[row + k] = 0.0;
  }
  var number = 0u;
  for (var t = 0u; t < u.length; t++) {
    let k = turns[row + t];
    if (mask[row + t] == 0.0 || k >= u.length) { continue; }
    turn_rewards[row + k] += rewards[row + t];
    turn_mask[row + k] = 1.0;
    number = max(number, k + 1u);
  }
  turn_counts[s] = number;
  outcomes[s] = select(0.0, turn_rewards[row + max(number, 1u) - 1u], number > 0u);
}
