// A minibatch of whole sequences: output[i, :] = input[indices[first + i], :].
// Shapes: input [*, L], indices [*], output [S, L]. gather_sequences.ts says what an `Element` is.

@group(0) @binding(0) var<storage, read> input: array<Element>;
@group(0) @binding(1) var<storage, read> indices: array<u32>;
@group(0) @binding(2) var<storage, read_write> output: array<Element>;

struct Uniforms {
  sequences: u32,
  length: u32,
  first: u32,
}
@group(0) @binding(3) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let i = (wg.y * workgroups.x + wg.x) * 64u + local;
  if (i >= u.sequences * u.length) { return; }
  output[i] = input[indices[u.first + i / u.length] * u.length + i % u.length];
}
