// Second stage of masked moments: merges the partial moments in ascending order.
//   moments = (n, mean, unbiased variance)
// The variance is exactly 0 of fewer than two numbers, and of numbers that are equal but for rounding.
// Shapes: partials [partials, 3], moments [3]. After chan.wgsl.

struct Uniforms {
  partials: u32,
}

@group(0) @binding(0) var<storage, read> partials: array<f32>;
@group(0) @binding(1) var<storage, read_write> moments: array<f32>;
@group(0) @binding(2) var<uniform> u: Uniforms;

@compute @workgroup_size(1)
fn main() {
  var merged = Moments(0.0, 0.0, 0.0);
  for (var p = 0u; p < u.partials; p++) {
    merged = merge_moments(merged, Moments(partials[p * 3u], partials[p * 3u + 1u], partials[p * 3u + 2u]));
  }
  let variance = merged.m2 / max(merged.n - 1.0, 1.0);
  moments[0] = merged.n;
  moments[1] = merged.mean;
  moments[2] = select(variance, 0.0, merged.n < 2.0 || deviation_is_zero(sqrt(variance), merged.mean));
}
