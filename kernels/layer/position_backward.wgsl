// Gradient of learned positions, in parts that are summed later in fixed order: part p covers sequences
// [p · part_sequences, (p + 1) · part_sequences).   dP[t, k] = Σ_s gradient[s · length + t, k]; 0 for t >= length.
// Shapes: gradient [S · length, width]; partials [parts, stride], where a part's table [context, width] begins at
// `table`, as in the parameters. One invocation an element of a part.

@group(0) @binding(0) var<storage, read> gradient: array<f32>;
@group(0) @binding(1) var<storage, read_write> partials: array<f32>;

struct Uniforms {
  sequences: u32,
  length: u32,
  context: u32,
  width: u32,
  table: u32,
  parts: u32,
  part_sequences: u32,
  stride: u32,
}
@group(0) @binding(2) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let i = (wg.y * count.x + wg.x) * 64u + l;
  let size = u.context * u.width;
  if (i >= u.parts * size) { return; }
  let part = i / size;
  let element = i % size;
  var sum = 0.0;
  if (element < u.length * u.width) {
    for (var s = part * u.part_sequences; s < min(u.sequences, (part + 1u) * u.part_sequences); s++) {
      sum += gradient[s * u.length * u.width + element];
    }
  }
  partials[part * u.stride + u.table + element] = sum;
}
