// Gradient of a linear layer with respect to its input, times the derivative of the activation that
// made that input: d[r, k] = f'(z[r, k]) · Σ_j dz[r, j] · W[j, k].
// dz [rows, outputs] starts at gradient_first; made [rows, inputs], from pre_offset on, is what the derivative
// looks at: the layer's input, or its pre-activations (activation.ts). Before this text: the activation, and two constants. ACCUMULATE adds to
// what result holds (two heads on one trunk); without DIFFERENTIATE the derivative is left to the other head.

struct Uniforms {
  rows: u32, inputs: u32, outputs: u32,
  weight: u32, gradient_first: u32, pre_offset: u32,
}
@group(0) @binding(0) var<storage, read> parameters: array<f32>;
@group(0) @binding(1) var<storage, read> gradient: array<f32>;
@group(0) @binding(2) var<storage, read> made: array<f32>;
@group(0) @binding(3) var<storage, read_write> result: array<f32>;
@group(0) @binding(4) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let i = (wg.y * count.x + wg.x) * 64u + l;
  if (i >= u.rows * u.inputs) { return; }
  let r = i / u.inputs;
  let k = i % u.inputs;
  var d = 0.0;
  for (var j = 0u; j < u.outputs; j++) {
    d += gradient[u.gradient_first + r * u.outputs + j] * parameters[u.weight + j * u.inputs + k];
  }
  if (ACCUMULATE) { d += result[i]; }
  if (DIFFERENTIATE) { d *= activate_gradient(made[u.pre_offset + i]); }
  result[i] = d;
}
