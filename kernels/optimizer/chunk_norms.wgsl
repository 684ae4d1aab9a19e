// Euclidean norm of every 256th gradient entry, and whether one of them is not finite.
//   partials[p] = (sqrt(Σ_k g[p + 256k]²), 0)      (0, 1) when the exponent bits of one are all set
// Where squares would overflow or vanish in float32 they are taken of g / max|g|, as BLAS nrm2 does
// (Blue 1978).
// Shapes: gradient [count], partials [256, 2].

const PARTIALS = 256u;

struct Uniforms {
  count: u32,
}

@group(0) @binding(0) var<storage, read> gradient: array<f32>;
@group(0) @binding(1) var<storage, read_write> partials: array<f32>;
@group(0) @binding(2) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let p = (wg.y * count.x + wg.x) * 64u + l;
  if (p >= PARTIALS) { return; }
  var bits = 0u;  // of the largest |g|: bits of floats above 0 are ordered as the floats are
  var squares = 0.0;
  for (var i = p; i < u.count; i += PARTIALS) {
    let g = gradient[i];
    bits = max(bits, bitcast<u32>(g) & 0x7fffffffu);
    squares += g * g;
  }
  let finite = bits < 0x7f800000u;
  let normal = bits >= 0x00800000u;  // smaller ones count as 0 on many devices
  var norm = sqrt(squares);
  if (finite && normal && !(squares > 1e-30 && squares < 1e37)) {
    let largest = bitcast<f32>(bits);
    squares = 0.0;
    for (var i = p; i < u.count; i += PARTIALS) {
      let ratio = gradient[i] / largest;
      squares += ratio * ratio;
    }
    norm = largest * sqrt(squares);
  }
  partials[p * 2u] = select(0.0, norm, finite);
  partials[p * 2u + 1u] = select(1.0, 0.0, finite);
}
