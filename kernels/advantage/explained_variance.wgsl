// How much of the returns' spread the critic explains, in one invocation:
//   output = 1 - Var(y - prediction) / Var(y), population variances; NaN when Var(y) is 0
// CleanRL's losses/explained_variance. The result is written as bits: WGSL has no literal for NaN.
// Shapes: partials [256, 2, 3], output [1]. After chan.wgsl.

const PARTIALS = 256u;
const NOT_A_NUMBER = 0x7fc00000u;

@group(0) @binding(0) var<storage, read> partials: array<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

fn merged(column: u32) -> Moments {
  var all = Moments(0.0, 0.0, 0.0);
  for (var p = 0u; p < PARTIALS; p++) {
    let at = p * 6u + column * 3u;
    all = merge_moments(all, Moments(partials[at], partials[at + 1u], partials[at + 2u]));
  }
  return all;
}

@compute @workgroup_size(1)
fn main() {
  let targets = merged(0u);
  let residuals = merged(1u);
  if (deviation_is_zero(sqrt(targets.m2 / max(targets.n, 1.0)), targets.mean)) {
    output[0] = NOT_A_NUMBER;
  } else {
    output[0] = bitcast<u32>(1.0 - residuals.m2 / targets.m2);
  }
}
