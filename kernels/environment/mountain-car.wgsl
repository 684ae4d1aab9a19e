// The mountain car's hill, shared by both mountain cars: an engine too weak for the hill must swing up.
// Moore (1990); dynamics, constants and reset of Gymnasium mountain_car.py and continuous_mountain_car.py.
// state, observation: [position, velocity]; signals: reward, height, speed, success.
// Constants from mountain-car.ts: GRAVITY POWER MIN_POSITION MAX_POSITION MAX_SPEED GOAL_POSITION.

fn environment_reset(s: u32, random: ptr<function, Random>) {
  state[s] = -0.6 + 0.2 * random_uniform(random);
  state[s + 1u] = 0.0;
}

// One step with the given acceleration of the engine; sets every signal but the reward. True at the goal.
fn drive(s: u32, acceleration: f32) -> bool {
  let pull = -GRAVITY * cos_sin(3.0 * state[s]).x;
  var velocity = clamp(state[s + 1u] + acceleration + pull, -MAX_SPEED, MAX_SPEED);
  let position = clamp(state[s] + velocity, MIN_POSITION, MAX_POSITION);
  if (position == f32(MIN_POSITION) && velocity < 0.0) { velocity = 0.0; }
  state[s] = position;
  state[s + 1u] = velocity;

  let arrived = position >= GOAL_POSITION && velocity >= 0.0;
  signal[1] = 0.45 * cos_sin(3.0 * position).y + 0.55;
  signal[2] = abs(velocity);
  signal[3] = f32(arrived);
  return arrived;
}

fn environment_observe(s: u32, o: u32, final_row: bool) {
  emit(o, state[s], final_row);
  emit(o + 1u, state[s + 1u], final_row);
}

fn environment_legal(s: u32) -> u32 {
  return 7u;
}
