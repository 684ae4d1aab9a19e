// RMSprop (Tieleman and Hinton 2012).
//   g = scale·gradient + decay·p      v = alpha·v + (1 - alpha)·g²      p = p - lr·g / (sqrt(v) + epsilon)
// torch.optim.RMSprop (PyTorch 1.13), not centred, no momentum. Nothing changes when control says
// stopped or not finite.
// After finite_or.wgsl. Shapes: parameters, gradient, second_moment [count], control [8] (control.ts).

struct Uniforms {
  count: u32,
  learning_rate: f32,
  alpha: f32,
  epsilon: f32,
  weight_decay: f32,
}

@group(0) @binding(0) var<storage, read_write> parameters: array<f32>;
@group(0) @binding(1) var<storage, read> gradient: array<f32>;
@group(0) @binding(2) var<storage, read_write> second_moment: array<f32>;
@group(0) @binding(3) var<storage, read> control: array<f32>;
@group(0) @binding(4) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let i = (wg.y * count.x + wg.x) * 64u + l;
  if (i >= u.count || control[3] != 0.0 || control[4] != 0.0) { return; }
  let p = parameters[i];
  let g = gradient[i] * control[1] + u.weight_decay * p;
  let v = u.alpha * second_moment[i] + (1.0 - u.alpha) * g * g;
  second_moment[i] = v;
  parameters[i] = finite_or(p - u.learning_rate * g / (sqrt(v) + u.epsilon), p);
}
