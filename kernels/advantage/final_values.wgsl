// Values of the listed rows (truncated_rows.wgsl) to their place in the rollout:
// final_values[list[i] - final_first] = slot_values[i]; empty slots are passed over.
// Shapes: list, slot_values [slots · copies], final_values [steps, copies].

struct Uniforms { count: u32, final_first: u32 }
@group(0) @binding(0) var<storage, read> list: array<u32>;
@group(0) @binding(1) var<storage, read> slot_values: array<f32>;
@group(0) @binding(2) var<storage, read_write> final_values: array<f32>;
@group(0) @binding(3) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let i = (wg.y * count.x + wg.x) * 64u + l;
  if (i < u.count && list[i] != 0u) { final_values[list[i] - u.final_first] = slot_values[i]; }
}
