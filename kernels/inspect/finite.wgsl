// Second stage of finite: output = (entries that are not finite, index of the first or 0xffffffff).
// Shapes: partials [256, 2], output [2]. One invocation.

const PARTIALS = 256u;

@group(0) @binding(0) var<storage, read> partials: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(1)
fn main() {
  var bad = 0u;
  var first = 0xffffffffu;
  for (var p = 0u; p < PARTIALS; p++) {
    bad += partials[p * 2u];
    first = min(first, partials[p * 2u + 1u]);
  }
  output[0] = bad;
  output[1] = first;
}
