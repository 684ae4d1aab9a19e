// input_gradient[i] = output_gradient[i] * f'(inputs[i]) for i in [0, count), where outputs = f(inputs).
// `activate_gradient` comes from activation.ts, as does OF_INPUT: whether it looks at the inputs or the outputs.

@group(0) @binding(0) var<storage, read> inputs: array<f32>;
@group(0) @binding(1) var<storage, read> outputs: array<f32>;
@group(0) @binding(2) var<storage, read> output_gradient: array<f32>;
@group(0) @binding(3) var<storage, read_write> input_gradient: array<f32>;

struct Uniforms {
  count: u32,
}
@group(0) @binding(4) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let i = (wg.y * workgroups.x + wg.x) * 64u + local;
  if (i >= u.count) { return; }
  input_gradient[i] = output_gradient[i] * activate_gradient(select(outputs[i], inputs[i], OF_INPUT));
}
