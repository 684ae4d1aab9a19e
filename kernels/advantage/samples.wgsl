// Gathers what the loss reads beside observations and actions, in the order of the permuted batch,
// for all epochs at once: samples[e·batch + i] is of rollout row indices[e, i].
//   (log-probability when acting, advantage, return, value when acting)
// The advantage is normalised over its minibatch: (A - mean) / (deviation + 1e-8); 0 where all are equal,
// and for a row of weight 0, which was left out.
// Shapes: advantages, weights, returns, values, log_probs [batch], indices [epochs, batch],
// moments [epochs · minibatches, 2] of minibatch_moments, samples [epochs · batch, 4].

struct Uniforms {
  batch: u32,
  minibatch: u32,
  epochs: u32,
}

@group(0) @binding(0) var<storage, read> advantages: array<f32>;
@group(0) @binding(1) var<storage, read> weights: array<f32>;
@group(0) @binding(2) var<storage, read> returns: array<f32>;
@group(0) @binding(3) var<storage, read> values: array<f32>;
@group(0) @binding(4) var<storage, read> log_probs: array<f32>;
@group(0) @binding(5) var<storage, read> indices: array<u32>;
@group(0) @binding(6) var<storage, read> moments: array<f32>;
@group(0) @binding(7) var<storage, read_write> samples: array<f32>;
@group(0) @binding(8) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let i = (wg.y * count.x + wg.x) * 64u + l;
  if (i >= u.epochs * u.batch) { return; }
  let minibatches = (u.batch + u.minibatch - 1u) / u.minibatch;
  let m = (i / u.batch * minibatches + i % u.batch / u.minibatch) * 2u;
  let deviation = moments[m + 1u];
  let row = indices[i];
  let normalized = (advantages[row] - moments[m]) / (deviation + 1e-8);
  samples[i * 4u] = log_probs[row];
  samples[i * 4u + 1u] = select(normalized, 0.0, deviation == 0.0 || weights[row] == 0.0);
  samples[i * 4u + 2u] = returns[row];
  samples[i * 4u + 3u] = values[row];
}
