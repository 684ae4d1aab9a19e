// Draws an action of D dimensions for each row of means [rows, D] (gaussian.wgsl): row i writes to
// entries (first + i) D … of actions, and its log-probability to entry first + i. The draws are those
// of Random(seed, stream, copy i, step), a dimension after the other. Greedy: the mean. The action is
// not clipped here: its log-probability is of the action as drawn, and the environment clips.

@group(0) @binding(0) var<storage, read> means: array<f32>;
@group(0) @binding(1) var<storage, read> parameters: array<f32>;
@group(0) @binding(2) var<storage, read_write> actions: array<f32>;
@group(0) @binding(3) var<storage, read_write> log_probs: array<f32>;

struct Uniforms {
  rows: u32,
  size: u32,            // D
  first: u32,
  seed: u32,
  stream: u32,
  step: u32,
  greedy: u32,
  log_std_offset: u32,  // of the D log-deviations in parameters
}
@group(0) @binding(4) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let i = (wg.y * workgroups.x + wg.x) * 64u + local;
  if (i >= u.rows) { return; }
  var random = random_start(u.seed, u.stream, i, u.step);
  var log_prob = 0.0;
  for (var d = 0u; d < u.size; d++) {
    let log_std = parameters[u.log_std_offset + d];
    var z = 0.0;
    if (u.greedy == 0u) { z = random_normal(&random); }
    actions[(u.first + i) * u.size + d] = means[i * u.size + d] + gaussian_exp(log_std) * z;
    log_prob += gaussian_log_prob(z, log_std);
  }
  log_probs[u.first + i] = log_prob;
}
