// What a sequence's score is compared with: statistics of its group, one invocation a sequence, over the others in
// ascending order. Groups are few and small beside a batch, so each member adds up its group again.
//   statistics[s] = (n, mean, deviation, best other score, number of scores that are not 0)
// deviation is that of a sample (n - 1), in two passes; exactly 0 of fewer than two scores, and of scores that are equal
// but for rounding.
//   weighting 0  every sequence counts once
//   weighting 1  weights say how often a sequence counts; 0 leaves it out (no score; GiGPO: as many times as it has steps)
//   weighting 2  every sequence counts once, but the mean is weighted (OPO, arXiv:2505.23585: by length)
// whole 1: all sequences are one group.
// Shapes: scores, weights, groups [sequences], statistics [sequences, 5]. After chan.wgsl.

const COUNTS = 1u;
const MEAN_ONLY = 2u;
const LOWEST = -3.4e38;

struct Uniforms {
  sequences: u32,
  whole: u32,
  weighting: u32,
}

@group(0) @binding(0) var<storage, read> scores: array<f32>;
@group(0) @binding(1) var<storage, read> weights: array<f32>;
@group(0) @binding(2) var<storage, read> groups: array<u32>;
@group(0) @binding(3) var<storage, read_write> statistics: array<f32>;
@group(0) @binding(4) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let s = (wg.y * count.x + wg.x) * 64u + l;
  if (s >= u.sequences) { return; }
  let own = groups[s];
  var n = 0.0;
  var weight = 0.0;
  var total = 0.0;
  var best = LOWEST;
  var nonzero = 0.0;
  for (var o = 0u; o < u.sequences; o++) {
    if (u.whole == 0u && groups[o] != own) { continue; }
    let times = select(1.0, weights[o], u.weighting == COUNTS);
    if (times == 0.0) { continue; }
    let share = select(times, weights[o], u.weighting == MEAN_ONLY);
    n += times;
    weight += share;
    total += share * scores[o];
    best = select(best, max(best, scores[o]), o != s);
    nonzero += select(0.0, times, scores[o] != 0.0);
  }
  let mean = select(0.0, total / weight, weight > 0.0);
  var m2 = 0.0;
  for (var o = 0u; o < u.sequences; o++) {
    if (u.whole == 0u && groups[o] != own) { continue; }
    let times = select(1.0, weights[o], u.weighting == COUNTS);
    if (times == 0.0) { continue; }
    let d = scores[o] - mean;
    m2 += times * d * d;
  }
  let deviation = sqrt(m2 / max(n - 1.0, 1.0));
  statistics[s * 5u] = n;
  statistics[s * 5u + 1u] = mean;
  statistics[s * 5u + 2u] = select(deviation, 0.0, n < 2.0 || deviation_is_zero(deviation, mean));
  statistics[s * 5u + 3u] = best;
  statistics[s * 5u + 4u] = nonzero;
}
