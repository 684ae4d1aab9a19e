// Log-probability of given actions [rows, D] and entropy, for each row of means [rows, D] (gaussian.wgsl).

@group(0) @binding(0) var<storage, read> means: array<f32>;
@group(0) @binding(1) var<storage, read> parameters: array<f32>;
@group(0) @binding(2) var<storage, read> actions: array<f32>;
@group(0) @binding(3) var<storage, read_write> log_probs: array<f32>;
@group(0) @binding(4) var<storage, read_write> entropies: array<f32>;

struct Uniforms {
  rows: u32,
  size: u32,            // D
  log_std_offset: u32,  // of the D log-deviations in parameters
}
@group(0) @binding(5) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let i = (wg.y * workgroups.x + wg.x) * 64u + local;
  if (i >= u.rows) { return; }
  var log_prob = 0.0;
  var entropy = 0.0;
  for (var d = 0u; d < u.size; d++) {
    let log_std = parameters[u.log_std_offset + d];
    log_prob += gaussian_log_prob(gaussian_z(actions[i * u.size + d], means[i * u.size + d], log_std), log_std);
    entropy += gaussian_entropy(log_std);
  }
  log_probs[i] = log_prob;
  entropies[i] = entropy;
}
