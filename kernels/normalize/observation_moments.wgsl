// Takes a block of observations into the running mean and variance of each feature.
//   running = [mean of D features, variance of D features, count]
// Second stage of two; the first is reduce/moments_partials. Merged as Gymnasium's RunningMeanStd and
// Stable-Baselines3's VecNormalize do (population variance; starts at mean 0, variance 1, count 1e-4).
// Shapes: partials [partials, dimensions, 3], running [2·dimensions + 1]. After chan.wgsl.
// One workgroup: the count is written when every feature was read.

struct Uniforms {
  dimensions: u32,
  partials: u32,
}

@group(0) @binding(0) var<storage, read> partials: array<f32>;
@group(0) @binding(1) var<storage, read_write> running: array<f32>;
@group(0) @binding(2) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
  let d = u.dimensions;
  let count = running[2u * d];
  var total = count;
  for (var c = l; c < d; c += 64u) {
    var block = Moments(0.0, 0.0, 0.0);
    for (var p = 0u; p < u.partials; p++) {
      let at = (p * d + c) * 3u;
      block = merge_moments(block, Moments(partials[at], partials[at + 1u], partials[at + 2u]));
    }
    let merged = merge_moments(Moments(count, running[c], running[d + c] * count), block);
    running[c] = merged.mean;
    running[d + c] = merged.m2 / merged.n;
    total = merged.n;
  }
  storageBarrier();
  if (l == 0u) { running[2u * d] = total; }
}
