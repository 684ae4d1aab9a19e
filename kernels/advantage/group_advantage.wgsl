// Advantage of each sequence's score over its group, one invocation a sequence.
//   baseline 0  score - mean                     GRPO, arXiv:2402.03300; with weighted means OPO, arXiv:2505.23585
//   baseline 1  score - mean of the others       RLOO, arXiv:2402.14740
//   baseline 2  max(0, score - best other)       pass@k, arXiv:2503.19595: only the best of a group, over the second best
//   scale 0     nothing                          Dr. GRPO, arXiv:2503.20783
//   scale 1     / (deviation + epsilon)          the deviation of `scaling`: of the group, or of the whole batch
//   scale 2     · n / (scores that are not 0)    GPG, arXiv:2504.02546; n and the scores of `scaling`
// A group whose scores are all equal gets exactly 0. A group of one has nothing to compare with: 0, or with lone 1 the
// score itself, as verl keeps it. The variance is at least variance_floor before its root is taken (an older verl).
// A sequence of weight 0 gets 0. Shapes: scores, weights, advantages [sequences]; own, scaling [sequences, 5].

const LEAVE_ONE_OUT = 1u;
const BEST_OTHER = 2u;
const DEVIATION = 1u;
const NONZERO = 2u;

struct Uniforms {
  sequences: u32,
  weighted: u32,
  baseline: u32,
  scale: u32,
  lone: u32,
  epsilon: f32,
  variance_floor: f32,
}

@group(0) @binding(0) var<storage, read> scores: array<f32>;
@group(0) @binding(1) var<storage, read> weights: array<f32>;
@group(0) @binding(2) var<storage, read> own: array<f32>;
@group(0) @binding(3) var<storage, read> scaling: array<f32>;
@group(0) @binding(4) var<storage, read_write> advantages: array<f32>;
@group(0) @binding(5) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let s = (wg.y * count.x + wg.x) * 64u + l;
  if (s >= u.sequences) { return; }
  if (u.weighted != 0u && weights[s] == 0.0) {
    advantages[s] = 0.0;
    return;
  }
  let n = own[s * 5u];
  let score = scores[s];
  var advantage = score - own[s * 5u + 1u];
  if (u.baseline == LEAVE_ONE_OUT) { advantage *= n / max(n - 1.0, 1.0); }
  if (u.baseline == BEST_OTHER) { advantage = max(0.0, score - own[s * 5u + 3u]); }
  advantage = select(0.0, advantage, own[s * 5u + 2u] > 0.0);
  if (n < 2.0) { advantage = select(0.0, score, u.lone != 0u); }
  let deviation = scaling[s * 5u + 2u];
  if (u.scale == DEVIATION && deviation > 0.0) {
    advantage /= sqrt(max(deviation * deviation, u.variance_floor)) + u.epsilon;
  }
  if (u.scale == NONZERO) { advantage *= scaling[s * 5u] / max(scaling[s * 5u + 4u], 1.0); }
  advantages[s] = advantage;
}
