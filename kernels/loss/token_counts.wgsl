// counts[s] = tokens of sequence s that teach: the sum of its mask. One invocation a sequence.

@group(0) @binding(0) var<storage, read> mask: array<f32>;         // [S, L]
@group(0) @binding(1) var<storage, read_write> counts: array<f32>; // [S]

struct Uniforms {
  sequences: u32,  // S
  length: u32,     // L
}
@group(0) @binding(2) var<uniform> u: Uniforms;

@compute @workgroup_size(16)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let s = (wg.y * workgroups.x + wg.x) * 16u + local;
  if (s >= u.sequences) { return; }
  var count = 0.0;
  for (var t = 0u; t < u.length; t++) {
    count += mask[s * u.length + t];
  }
  counts[s] = count;
}
