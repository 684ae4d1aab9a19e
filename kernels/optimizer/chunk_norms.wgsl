// Euclidean norm of every 256th gradient entry, and how many of those are not finite.
//   partials[p] = (sqrt(Σ_k g[p + 256k]²), entries whose exponent bits are all set)
// Entries that are not finite are left out of the norm. Where squares would overflow or vanish in
// float32 they are taken of g / max|g|, as BLAS nrm2 does (Blue 1978).
// Shapes: gradient [count], partials [256, 2].

const PARTIALS = 256u;

struct Uniforms {
  count: u32,
}

@group(0) @binding(0) var<storage, read> gradient: array<f32>;
@group(0) @binding(1) var<storage, read_write> partials: array<f32>;
@group(0) @binding(2) var<uniform> u: Uniforms;

fn finite(x: f32) -> bool {
  return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u;
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let p = (wg.y * count.x + wg.x) * 64u + l;
  if (p >= PARTIALS) { return; }
  var bad = 0.0;
  var squares = 0.0;
  var largest = 0.0;
  for (var i = p; i < u.count; i += PARTIALS) {
    let g = gradient[i];
    let good = finite(g);
    bad += select(1.0, 0.0, good);
    let size = select(0.0, abs(g), good);
    squares += size * size;
    largest = max(largest, size);
  }
  var norm = sqrt(squares);
  if (largest > 0.0 && !(squares > 1e-30 && squares < 1e37)) {
    squares = 0.0;
    for (var i = p; i < u.count; i += PARTIALS) {
      let g = gradient[i];
      let ratio = select(0.0, g, finite(g)) / largest;
      squares += ratio * ratio;
    }
    norm = largest * sqrt(squares);
  }
  partials[p * 2u] = norm;
  partials[p * 2u + 1u] = bad;
}
