// Which rows of a rollout were truncated, so that only their last observations are valued.
// In T steps a copy meets its time limit at most `slots` times; slot k of copy c names the row of its
// k-th truncation: list[k · copies + c] = final_first + t · copies + c, or 0 where there is none.
// Shapes: truncated [steps, copies], list [slots, copies].

struct Uniforms { steps: u32, copies: u32, slots: u32, final_first: u32 }
@group(0) @binding(0) var<storage, read> truncated: array<f32>;
@group(0) @binding(1) var<storage, read_write> list: array<u32>;
@group(0) @binding(2) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let copy = (wg.y * count.x + wg.x) * 64u + l;
  if (copy >= u.copies) { return; }
  var slot = 0u;
  for (var t = 0u; t < u.steps && slot < u.slots; t++) {
    let row = t * u.copies + copy;
    if (truncated[row] != 0.0) {
      list[slot * u.copies + copy] = u.final_first + row;
      slot++;
    }
  }
  for (; slot < u.slots; slot++) { list[slot * u.copies + copy] = 0u; }
}
