// Rotary positions (Su et al. 2021, RoFormer; halves paired as in Llama): in each head of queries and keys, components
// i and i + dim/2 are turned by the angle pos(r) · base^(-2i/dim), in place. `inverse` 1 turns back, which carries the
// gradient through. Cosines and sines come from a table: WGSL promises few digits of them beyond ±π.
// pos(r) = r mod length, or with stepwise positions[r].
// Shapes: rows [R, stride], whose first `heads` · dim numbers are turned; angles [context, dim/2, 2] (rotary.ts).
// One invocation a pair.

@group(0) @binding(0) var<storage, read> angles: array<f32>;
@group(0) @binding(1) var<storage, read> positions: array<u32>;
@group(0) @binding(2) var<storage, read_write> values: array<f32>;

struct Uniforms {
  rows: u32,
  length: u32,
  stepwise: u32,
  stride: u32,
  heads: u32,
  dim: u32,
  inverse: u32,
}
@group(0) @binding(3) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let i = (wg.y * count.x + wg.x) * 64u + l;
  let half = u.dim / 2u;
  if (i >= u.rows * u.heads * half) { return; }
  let r = i / (u.heads * half);
  let head = i / half % u.heads;
  let pair = i % half;
  var position = r % u.length;
  if (u.stepwise == 1u) { position = positions[r]; }
  let angle = (position * half + pair) * 2u;
  let cosine = angles[angle];
  let sine = select(angles[angle + 1u], -angles[angle + 1u], u.inverse == 1u);
  let at = r * u.stride + head * u.dim + pair;
  let a = values[at];
  let b = values[at + half];
  values[at] = a * cosine - b * sine;
  values[at + half] = b * cosine + a * sine;
}
