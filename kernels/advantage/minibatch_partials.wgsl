// First stage of minibatch_moments: count, mean and Σ(A - mean)² of a sixteenth of each minibatch.
// Row i of an epoch's permuted batch belongs to minibatch i / minibatch; the last may be smaller. Rows of weight 0
// (returns.wgsl leaves them out) are no part of it.
// Shapes: advantages, weights [batch] in rollout order, indices [epochs, batch], partials [epochs · minibatches, 16, 3].

const PARTIALS = 16u;

struct Uniforms {
  batch: u32,
  minibatch: u32,
  epochs: u32,
}

@group(0) @binding(0) var<storage, read> advantages: array<f32>;
@group(0) @binding(1) var<storage, read> weights: array<f32>;
@group(0) @binding(2) var<storage, read> indices: array<u32>;
@group(0) @binding(3) var<storage, read_write> partials: array<f32>;
@group(0) @binding(4) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let i = (wg.y * count.x + wg.x) * 64u + l;
  let minibatches = (u.batch + u.minibatch - 1u) / u.minibatch;
  if (i >= u.epochs * minibatches * PARTIALS) { return; }
  let number = i / PARTIALS;
  let row = number / minibatches * u.batch;
  let begin = number % minibatches * u.minibatch;
  let end = min(begin + u.minibatch, u.batch);

  var n = 0.0;
  var total = 0.0;
  for (var k = begin + i % PARTIALS; k < end; k += PARTIALS) {
    let at = indices[row + k];
    if (weights[at] == 0.0) { continue; }
    n += 1.0;
    total += advantages[at];
  }
  let mean = total / max(n, 1.0);
  var m2 = 0.0;
  for (var k = begin + i % PARTIALS; k < end; k += PARTIALS) {
    let at = indices[row + k];
    if (weights[at] == 0.0) { continue; }
    let d = advantages[at] - mean;
    m2 += d * d;
  }
  partials[i * 3u] = n;
  partials[i * 3u + 1u] = mean;
  partials[i * 3u + 2u] = m2;
}
