// Sets the state of every running sequence at position 0 to 0: there a sequence begins.
// Shapes: positions, running [S], states [S, H]. One invocation a unit and sequence.

@group(0) @binding(0) var<storage, read> positions: array<u32>;
@group(0) @binding(1) var<storage, read> running: array<u32>;
@group(0) @binding(2) var<storage, read_write> states: array<f32>;

struct Uniforms {
  sequences: u32,
  hidden: u32,
}
@group(0) @binding(3) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let i = (wg.y * workgroups.x + wg.x) * 64u + local;
  if (i >= u.sequences * u.hidden) { return; }
  let s = i / u.hidden;
  if (positions[s] == 0u && running[s] != 0u) { states[i] = 0.0; }
}
