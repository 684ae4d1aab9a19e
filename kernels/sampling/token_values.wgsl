// Values by token: what the critic says of the state before each token is written, which is the row of the
// token before it, row(s, t) = s sequence_stride + t position_stride; and of the state after the last token,
// where the episode was truncated there. Position 0, positions after the sequence's end and other ends get 0.
// Shapes: rows [*], lengths, truncated [S], values [S, L], final_values [S].

@group(0) @binding(0) var<storage, read> rows: array<f32>;
@group(0) @binding(1) var<storage, read> lengths: array<u32>;
@group(0) @binding(2) var<storage, read> truncated: array<f32>;
@group(0) @binding(3) var<storage, read_write> values: array<f32>;
@group(0) @binding(4) var<storage, read_write> final_values: array<f32>;

struct Uniforms {
  sequences: u32,
  length: u32,
  sequence_stride: u32,
  position_stride: u32,
}
@group(0) @binding(5) var<uniform> u: Uniforms;

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
  if (t != 0u) { return; }
  let last = rows[first + (max(end, 1u) - 1u) * u.position_stride];
  final_values[s] = select(0.0, last, end > 0u && truncated[s] != 0.0);
}
