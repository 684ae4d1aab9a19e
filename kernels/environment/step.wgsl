// One step of every copy of an environment: act, time limit, record, automatic reset.
// Before this text: constants, random numbers, the environment's own functions.
//
// state [copies, HEADER + STATE]: steps of this episode so far, episodes so far, the copy's own numbers.
// The record is time-major, row = first + copy with first = t · copies:
//   actions [T·copies, ACTION]   signals [T·copies, SIGNALS]   terminated, truncated [T·copies]
//   observations [(T + 1)·copies, OBSERVATION], then from row final_first on the last observation of the
//   episode that ended at this row: automatic reset never overwrites it (F2).
//   masks [(T + 1)·copies]: legal actions as bits, beside the observations.
// A copy whose episodes reached episode_limit (0: none) rests: zero signals, no end.

struct Uniforms {
  copies: u32, first: u32, final_first: u32,
  seed: u32, step_stream: u32, reset_stream: u32, step: u32,
  max_steps: u32, episode_limit: u32,
}
@group(0) @binding(0) var<storage, read_write> state: array<f32>;
@group(0) @binding(1) var<storage, read> tables: array<f32>;
@group(0) @binding(2) var<storage, read> actions: array<f32>;
@group(0) @binding(3) var<storage, read_write> observations: array<f32>;
@group(0) @binding(4) var<storage, read_write> signals: array<f32>;
@group(0) @binding(5) var<storage, read_write> terminated: array<f32>;
@group(0) @binding(6) var<storage, read_write> truncated: array<f32>;
@group(0) @binding(7) var<storage, read_write> masks: array<u32>;
@group(0) @binding(8) var<uniform> u: Uniforms;

var<private> signal: array<f32, SIGNALS>;

fn emit(at: u32, value: f32, final_row: bool) { observations[at] = value; }

fn begin_episode(copy: u32, base: u32) {
  var random = random_start(u.seed, u.reset_stream, copy, u32(state[base + 1u]));
  state[base] = 0.0;
  environment_reset(base + HEADER, &random);
}

// What the policy will see next, and what it may do.
fn show(copy: u32, base: u32, row: u32) {
  environment_observe(base + HEADER, row * OBSERVATION, false);
  masks[row] = environment_legal(base + HEADER);
}

fn rest(row: u32) {
  for (var i = 0u; i < SIGNALS; i++) { signals[row * SIGNALS + i] = 0.0; }
  terminated[row] = 0.0;
  truncated[row] = 0.0;
}

fn step_copy(copy: u32, base: u32) {
  let row = u.first + copy;
  if (u.episode_limit > 0u && u32(state[base + 1u]) >= u.episode_limit) { rest(row); return; }
  var random = random_start(u.seed, u.step_stream, copy, u.step);
  let steps = u32(state[base]) + 1u;
  state[base] = f32(steps);
  for (var i = 0u; i < SIGNALS; i++) { signal[i] = 0.0; }
  let ends = environment_step(base + HEADER, row * ACTION, steps, &random);
  let late = !ends && u.max_steps > 0u && steps >= u.max_steps;
  for (var i = 0u; i < SIGNALS; i++) { signals[row * SIGNALS + i] = signal[i]; }
  terminated[row] = select(0.0, 1.0, ends);
  truncated[row] = select(0.0, 1.0, late);
  if (ends || late) {
    environment_observe(base + HEADER, (u.final_first + row) * OBSERVATION, true);
    state[base + 1u] += 1.0;
    begin_episode(copy, base);
  }
  show(copy, base, row + u.copies);
}

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let copy = (wg.y * count.x + wg.x) * WORKGROUP + l;
  if (copy >= u.copies) { return; }
  let base = copy * (HEADER + STATE);
  if (RESET) {
    state[base + 1u] = 0.0;
    begin_episode(copy, base);
    show(copy, base, u.first + copy);
  } else {
    step_copy(copy, base);
  }
}
