// Generalised advantage estimation, one invocation a copy, from the last step backwards.
//   delta_t = r_t + gamma·V(next) - V_t      A_t = delta_t + gamma·lambda·A_{t+1}      return_t = A_t + V_t
// Schulman et al., "High-dimensional continuous control using generalized advantage estimation" (2016).
// Terminated: V(next) is 0. Truncated: V(next) is the value of the real last observation, in
// final_values, as Stable-Baselines3 has it (Pardo et al., "Time limits in reinforcement learning", 2018).
// Either cuts the sum over lambda; both at once count as terminated.
// Shapes: rewards, final_values, terminated, truncated, advantages, returns [steps, copies];
// values [steps + 1, copies], whose last row is V of the observation after the last step.

struct Uniforms {
  steps: u32,
  copies: u32,
  gamma: f32,
  lambda: f32,
}

@group(0) @binding(0) var<storage, read> rewards: array<f32>;
@group(0) @binding(1) var<storage, read> values: array<f32>;
@group(0) @binding(2) var<storage, read> final_values: array<f32>;
@group(0) @binding(3) var<storage, read> terminated: array<f32>;
@group(0) @binding(4) var<storage, read> truncated: array<f32>;
@group(0) @binding(5) var<storage, read_write> advantages: array<f32>;
@group(0) @binding(6) var<storage, read_write> returns: array<f32>;
@group(0) @binding(7) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let copy = (wg.y * count.x + wg.x) * 64u + l;
  if (copy >= u.copies) { return; }
  var advantage = 0.0;
  var value_after = values[u.steps * u.copies + copy];
  for (var t = u.steps; t > 0u; t--) {
    let i = (t - 1u) * u.copies + copy;
    var next = value_after;
    var carried = advantage;
    if (terminated[i] != 0.0) {
      next = 0.0;
      carried = 0.0;
    } else if (truncated[i] != 0.0) {
      next = final_values[i];
      carried = 0.0;
    }
    let value = values[i];
    advantage = rewards[i] + u.gamma * next - value + u.gamma * u.lambda * carried;
    advantages[i] = advantage;
    returns[i] = advantage + value;
    value_after = value;
  }
}
