// Values by token: what the critic says of the state before each token is written, which is the row of the
// token before it, row(s, t) = s sequence_stride + t position_stride; and of the state after the last token.
// Position 0, positions after the sequence's end and the end of an empty sequence get 0.
// Shapes: rows [*], lengths [S], values [S, L], final_values [S].

@group(0) @binding(0) var<storage, read> rows: array<f32>;
@group(0) @binding(1) var<storage, read> lengths: array<u32>;
@group(0) @binding(2) var<storage, read_write> values: array<f32>;
@group(0) @binding(3) var<storage, read_write> final_values: array<f32>;

struct Uniforms {
  sequences: u32,
  length: u32,
  sequence_stride: u32,
  position_stride: u32,
}
@group(0) @binding(4) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let i = (wg.y * workgroups.x + wg.x) * 64u + local;
  if (i >= u.sequences * u.length) { return; }
  let s = i / u.length;
  let t = i % u.length;
  let end = lengths[s];
  let first = s * u.sequence_stride;
  let before = rows[first + (max(t, 1u) - 1u) * u.position_stride];
  values[i] = select(0.0, before, t > 0u && t < end);
  if (t == 0u) { final_values[s] = select(0.0, rows[first + (max(end, 1u) - 1u) * u.position_stride], end > 0u); }
}
