// Ends an update early: sets control's stopped flag when the last minibatch of an epoch moved the
// policy too far, approx_kl > limit. CleanRL's target_kl breaks out of the epochs at the same point.
// limit 0: none, and the flag is cleared; so each update starts with one such dispatch.
// Shapes: statistics [rows, 8] (approx_kl in column 4), control [8] (control.ts). One invocation.

struct Uniforms {
  row: u32,
  limit: f32,
}

@group(0) @binding(0) var<storage, read> statistics: array<f32>;
@group(0) @binding(1) var<storage, read_write> control: array<f32>;
@group(0) @binding(2) var<uniform> u: Uniforms;

@compute @workgroup_size(1)
fn main() {
  if (u.limit <= 0.0) {
    control[3] = 0.0;
  } else if (statistics[u.row * 8u + 4u] > u.limit) {
    control[3] = 1.0;
  }
}
