// Score and length of each episode, one invocation a sequence.
//   score_s = Σ_t rewards[s, t], over all positions      length_s = number of positions with mask 1
// The sum is not masked: an episode whose tokens a filter has switched off still counts in its group (verl, core_algos.py).
// Shapes: rewards and mask [sequences, length], scores and lengths [sequences].

struct Uniforms {
  sequences: u32,
  length: u32,
}

@group(0) @binding(0) var<storage, read> rewards: array<f32>;
@group(0) @binding(1) var<storage, read> mask: array<f32>;
@group(0) @binding(2) var<storage, read_write> scores: array<f32>;
@group(0) @binding(3) var<storage, read_write> lengths: array<f32>;
@group(0) @binding(4) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let s = (wg.y * count.x + wg.x) * 64u + l;
  if (s >= u.sequences) { return; }
  var score = 0.0;
  var n = 0.0;
  for (var t = 0u; t < u.length; t++) {
    let i = s * u.length + t;
    score += rewards[i];
    n += select(0.0, 1.0, mask[i] != 0.0);
  }
  scores[s] = score;
  lengths[s] = n;
}
