// From episodes and turns back to tokens, one invocation a sequence, from the last token backwards.
//   output[s, t] = sequence_weight · by_sequence[s] + turn_weight · by_turn[s, turns[s, t]]      0 where the mask is 0
// last_only 1: only at the last token of each turn, 0 at the others (a turn's reward stands there).
// A weight of 0 leaves its buffer unread. Shapes: by_sequence [sequences]; the others [sequences, length].

struct Uniforms {
  sequences: u32,
  length: u32,
  sequence_weight: f32,
  turn_weight: f32,
  last_only: u32,
}

@group(0) @binding(0) var<storage, read> by_sequence: array<f32>;
@group(0) @binding(1) var<storage, read> by_turn: array<f32>;
@group(0) @binding(2) var<storage, read> mask: array<f32>;
@group(0) @binding(3) var<storage, read> turns: array<u32>;
@group(0) @binding(4) var<storage, read_write> output: array<f32>;
@group(0) @binding(5) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let s = (wg.y * count.x + wg.x) * 64u + l;
  if (s >= u.sequences) { return; }
  let row = s * u.length;
  var episode = 0.0;
  if (u.sequence_weight != 0.0) { episode = u.sequence_weight * by_sequence[s]; }
  var turn_after = 0xffffffffu;
  for (var t = u.length; t > 0u; t--) {
    let i = row + t - 1u;
    let k = turns[i];
    var value = 0.0;
    if (mask[i] != 0.0) {
      if (u.last_only == 0u || k != turn_after) {
        value = episode;
        if (u.turn_weight != 0.0 && k < u.length) { value += u.turn_weight * by_turn[row + k]; }
      }
      turn_after = k;
    }
    output[i] = value;
  }
}
