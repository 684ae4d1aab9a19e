// Learned positions (Radford et al. 2018, GPT): adds row pos(r) of a table to row r, output[r, :] += P[pos(r), :].
// pos(r) = r mod length, or with stepwise positions[r]. P [*, width] begins at parameters[table].
// Shapes: output [rows, width].
// One invocation a run of 16 numbers of a row: what to divide by is divided by once for all of them.

@group(0) @binding(0) var<storage, read> parameters: array<f32>;
@group(0) @binding(1) var<storage, read> positions: array<u32>;
@group(0) @binding(2) var<storage, read_write> output: array<f32>;

struct Uniforms {
  rows: u32,
  length: u32,
  stepwise: u32,
  width: u32,
  table: u32,
}
@group(0) @binding(3) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let i = (wg.y * count.x + wg.x) * 64u + l;
  let runs = (u.width + 15u) / 16u;
  if (i >= u.rows * runs) { return; }
  let r = i / runs;
  let first = (i - r * runs) * 16u;
  var position = r % u.length;
  if (u.stepwise == 1u) { position = positions[r]; }
  let to = r * u.width;
  let row = u.table + position * u.width;
  for (var k = first; k < min(first + 16u, u.width); k++) { output[to + k] += parameters[row + k]; }
}
