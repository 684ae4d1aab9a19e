// Draws an action for each row of logits [rows, A] (categorical.wgsl): row i writes its action's index
// and log-probability to entry first + i, with the mask of legal actions from the same entry. The draw
// is Random(seed, stream, copy i, step). Greedy: the most likely legal action, the first among equals.

@group(0) @binding(0) var<storage, read> logits: array<f32>;
@group(0) @binding(1) var<storage, read> masks: array<u32>;
@group(0) @binding(2) var<storage, read_write> actions: array<f32>;
@group(0) @binding(3) var<storage, read_write> log_probs: array<f32>;

struct Uniforms {
  rows: u32,
  actions: u32,
  first: u32,
  seed: u32,
  stream: u32,
  step: u32,
  greedy: u32,
  masked: u32,
}
@group(0) @binding(4) var<uniform> u: Uniforms;

fn logit(i: u32) -> f32 { return logits[i]; }

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let i = (wg.y * workgroups.x + wg.x) * 64u + local;
  if (i >= u.rows) { return; }
  var legal = ALL_LEGAL;
  if (u.masked == 1u) { legal = masks[u.first + i]; }

  let policy = categorical(i * u.actions, u.actions, legal);
  var action: u32;
  if (u.greedy == 1u) {
    action = categorical_mode(policy);
  } else {
    var random = random_start(u.seed, u.stream, i, u.step);
    action = categorical_choice(policy, random_uniform(&random));
  }
  actions[u.first + i] = f32(action);
  log_probs[u.first + i] = categorical_log_prob(policy, action);
}
