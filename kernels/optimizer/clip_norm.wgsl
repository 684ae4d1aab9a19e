// Prepares one optimiser step: global norm of the gradient, the factor that clips it, and t.
//   norm = |(partial norms)|      scale = min(1, max_norm / (norm + 1e-6)), 1 when max_norm = 0
//   t += 1      corrections 1 - beta1^t, 1 - beta2^t
// torch.nn.utils.clip_grad_norm_ (PyTorch 1.13); corrections of Kingma and Ba (2015).
// A gradient that is not finite sets the flag, and no step is taken until the host clears it. So does one that is
// still so long after clipping that its square, which the moments hold, would overflow.
// Shapes: partials [256, 2] of chunk_norms, control [8] (control.ts). One invocation.

const PARTIALS = 256u;
const LONGEST = 1e18;

struct Uniforms {
  max_norm: f32,
  beta1: f32,
  beta2: f32,
}

@group(0) @binding(0) var<storage, read> partials: array<f32>;
@group(0) @binding(1) var<storage, read_write> control: array<f32>;
@group(0) @binding(2) var<uniform> u: Uniforms;

// log(beta) for 0 < beta < 1. The builtin may be wrong by 2^-21 near 1, where 1 - beta2 is only 1e-3:
// there the series 2 artanh((beta - 1) / (beta + 1)) is exact to the last bits.
fn log_accurate(beta: f32) -> f32 {
  if (beta < 0.5) { return log(beta); }
  let s = (beta - 1.0) / (beta + 1.0);
  let q = s * s;
  return 2.0 * s * (1.0 + q * (1.0 / 3.0 + q * (1.0 / 5.0 + q * (1.0 / 7.0 + q * (1.0 / 9.0 + q * (1.0 / 11.0 + q / 13.0))))));
}

// 1 - beta^t without cancellation: -expm1(t log beta).
fn one_minus_power(beta: f32, t: f32) -> f32 {
  if (beta <= 0.0) { return 1.0; }
  let x = t * log_accurate(beta);
  if (x < -0.5) { return 1.0 - exp(max(x, -80.0)); }
  return -x * (1.0 + x / 2.0 * (1.0 + x / 3.0 * (1.0 + x / 4.0 * (1.0 + x / 5.0 * (1.0 + x / 6.0 * (1.0 + x / 7.0 * (1.0 + x / 8.0)))))));
}

@compute @workgroup_size(1)
fn main() {
  if (control[3] != 0.0 || control[4] != 0.0) { return; }
  var bad = 0.0;
  var largest = 0.0;
  for (var p = 0u; p < PARTIALS; p++) {
    largest = max(largest, partials[p * 2u]);
    bad += partials[p * 2u + 1u];
  }
  var squares = 0.0;
  for (var p = 0u; p < PARTIALS; p++) {
    let ratio = partials[p * 2u] / max(largest, 1e-37);
    squares += ratio * ratio;
  }
  let root = sqrt(squares);
  if (bad > 0.0 || largest > 3e38 / max(root, 1.0)) {
    control[4] = 1.0;
    return;
  }
  let norm = largest * root;
  let scale = select(1.0, min(1.0, u.max_norm / (norm + 1e-6)), u.max_norm > 0.0);
  if (norm * scale > LONGEST) {
    control[4] = 1.0;
    return;
  }
  let t = control[2] + 1.0;
  control[0] = norm;
  control[1] = scale;
  control[2] = t;
  control[5] = one_minus_power(u.beta1, t);
  control[6] = one_minus_power(u.beta2, t);
}
