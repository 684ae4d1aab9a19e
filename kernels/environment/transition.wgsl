// One transition of each row from a given state, without time limit and automatic reset: what golden
// vectors and tests check, one step at a time. (step.wgsl is what training runs.)
// state [count, STATE], actions [count, ACTION], steps [count] (number of the step, from 1);
// result [count, SIGNALS + 2 + OBSERVATION]: signals, terminated, legal actions as bits, observation of the new state.
// With u.reset each row is reset instead of stepped. Before this text: constants, random numbers, the program.

@group(0) @binding(0) var<storage, read_write> state: array<f32>;
@group(0) @binding(1) var<storage, read> tables: array<f32>;
@group(0) @binding(2) var<storage, read> actions: array<f32>;
@group(0) @binding(3) var<storage, read> steps: array<u32>;
@group(0) @binding(4) var<storage, read_write> result: array<f32>;

struct Uniforms {
  count: u32,
  seed: u32,
  draw: u32,
  reset: u32,
}
@group(0) @binding(5) var<uniform> u: Uniforms;

var<private> signal: array<f32, SIGNALS>;

fn emit(at: u32, value: f32, final_row: bool) { result[at] = value; }

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let row = (wg.y * workgroups.x + wg.x) * 64u + local;
  if (row >= u.count) { return; }
  let s = row * STATE;
  let at = row * (SIGNALS + 2u + OBSERVATION);
  var random = random_start(u.seed, 0u, row, u.draw);
  var terminated = false;
  if (u.reset == 1u) { environment_reset(s, &random); }
  else { terminated = environment_step(s, row * ACTION, steps[row], &random); }
  for (var i = 0u; i < SIGNALS; i += 1u) { result[at + i] = signal[i]; }
  result[at + SIGNALS] = f32(terminated);
  result[at + SIGNALS + 1u] = f32(environment_legal(s));
  environment_observe(s, at + SIGNALS + 2u, false);
}
