// Stochastic gradient descent with momentum.
//   g = scale·gradient + decay·p      velocity = momentum·velocity + g      p = p - lr·velocity
// torch.optim.SGD (PyTorch 1.13), dampening 0. Nothing changes when control says stopped or not finite.
// After finite_or.wgsl. Shapes: parameters, gradient, velocity [count], control [8] (control.ts).

struct Uniforms {
  count: u32,
  learning_rate: f32,
  momentum: f32,
  weight_decay: f32,
}

@group(0) @binding(0) var<storage, read_write> parameters: array<f32>;
@group(0) @binding(1) var<storage, read> gradient: array<f32>;
@group(0) @binding(2) var<storage, read_write> velocity: array<f32>;
@group(0) @binding(3) var<storage, read> control: array<f32>;
@group(0) @binding(4) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let i = (wg.y * count.x + wg.x) * 64u + l;
  if (i >= u.count || control[3] != 0.0 || control[4] != 0.0) { return; }
  let p = parameters[i];
  let step = u.momentum * velocity[i] + gradient[i] * control[1] + u.weight_decay * p;
  velocity[i] = step;
  parameters[i] = finite_or(p - u.learning_rate * step, p);
}
