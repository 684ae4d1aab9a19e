// Gradient of one step of a gated recurrent unit (gru_gates.wgsl), with dh' from what reads the state and
// from the next step, the carry:
//   dn = dh' (1 - z) (1 - n²)   dz = dh' (h - n) z (1 - z)   dr = dn c_n r (1 - r)
//   d a = [dr, dz, dn]   d c = [dr, dz, dn r]   dh = dh' z + W_hᵀ d c
// The product with W_hᵀ is left to the linear layer, which adds it to the carry. The last step has no next.
// Shapes: gates, states as in gru_gates.wgsl; state_gradient, [*, H] and both results [*, 3H] by row first + s;
// carry [S, H]. One invocation a unit and sequence.

@group(0) @binding(0) var<storage, read> gates: array<f32>;
@group(0) @binding(1) var<storage, read> states: array<f32>;
@group(0) @binding(2) var<storage, read> state_gradient: array<f32>;
@group(0) @binding(3) var<storage, read_write> carry: array<f32>;
@group(0) @binding(4) var<storage, read_write> input_gradient: array<f32>;
@group(0) @binding(5) var<storage, read_write> recurrent_gradient: array<f32>;

struct Uniforms {
  sequences: u32,
  hidden: u32,
  first: u32,
  last: u32,
}
@group(0) @binding(6) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let i = (wg.y * workgroups.x + wg.x) * 64u + local;
  let size = u.hidden;
  if (i >= u.sequences * size) { return; }
  let row = u.first + i / size;
  let j = i % size;
  let kept = row * 4u * size + j;
  let r = gates[kept];
  let z = gates[kept + size];
  let n = gates[kept + 2u * size];
  let c_n = gates[kept + 3u * size];
  let h = states[row * size + j];

  let dh = state_gradient[row * size + j] + select(carry[i], 0.0, u.last == 1u);
  let dn = dh * (1.0 - z) * (1.0 - n * n);
  let dz = dh * (h - n) * z * (1.0 - z);
  let dr = dn * c_n * r * (1.0 - r);

  let to = row * 3u * size + j;
  input_gradient[to] = dr;
  input_gradient[to + size] = dz;
  input_gradient[to + 2u * size] = dn;
  recurrent_gradient[to] = dr;
  recurrent_gradient[to + size] = dz;
  recurrent_gradient[to + 2u * size] = dn * r;
  carry[i] = dh * z;
}
