// output[i] = the first draw of Random(seed, stream, copy i, step), for i in [0, count).
// fill.ts puts before this text what an `Element` is and how one is drawn.

@group(0) @binding(0) var<storage, read_write> output: array<Element>;

struct Uniforms {
  count: u32,
  seed: u32,
  stream: u32,
  step: u32,
}
@group(0) @binding(1) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let i = (wg.y * workgroups.x + wg.x) * 64u + local;
  if (i >= u.count) { return; }
  var random = random_start(u.seed, u.stream, i, u.step);
  output[i] = draw(&random);
}
