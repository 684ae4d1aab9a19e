// First stage of finite: of every 256th entry, how many are not finite and which is the first.
// Tested on the exponent bits: a compiler may assume that no float is NaN and drop x != x.
// Shapes: input [count] (the bits of float32), partials [256, 2].

const PARTIALS = 256u;

struct Uniforms {
  count: u32,
}

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> partials: array<u32>;
@group(0) @binding(2) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let p = (wg.y * count.x + wg.x) * 64u + l;
  if (p >= PARTIALS) { return; }
  var bad = 0u;
  var first = 0xffffffffu;
  for (var i = p; i < u.count; i += PARTIALS) {
    if ((input[i] & 0x7f800000u) == 0x7f800000u) {
      bad += 1u;
      first = min(first, i);
    }
  }
  partials[p * 2u] = bad;
  partials[p * 2u + 1u] = first;
}
