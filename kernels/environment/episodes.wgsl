// Episodes that ended during a rollout, copy by copy; the record is time-major, row = t · copies + copy.
// running [copies, 4]: return, length and success of the episode under way, carried across rollouts.
// episodes [copies, 8]: episodes ended, Σ return, Σ return², Σ length, Σ success (columns 0–4), steps since
// the last end (5), 1 + step of the first state without a legal action or 0 (6), steps taken (7).
// The return is the environment's own reward (signal 0), never the shaped one; success is the last signal.

struct Uniforms { steps: u32, copies: u32, signals: u32, masked: u32 }
@group(0) @binding(0) var<storage, read> signals: array<f32>;
@group(0) @binding(1) var<storage, read> terminated: array<f32>;
@group(0) @binding(2) var<storage, read> truncated: array<f32>;
@group(0) @binding(3) var<storage, read> masks: array<u32>;
@group(0) @binding(4) var<storage, read_write> running: array<f32>;
@group(0) @binding(5) var<storage, read_write> episodes: array<f32>;
@group(0) @binding(6) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let copy = (wg.y * count.x + wg.x) * 64u + l;
  if (copy >= u.copies) { return; }
  var total = running[copy * 4u];
  var length = running[copy * 4u + 1u];
  var success = running[copy * 4u + 2u];
  var ended = 0.0;
  var returns = vec2f();
  var lengths = 0.0;
  var successes = 0.0;
  var illegal = 0.0;
  for (var t = 0u; t < u.steps; t++) {
    let row = t * u.copies + copy;
    if (u.masked == 1u && illegal == 0.0 && masks[row] == 0u) { illegal = f32(t + 1u); }
    total += signals[row * u.signals];
    length += 1.0;
    success = max(success, signals[(row + 1u) * u.signals - 1u]);
    if (terminated[row] + truncated[row] > 0.0) {
      ended += 1.0;
      returns += vec2f(total, total * total);
      lengths += length;
      successes += success;
      total = 0.0;
      length = 0.0;
      success = 0.0;
    }
  }
  running[copy * 4u] = total;
  running[copy * 4u + 1u] = length;
  running[copy * 4u + 2u] = success;
  let e = copy * 8u;
  episodes[e] = ended;
  episodes[e + 1u] = returns.x;
  episodes[e + 2u] = returns.y;
  episodes[e + 3u] = lengths;
  episodes[e + 4u] = successes;
  episodes[e + 5u] = length;
  episodes[e + 6u] = illegal;
  episodes[e + 7u] = f32(u.steps);
}
