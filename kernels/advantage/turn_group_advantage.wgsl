// Advantage of each turn's score over its step group, one invocation a turn.
//   A = score - mean      scale 1: / (deviation + epsilon), the deviation of a sample (n - 1)
// The step group of a turn is every turn, within the sequence's group, that
//   by_key 0  has the same number            MT-GRPO, arXiv:2505.11821; SWEET-RL, arXiv:2503.15478
//   by_key 1  has the same key               GiGPO, arXiv:2505.10978: the same anchor observation
// before_last 1: the last turn of an episode has no part in it. A step group of one turn, and one whose scores are equal
// but for rounding, gets exactly 0. step_groups names the group by the smallest index s·length + k in it.
// Two passes over the members, in ascending order along the chain of the group (group_links.wgsl); turn arrays as in
// turn_sums.wgsl. Shapes: turn_scores, turn_mask, keys, turn_advantages, step_groups [sequences, length]; links
// [sequences, 2]; turn_counts [sequences]. After chan.wgsl.

const NONE = 0xffffffffu;

struct Uniforms {
  sequences: u32,
  length: u32,
  by_key: u32,
  before_last: u32,
  scale: u32,
  epsilon: f32,
}

@group(0) @binding(0) var<storage, read> turn_scores: array<f32>;
@group(0) @binding(1) var<storage, read> turn_mask: array<f32>;
@group(0) @binding(2) var<storage, read> keys: array<u32>;
@group(0) @binding(3) var<storage, read> links: array<u32>;
@group(0) @binding(4) var<storage, read> turn_counts: array<u32>;
@group(0) @binding(5) var<storage, read_write> turn_advantages: array<f32>;
@group(0) @binding(6) var<storage, read_write> step_groups: array<u32>;
@group(0) @binding(7) var<uniform> u: Uniforms;

fn turns_of(s: u32) -> u32 {
  return turn_counts[s] - min(u.before_last, turn_counts[s]);
}

struct Sum {
  n: f32,
  total: f32,
  first: u32,
}

// Over the step group of turn k of sequence s: how many, Σ (score - center)^power, and the first of them.
fn sum_over_group(s: u32, k: u32, center: f32, squared: bool) -> Sum {
  let key = keys[s * u.length + k];
  var sum = Sum(0.0, 0.0, NONE);
  for (var o = links[s * 2u]; o < u.sequences; o = links[o * 2u + 1u]) {
    let end = turns_of(o);
    var j = select(k, 0u, u.by_key != 0u);
    let stop = select(min(k + 1u, end), end, u.by_key != 0u);
    for (; j < stop; j++) {
      let i = o * u.length + j;
      if (turn_mask[i] == 0.0 || (u.by_key != 0u && keys[i] != key)) { continue; }
      let d = turn_scores[i] - center;
      sum.n += 1.0;
      sum.total += select(d, d * d, squared);
      sum.first = min(sum.first, i);
    }
  }
  return sum;
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let i = (wg.y * count.x + wg.x) * 64u + l;
  if (i >= u.sequences * u.length) { return; }
  let s = i / u.length;
  let k = i - s * u.length;
  turn_advantages[i] = 0.0;
  step_groups[i] = NONE;
  if (turn_mask[i] == 0.0 || k >= turns_of(s)) { return; }
  let sum = sum_over_group(s, k, 0.0, false);
  let mean = sum.total / sum.n;
  step_groups[i] = sum.first;
  if (sum.n < 2.0) { return; }
  let deviation = sqrt(sum_over_group(s, k, mean, true).total / (sum.n - 1.0));
  if (deviation_is_zero(deviation, mean)) { return; }
  turn_advantages[i] = (turn_scores[i] - mean) / select(1.0, deviation + u.epsilon, u.scale != 0u);
}
