// Divides rewards by the running deviation of the discounted return, one invocation a copy, in the
// order of the steps; each copy has its own statistics, as CleanRL wraps each environment.
//   G = gamma·G + r      (mean, variance, count) take in G      r' = clamp(r / sqrt(variance + 1e-8), ±clip)
//   G = 0 after the end of an episode
// Gym's NormalizeReward, Stable-Baselines3's VecNormalize. The mean is not subtracted.
// Shapes: rewards, terminated, truncated, scaled [steps, copies]; running [copies, 4] = (G, mean,
// variance, count), which goes on from rollout to rollout. After chan.wgsl.

struct Uniforms {
  steps: u32,
  copies: u32,
  gamma: f32,
  clip: f32,
}

@group(0) @binding(0) var<storage, read> rewards: array<f32>;
@group(0) @binding(1) var<storage, read> terminated: array<f32>;
@group(0) @binding(2) var<storage, read> truncated: array<f32>;
@group(0) @binding(3) var<storage, read_write> running: array<f32>;
@group(0) @binding(4) var<storage, read_write> scaled: array<f32>;
@group(0) @binding(5) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let copy = (wg.y * count.x + wg.x) * 64u + l;
  if (copy >= u.copies) { return; }
  let at = copy * 4u;
  var discounted = running[at];
  var seen = Moments(running[at + 3u], running[at + 1u], running[at + 2u] * running[at + 3u]);
  for (var t = 0u; t < u.steps; t++) {
    let i = t * u.copies + copy;
    let reward = rewards[i];
    discounted = u.gamma * discounted + reward;
    seen = merge_moments(seen, Moments(1.0, discounted, 0.0));
    scaled[i] = clamp(reward / sqrt(seen.m2 / seen.n + 1e-8), -u.clip, u.clip);
    if (terminated[i] != 0.0 || truncated[i] != 0.0) { discounted = 0.0; }
  }
  running[at] = discounted;
  running[at + 1u] = seen.mean;
  running[at + 2u] = seen.m2 / seen.n;
  running[at + 3u] = seen.n;
}
