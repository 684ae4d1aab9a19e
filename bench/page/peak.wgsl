// Multiply-adds in registers: 8 independent accumulators of four lanes, so that neither memory nor one
// result waiting for another holds the arithmetic back. x ← x·a + b with a < 1 stays bounded.
// output [invocations]: a sum of all, so that nothing can be left out.
@group(0) @binding(0) var<storage, read_write> output: array<f32>;

struct Uniforms {
  turns: u32,
  scale: f32,
}
@group(0) @binding(1) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let a = vec4f(u.scale);
  let b = vec4f(f32(id.x) * 1e-6, 0.1, 0.2, 0.3);
  var x0 = b; var x1 = b + 1; var x2 = b + 2; var x3 = b + 3;
  var x4 = b + 4; var x5 = b + 5; var x6 = b + 6; var x7 = b + 7;
  for (var i = 0u; i < u.turns; i++) {
    x0 = fma(x0, a, b); x1 = fma(x1, a, b); x2 = fma(x2, a, b); x3 = fma(x3, a, b);
    x4 = fma(x4, a, b); x5 = fma(x5, a, b); x6 = fma(x6, a, b); x7 = fma(x7, a, b);
    x0 = fma(x0, a, b); x1 = fma(x1, a, b); x2 = fma(x2, a, b); x3 = fma(x3, a, b);
    x4 = fma(x4, a, b); x5 = fma(x5, a, b); x6 = fma(x6, a, b); x7 = fma(x7, a, b);
    x0 = fma(x0, a, b); x1 = fma(x1, a, b); x2 = fma(x2, a, b); x3 = fma(x3, a, b);
    x4 = fma(x4, a, b); x5 = fma(x5, a, b); x6 = fma(x6, a, b); x7 = fma(x7, a, b);
    x0 = fma(x0, a, b); x1 = fma(x1, a, b); x2 = fma(x2, a, b); x3 = fma(x3, a, b);
    x4 = fma(x4, a, b); x5 = fma(x5, a, b); x6 = fma(x6, a, b); x7 = fma(x7, a, b);
  }
  let sum = x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7;
  output[id.x] = sum.x + sum.y + sum.z + sum.w;
}
