// Puts the newest key and value of each sequence into its cache: cache[s, positions[s], :] = rows[s, first ..],
// where running[s] is not 0. Shapes: rows [S, stride], of which `width` numbers from `first` on are kept;
// cache [S, context, width]; positions, running [S].
// One invocation a run of 16 numbers of a row: what to divide by is divided by once for all of them.

@group(0) @binding(0) var<storage, read> rows: array<f32>;
@group(0) @binding(1) var<storage, read> positions: array<u32>;
@group(0) @binding(2) var<storage, read> running: array<u32>;
@group(0) @binding(3) var<storage, read_write> cache: array<f32>;

struct Uniforms {
  sequences: u32,
  context: u32,
  stride: u32,
  first: u32,
  width: u32,
}
@group(0) @binding(4) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let i = (wg.y * count.x + wg.x) * 64u + l;
  let runs = (u.width + 15u) / 16u;
  if (i >= u.sequences * runs) { return; }
  let s = i / runs;
  let first = (i - s * runs) * 16u;
  if (running[s] == 0u || positions[s] >= u.context) { return; }
  let to = (s * u.context + positions[s]) * u.width;
  let row = s * u.stride + u.first;
  for (var k = first; k < min(first + 16u, u.width); k++) { cache[to + k] = rows[row + k]; }
}
