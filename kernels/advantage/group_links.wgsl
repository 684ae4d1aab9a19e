// Chains the sequences of each group, so that one group can be walked without looking at all sequences; one invocation a
// sequence.
//   links[s] = (first sequence of the group, next one after s in ascending order, or `sequences` after the last)
// Shapes: groups [sequences], links [sequences, 2].

struct Uniforms {
  sequences: u32,
}

@group(0) @binding(0) var<storage, read> groups: array<u32>;
@group(0) @binding(1) var<storage, read_write> links: array<u32>;
@group(0) @binding(2) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let s = (wg.y * count.x + wg.x) * 64u + l;
  if (s >= u.sequences) { return; }
  let own = groups[s];
  var first = u.sequences;
  var next = u.sequences;
  for (var o = 0u; o < u.sequences; o++) {
    let member = groups[o] == own;
    first = select(first, min(first, o), member);
    next = select(next, min(next, o), member && o > s);
  }
  links[s * 2u] = first;
  links[s * 2u + 1u] = next;
}
