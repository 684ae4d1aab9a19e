// What stands at the first (or last) token of each turn, by turn: column k of `picked` is turn k, 0 where the turn has no
// token with mask 1. One invocation a sequence. Copies 32-bit words, so that it serves values and anchors alike.
// Shapes: all [sequences, length].

struct Uniforms {
  sequences: u32,
  length: u32,
  last: u32,
}

@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read> mask: array<f32>;
@group(0) @binding(2) var<storage, read> turns: array<u32>;
@group(0) @binding(3) var<storage, read_write> picked: array<u32>;
@group(0) @binding(4) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let s = (wg.y * count.x + wg.x) * 64u + l;
  if (s >= u.sequences) { return; }
  let row = s * u.length;
  for (var k = 0u; k < u.length; k++) { picked[row + k] = 0u; }
  var before = 0xffffffffu;
  for (var t = 0u; t < u.length; t++) {
    let k = turns[row + t];
    if (mask[row + t] == 0.0 || k >= u.length) { continue; }
    if (u.last != 0u || k != before) { picked[row + k] = source[row + t]; }
    before = k;
  }
}
