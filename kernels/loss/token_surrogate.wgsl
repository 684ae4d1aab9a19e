// The policy's loss over tokens, its derivative by log-probability, and the statistics of each sequence.
//   loss = sum over tokens of weight * surrogate
// token_surrogate.ts puts the columns of `statistics` before this text and the surrogate (surrogate_*.wgsl:
// `sequence_term`, `surrogate`, `SEQUENCE_LOSS`) after it. One invocation a sequence: first what belongs to the whole sequence, then each token.
//
// The ratio r of a token is exp(log_prob - old_log_prob), its exponent within ±20 (verl; OpenRLHF/OpenRLHF#1314).
// With `sequence_ratio` it is the geometric mean over the sequence's tokens (GSPO, Zheng et al. 2025,
// arXiv:2507.18071), its exponent at most 10; each token carries an equal share of its derivative.

const LOG_RATIO_BOUND = 20.0;
const SEQUENCE_LOG_RATIO_BOUND = 10.0;

@group(0) @binding(0) var<storage, read> mask: array<f32>;           // [S, L]
@group(0) @binding(1) var<storage, read> weights: array<f32>;        // [S, L]
@group(0) @binding(2) var<storage, read> log_probs: array<f32>;      // [S, L]
@group(0) @binding(3) var<storage, read> old_log_probs: array<f32>;  // [S, L]
@group(0) @binding(4) var<storage, read> advantages: array<f32>;     // [S, L]
@group(0) @binding(5) var<storage, read_write> log_prob_gradient: array<f32>;  // [S, L], 0 where the mask is 0
@group(0) @binding(6) var<storage, read_write> statistics: array<f32>;         // [S, STATISTICS]

struct Uniforms {
  sequences: u32,       // S
  length: u32,          // L
  sequence_ratio: u32,  // 0: a ratio a token. 1: one a sequence
  SURROGATE_UNIFORMS
}
@group(0) @binding(7) var<uniform> u: Uniforms;

struct Token {
  log_prob: f32,
  old_log_prob: f32,
  log_ratio: f32,      // the token's own, as it is
  ratio: f32,          // bounded; the token's or the sequence's
  moves: f32,          // 1, or 0 where the ratio was bounded and so does not move
  advantage: f32,
  count: f32,          // of the sequence's tokens
  term_sum: f32,       // of their sequence_term
  advantage_sum: f32,
}

struct Surrogate {
  loss: f32,
  slope: f32,  // d loss / d log_prob
  low: bool,   // counted as clipped below, above, and by a second bound
  high: bool,
  dual: bool,
}

@compute @workgroup_size(16)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let s = (wg.y * workgroups.x + wg.x) * 16u + local;
  if (s >= u.sequences) { return; }
  let begin = s * u.length;

  var token = Token();
  var log_ratio_sum = 0.0;
  for (var at = begin; at < begin + u.length; at++) {
    if (mask[at] != 0.0) {
      let log_ratio = log_probs[at] - old_log_probs[at];
      token.count += 1.0;
      token.term_sum += sequence_term(log_ratio, advantages[at]);
      token.advantage_sum += advantages[at];
      log_ratio_sum += log_ratio;
    }
  }
  let sequence_log_ratio = log_ratio_sum / max(token.count, 1.0);

  var policy_loss = 0.0;
  var divergences = vec3f();  // -log r, r - 1 - log r, r
  var counts = vec4f();       // clipped low, high, dual; bounded
  for (var at = begin; at < begin + u.length; at++) {
    var slope = 0.0;
    if (mask[at] != 0.0) {
      token.log_prob = log_probs[at];
      token.old_log_prob = old_log_probs[at];
      token.advantage = advantages[at];
      token.log_ratio = token.log_prob - token.old_log_prob;
      let own = clamp(token.log_ratio, -LOG_RATIO_BOUND, LOG_RATIO_BOUND);
      var exact = token.log_ratio;
      var bounded = own;
      if (u.sequence_ratio == 1u) {
        exact = sequence_log_ratio;
        bounded = clamp(exact, -LOG_RATIO_BOUND, SEQUENCE_LOG_RATIO_BOUND);
      }
      token.ratio = exp(bounded);
      token.moves = select(0.0, 1.0, bounded == exact);
      let found = surrogate(token);

      let weight = weights[at];
      slope = weight * found.slope;
      policy_loss += weight * found.loss;
      // Losses of whole sequences report the divergence of the log-ratios as they are (verl).
      let reported = select(own, token.log_ratio, SEQUENCE_LOSS || u.sequence_ratio == 1u);
      divergences += vec3f(-reported, exp(own) - 1.0 - own, exp(own));
      counts += select(vec4f(), vec4f(1.0), vec4<bool>(found.low, found.high, found.dual, bounded != exact));
    }
    log_prob_gradient[at] = slope;
  }

  let row = s * STATISTICS;
  for (var column = 0u; column < STATISTICS; column++) { statistics[row + column] = 0.0; }
  statistics[row + STATISTIC_TOKENS] = token.count;
  statistics[row + STATISTIC_LOSS] = policy_loss;
  statistics[row + STATISTIC_POLICY_LOSS] = policy_loss;
  statistics[row + STATISTIC_OLD_APPROX_KL] = divergences.x;
  statistics[row + STATISTIC_APPROX_KL] = divergences.y;
  statistics[row + STATISTIC_RATIO] = divergences.z;
  statistics[row + STATISTIC_CLIPPED_LOW] = counts.x;
  statistics[row + STATISTIC_CLIPPED_HIGH] = counts.y;
  statistics[row + STATISTIC_DUAL_CLIPPED] = counts.z;
  statistics[row + STATISTIC_BOUNDED] = counts.w;
}
