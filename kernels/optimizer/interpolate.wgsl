// A mixture of two sets of weights: mixed = (1 - alpha) first + alpha second (Wortsman et al. 2022, arXiv:2203.05482).
// Shapes: all [count].

@group(0) @binding(0) var<storage, read> first: array<f32>;
@group(0) @binding(1) var<storage, read> second: array<f32>;
@group(0) @binding(2) var<storage, read_write> mixed: array<f32>;

struct Uniforms {
  count: u32,
  alpha: f32,
}
@group(0) @binding(3) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let i = (wg.y * workgroups.x + wg.x) * 64u + local;
  if (i >= u.count) { return; }
  mixed[i] = (1.0 - u.alpha) * first[i] + u.alpha * second[i];
}
