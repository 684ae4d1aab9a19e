// The loss of one minibatch of B samples and its gradient with respect to what the networks put out:
//   loss = mean(policy loss) + value_coefficient * mean(value loss) - entropy_coefficient * mean(entropy)
// Conventions of CleanRL's ppo.py @ fe8d8a0 (Schulman et al. 2017; Huang et al. 2022). policy_loss.ts puts
// the policy's distribution (`policy_evaluate`, `policy_backward`) and the objective before this text.
//
// Sample i of the minibatch is row first + i of `samples` (advantage already normalised), and row
// r = indices[first + i] of the rollout. `gradient` has dense sections: outputs [B, A], values [B] and, for
// a Gaussian, its log-deviations [B, A] sample by sample.
//
// An invocation takes 8 samples, one after another, and writes the sums of their statistics: there is
// nothing to share, and the order of the sums is fixed. loss_statistics.wgsl adds those up.

const CHUNK = 8u;       // samples an invocation takes
const STATISTICS = 8u;  // numbers it writes
const LOG_RATIO_BOUND = 20.0;

@group(0) @binding(0) var<storage, read> outputs: array<f32>;  // logits or means [B, A]
@group(0) @binding(1) var<storage, read> values: array<f32>;   // [B]
@group(0) @binding(2) var<storage, read> indices: array<u32>;
@group(0) @binding(3) var<storage, read> samples: array<vec4f>;  // log-probability when acting, advantage, return, value when acting
@group(0) @binding(4) var<storage, read> actions: array<f32>;
// binding 5 belongs to the distribution
@group(0) @binding(6) var<storage, read_write> gradient: array<f32>;
@group(0) @binding(7) var<storage, read_write> statistics: array<f32>;  // [ceil(B / 8), 8]

struct Uniforms {
  rows: u32,               // B
  first: u32,
  actions: u32,            // A: actions, or dimensions of one
  clip: f32,               // the ratio may leave 1 by this much
  value_clip: f32,         // and a value its old one by this much, where clip_values is on
  clip_values: u32,        // 0: no. 1: the worse of clipped and not (CleanRL). 2: the clipped one (SB3)
  value_coefficient: f32,
  entropy_coefficient: f32,
  DISTRIBUTION_UNIFORM: u32,  // categorical: masked (0 or 1). Gaussian: log_std_offset in parameters
}
@group(0) @binding(8) var<uniform> u: Uniforms;

// (loss, its derivative) of a value estimate: half the squared error.
fn value_loss(value: f32, old_value: f32, return_: f32) -> vec2f {
  let error = value - return_;
  let plain = vec2f(0.5 * error * error, error);
  let change = value - old_value;
  let clipped_error = old_value + clamp(change, -u.value_clip, u.value_clip) - return_;
  let clipped = vec2f(0.5 * clipped_error * clipped_error, select(0.0, clipped_error, abs(change) <= u.value_clip));
  let use_clipped = u.clip_values == 2u || (u.clip_values == 1u && clipped.x > plain.x);
  return select(plain, clipped, use_clipped);
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let chunk = (wg.y * workgroups.x + wg.x) * 64u + local;
  let begin = chunk * CHUNK;
  if (begin >= u.rows) { return; }
  let share = 1.0 / f32(u.rows);

  var losses = vec3f();       // policy loss, value loss, entropy
  var divergences = vec2f();  // two estimates of KL(old || new) (Schulman 2020): -log r, and r - 1 - log r
  var counts = vec2f();       // clipped, bounded
  for (var i = begin; i < min(begin + CHUNK, u.rows); i++) {
    let sample = samples[u.first + i];
    let row = indices[u.first + i];
    let policy = policy_evaluate(i, row);

    // Bounded, so that one bad sample cannot overflow (OpenRLHF/OpenRLHF#1314).
    let exact_log_ratio = policy.log_prob - sample.x;
    let log_ratio = clamp(exact_log_ratio, -LOG_RATIO_BOUND, LOG_RATIO_BOUND);
    let bounded = log_ratio != exact_log_ratio;
    let ratio = exp(log_ratio);
    let objective = objective_loss(policy.log_prob, ratio, bounded, sample.y);
    policy_backward(policy, i, row, share * objective.slope, -share * u.entropy_coefficient);

    let value = value_loss(values[i], sample.w, sample.z);
    gradient[u.rows * u.actions + i] = share * u.value_coefficient * value.y;

    losses += vec3f(objective.loss, value.x, policy.entropy);
    divergences += vec2f(-log_ratio, ratio - 1.0 - log_ratio);
    counts += select(vec2f(), vec2f(1.0), vec2<bool>(objective.clipped, bounded));
  }

  let at = chunk * STATISTICS;
  statistics[at] = losses.x;
  statistics[at + 1u] = losses.y;
  statistics[at + 2u] = losses.z;
  statistics[at + 3u] = divergences.x;
  statistics[at + 4u] = divergences.y;
  statistics[at + 5u] = counts.x;
  statistics[at + 6u] = counts.y;
  statistics[at + 7u] = 0.0;
}
