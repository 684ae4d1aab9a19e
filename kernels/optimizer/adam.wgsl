// Adam, with L2 decay in the gradient (Kingma and Ba 2015) or decoupled (AdamW, Loshchilov and Hutter 2019).
//   g = scale·gradient  [+ decay·p]      m = b1·m + (1 - b1)·g      v = b2·v + (1 - b2)·g²
//   p = p [·(1 - lr·decay)] - lr · m/(1 - b1^t) / (sqrt(v/(1 - b2^t)) + epsilon)
// torch.optim.Adam, AdamW (PyTorch 1.13): epsilon is added after the bias-corrected root.
// Nothing changes when control says stopped or not finite. After finite_or.wgsl.
// Shapes: parameters, gradient, first_moment, second_moment [count], control [8] (control.ts).

struct Uniforms {
  count: u32,
  learning_rate: f32,
  beta1: f32,
  beta2: f32,
  epsilon: f32,
  weight_decay: f32,
  decoupled: u32,
}

@group(0) @binding(0) var<storage, read_write> parameters: array<f32>;
@group(0) @binding(1) var<storage, read> gradient: array<f32>;
@group(0) @binding(2) var<storage, read_write> first_moment: array<f32>;
@group(0) @binding(3) var<storage, read_write> second_moment: array<f32>;
@group(0) @binding(4) var<storage, read> control: array<f32>;
@group(0) @binding(5) var<uniform> u: Uniforms;

// An invocation takes 8 parameters, 64 apart: what control says is loaded once for all of them.
const PARAMETERS = 8u;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  if (control[3] != 0.0 || control[4] != 0.0) { return; }
  let scale = control[1];
  let rate = u.learning_rate / control[5];
  let correction2 = control[6];
  let decoupled = u.decoupled != 0u;
  let added_decay = select(u.weight_decay, 0.0, decoupled);
  let kept = select(1.0, 1.0 - u.learning_rate * u.weight_decay, decoupled);

  let first = (wg.y * count.x + wg.x) * 64u * PARAMETERS + l;
  for (var i = first; i < min(u.count, first + 64u * PARAMETERS); i += 64u) {
    let p = parameters[i];
    let g = gradient[i] * scale + added_decay * p;
    let m = u.beta1 * first_moment[i] + (1.0 - u.beta1) * g;
    let v = u.beta2 * second_moment[i] + (1.0 - u.beta2) * g * g;
    first_moment[i] = m;
    second_moment[i] = v;
    parameters[i] = finite_or(p * kept - rate * m / (sqrt(v / correction2) + u.epsilon), p);
  }
}
