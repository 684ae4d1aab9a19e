// For tests: the observation is the step number, and the episode terminates at 4 (fault F2: the last
// observation of an episode must not be overwritten by the first of the next).
// state, observation: [step number]; one action; signals: reward (1 a step), success.

fn environment_reset(s: u32, random: ptr<function, Random>) {
  state[s] = 0.0;
}

fn environment_step(s: u32, a: u32, steps: u32, random: ptr<function, Random>) -> bool {
  state[s] += 1.0;
  signal[0] = 1.0;
  signal[1] = f32(state[s] == 4.0);
  return state[s] == 4.0;
}

fn environment_observe(s: u32, o: u32, final_row: bool) {
  emit(o, state[s], final_row);
}

fn environment_legal(s: u32) -> u32 {
  return 1u;
}
