// Gradient of a token embedding, in parts that are summed later in fixed order (no atomics): part p covers
// sequences [p · part_sequences, (p + 1) · part_sequences).
//   dE[v, k] = Σ of gradient[row(s, t), k] over the tokens v
// An invocation owns one column of one part and walks its tokens in order, adding to the rows of the table.
// Shapes: tokens, row(s, t) as in embedding.wgsl; gradient [rows, width]; partials [parts, stride], where a
// part's table [V, width] begins at `table`, as in the parameters.
// Before this text: const ACCUMULATE, with which the sums are added to what the parts hold.

@group(0) @binding(0) var<storage, read> gradient: array<f32>;
@group(0) @binding(1) var<storage, read> tokens: array<u32>;
@group(0) @binding(2) var<storage, read_write> partials: array<f32>;

struct Uniforms {
  sequences: u32,
  length: u32,
  sequence_stride: u32,
  position_stride: u32,
  vocabulary: u32,
  width: u32,
  table: u32,
  parts: u32,
  part_sequences: u32,
  stride: u32,
}
@group(0) @binding(3) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let i = (wg.y * workgroups.x + wg.x) * 64u + local;
  if (i >= u.parts * u.width) { return; }
  let part = i / u.width;
  let k = i % u.width;
  let to = part * u.stride + u.table + k;
  for (var v = 0u; v < select(u.vocabulary, 0u, ACCUMULATE); v++) { partials[to + v * u.width] = 0.0; }
  let end = min(u.sequences, (part + 1u) * u.part_sequences);
  for (var s = part * u.part_sequences; s < end; s++) {
    var from_gradient = s * u.sequence_stride * u.width + k;
    for (var token = s * u.length; token < (s + 1u) * u.length; token++) {
      partials[to + tokens[token] * u.width] += gradient[from_gradient];
      from_gradient += u.position_stride * u.width;
    }
  }
}
