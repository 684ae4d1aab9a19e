// Gradients of sum(log_prob_gradient * log_prob + entropy_gradient * entropy), row by row, with respect
// to the means [rows, D] and to the log-deviations [rows, D] (their sum over rows is the parameters').

@group(0) @binding(0) var<storage, read> means: array<f32>;
@group(0) @binding(1) var<storage, read> parameters: array<f32>;
@group(0) @binding(2) var<storage, read> actions: array<f32>;
@group(0) @binding(3) var<storage, read> log_prob_gradient: array<f32>;
@group(0) @binding(4) var<storage, read> entropy_gradient: array<f32>;
@group(0) @binding(5) var<storage, read_write> means_gradient: array<f32>;
@group(0) @binding(6) var<storage, read_write> log_std_gradient: array<f32>;

struct Uniforms {
  rows: u32,
  size: u32,            // D
  log_std_offset: u32,  // of the D log-deviations in parameters
}
@group(0) @binding(7) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let i = (wg.y * workgroups.x + wg.x) * 64u + local;
  if (i >= u.rows) { return; }
  for (var d = 0u; d < u.size; d++) {
    let k = i * u.size + d;
    let log_std = parameters[u.log_std_offset + d];
    let slope = log_prob_gradient[i] * gaussian_gradient(gaussian_z(actions[k], means[k], log_std), log_std);
    means_gradient[k] = slope.x;
    log_std_gradient[k] = slope.y + entropy_gradient[i];
  }
}
