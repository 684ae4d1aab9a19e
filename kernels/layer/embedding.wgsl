// Token embedding: rows of a table by token. output[row(s, t), :] = E[tokens[s, t], :], with
// row(s, t) = s sequence_stride + t position_stride. E [V, width] begins at parameters[table].
// Shapes: tokens [S, L], output [rows, width].
// One invocation a run of 16 numbers of a row: what to divide by is divided by once for all of them.

@group(0) @binding(0) var<storage, read> parameters: array<f32>;
@group(0) @binding(1) var<storage, read> tokens: array<u32>;
@group(0) @binding(2) var<storage, read_write> output: array<f32>;

struct Uniforms {
  sequences: u32,
  length: u32,
  sequence_stride: u32,
  position_stride: u32,
  width: u32,
  table: u32,
}
@group(0) @binding(3) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let i = (wg.y * workgroups.x + wg.x) * 64u + local;
  let runs = (u.width + 15u) / 16u;
  if (i >= u.sequences * u.length * runs) { return; }
  let token = i / runs;
  let first = (i - token * runs) * 16u;
  let row = token / u.length * u.sequence_stride + token % u.length * u.position_stride;
  let to = row * u.width;
  let from_table = u.table + tokens[token] * u.width;
  for (var k = first; k < min(first + 16u, u.width); k++) { output[to + k] = parameters[from_table + k]; }
}
