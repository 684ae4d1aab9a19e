// Losses over pairs of episodes, of which one is preferred: sequence 2i is chosen, 2i + 1 rejected. With C and R the
// log-probabilities of a pair's tokens, summed (or as means with `mean`), each less that of the reference:
//   0 logistic  a softplus(-z) + b softplus(z), z = beta (C - R). DPO (Rafailov et al. 2023, arXiv:2305.18290): a = 1,
//               b = 0. Labels that are wrong with probability e: conservative a = 1 - e, b = e (Mitchell 2023);
//               robust a = (1 - e) / (1 - 2e), b = -e / (1 - 2e) (Chowdhury et al. 2024, arXiv:2403.00409)
//   1 hinge     max(0, 1 - z), of SLiC (Zhao et al. 2023, arXiv:2305.10425)
//   2 IPO       ((C - R) - 1 / (2 beta))² (Azar et al. 2023, arXiv:2310.12036)
// The loss is the mean over pairs. One invocation a pair; its statistics stand in the row of the chosen sequence.

@group(0) @binding(0) var<storage, read> mask: array<f32>;                 // [2 P, L]
@group(0) @binding(1) var<storage, read> log_probs: array<f32>;            // [2 P, L]
@group(0) @binding(2) var<storage, read> reference_log_probs: array<f32>;  // [2 P, L]
@group(0) @binding(3) var<storage, read_write> log_prob_gradient: array<f32>;  // [2 P, L], 0 where the mask is 0
@group(0) @binding(4) var<storage, read_write> statistics: array<f32>;         // [2 P, STATISTICS]

struct Uniforms {
  pairs: u32,   // P
  length: u32,  // L
  kind: u32,    // 0: logistic. 1: hinge. 2: IPO
  mean: u32,    // 1: means over a sequence's tokens instead of sums
  beta: f32,
  weight_right: f32,  // a
  weight_wrong: f32,  // b
}
@group(0) @binding(5) var<uniform> u: Uniforms;

// (sum of log_probs, sum of reference_log_probs, tokens) of a sequence.
fn sums(sequence: u32) -> vec3f {
  var total = vec3f();
  for (var at = sequence * u.length; at < (sequence + 1u) * u.length; at++) {
    if (mask[at] != 0.0) { total += vec3f(log_probs[at], reference_log_probs[at], 1.0); }
  }
  return total;
}

fn write_gradient(sequence: u32, slope: f32) {
  for (var at = sequence * u.length; at < (sequence + 1u) * u.length; at++) {
    log_prob_gradient[at] = select(0.0, slope, mask[at] != 0.0);
  }
}

fn softplus(x: f32) -> f32 { return max(x, 0.0) + log(1.0 + exp(-abs(x))); }
fn sigmoid(x: f32) -> f32 { return 1.0 / (1.0 + exp(-clamp(x, -80.0, 80.0))); }

@compute @workgroup_size(16)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let pair = (wg.y * workgroups.x + wg.x) * 16u + local;
  if (pair >= u.pairs) { return; }
  let chosen = sums(2u * pair);
  let rejected = sums(2u * pair + 1u);
  let chosen_share = select(1.0, 1.0 / max(chosen.z, 1.0), u.mean == 1u);
  let rejected_share = select(1.0, 1.0 / max(rejected.z, 1.0), u.mean == 1u);
  let delta = (chosen.x - chosen.y) * chosen_share - (rejected.x - rejected.y) * rejected_share;

  let z = u.beta * delta;
  var loss = u.weight_right * softplus(-z) + u.weight_wrong * softplus(z);
  var slope = u.beta * (u.weight_wrong * sigmoid(z) - u.weight_right * sigmoid(-z));  // d loss / d delta
  if (u.kind == 1u) {
    loss = max(0.0, 1.0 - z);
    slope = select(0.0, -u.beta, z < 1.0);
  }
  if (u.kind == 2u) {
    let error = delta - 0.5 / u.beta;
    loss = error * error;
    slope = 2.0 * error;
  }
  write_gradient(2u * pair, slope * chosen_share / f32(u.pairs));
  write_gradient(2u * pair + 1u, -slope * rejected_share / f32(u.pairs));

  // Rewards that the policy stands for: beta times what it has moved from the reference.
  let chosen_reward = u.beta * (chosen.x - chosen.y);
  let rejected_reward = u.beta * (rejected.x - rejected.y);
  let row = 2u * pair * STATISTICS;
  for (var column = 0u; column < 2u * STATISTICS; column++) { statistics[row + column] = 0.0; }
  statistics[row + STATISTIC_PAIRS] = 1.0;
  statistics[row + STATISTIC_LOSS] = loss / f32(u.pairs);
  statistics[row + STATISTIC_PREFERENCE_LOSS] = loss / f32(u.pairs);
  statistics[row + STATISTIC_PREFERENCE_ACCURACY] = select(0.0, 1.0, chosen_reward > rejected_reward);
  statistics[row + STATISTIC_PREFERENCE_MARGIN] = chosen_reward - rejected_reward;
  statistics[row + STATISTIC_CHOSEN_LOG_PROB] = chosen.x;
  statistics[row + STATISTIC_REJECTED_LOG_PROB] = rejected.x;
  statistics[row + STATISTIC_CHOSEN_REWARD] = chosen_reward;
  statistics[row + STATISTIC_REJECTED_REWARD] = rejected_reward;
}
