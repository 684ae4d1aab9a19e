// Discounted returns of whole episodes (Monte Carlo), one invocation a copy, from the last step backwards.
//   G_t = r_t + gamma·G_{t+1}      advantage_t = G_t - V_t with a baseline, G_t without
// REINFORCE: Williams (1992); Sutton and Barto, "Reinforcement Learning" (2018), 13.3 and 13.4.
// Terminated: nothing follows. Truncated: gamma·V(real last observation) follows, from final_values.
// An episode still unfinished after the last step is handled by `tail`:
//   0  as if it ended there
//   1  left out: advantage 0, weight 0, and the return is the value itself, so nothing is learned from it
//   2  V of the observation after the last step follows
// Shapes: all [steps, copies], but values [steps + 1, copies].

const LEAVE_OUT = 1u;
const BOOTSTRAP = 2u;

struct Uniforms {
  steps: u32,
  copies: u32,
  gamma: f32,
  tail: u32,
  use_baseline: u32,
}

@group(0) @binding(0) var<storage, read> rewards: array<f32>;
@group(0) @binding(1) var<storage, read> values: array<f32>;
@group(0) @binding(2) var<storage, read> final_values: array<f32>;
@group(0) @binding(3) var<storage, read> terminated: array<f32>;
@group(0) @binding(4) var<storage, read> truncated: array<f32>;
@group(0) @binding(5) var<storage, read_write> returns: array<f32>;
@group(0) @binding(6) var<storage, read_write> advantages: array<f32>;
@group(0) @binding(7) var<storage, read_write> weights: array<f32>;
@group(0) @binding(8) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let copy = (wg.y * count.x + wg.x) * 64u + l;
  if (copy >= u.copies) { return; }
  var following = 0.0;
  if (u.tail == BOOTSTRAP) { following = values[u.steps * u.copies + copy]; }
  var counts = u.tail != LEAVE_OUT;
  for (var t = u.steps; t > 0u; t--) {
    let i = (t - 1u) * u.copies + copy;
    if (terminated[i] != 0.0) {
      following = 0.0;
      counts = true;
    } else if (truncated[i] != 0.0) {
      following = final_values[i];
      counts = true;
    }
    following = rewards[i] + u.gamma * following;
    let value = values[i];
    returns[i] = select(value, following, counts);
    advantages[i] = select(0.0, following - select(0.0, value, u.use_baseline != 0u), counts);
    weights[i] = select(0.0, 1.0, counts);
  }
}
