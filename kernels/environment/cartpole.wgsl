// CartPole-v1: push a cart left or right so that the pole on it stays up.
// Barto, Sutton, Anderson (1983); dynamics, constants and reset of Gymnasium cartpole.py (Euler integrator).
// state, observation: [position m, velocity m/s, angle rad, angular velocity rad/s]; actions: 0 left, 1 right.
// signals: reward (1 a step), angle |rad|, position |m|, success.
// Constants from cartpole.ts: GRAVITY CART_MASS POLE_MASS HALF_LENGTH FORCE SECONDS ANGLE_LIMIT POSITION_LIMIT SOLVED_AT.

const TOTAL_MASS = CART_MASS + POLE_MASS;
const POLE_MOMENT = POLE_MASS * HALF_LENGTH;

fn environment_reset(s: u32, random: ptr<function, Random>) {
  for (var i = 0u; i < 4u; i += 1u) { state[s + i] = -0.05 + 0.1 * random_uniform(random); }
}

fn environment_step(s: u32, a: u32, steps: u32, random: ptr<function, Random>) -> bool {
  let velocity = state[s + 1u];
  let spin = state[s + 3u];
  let circle = cos_sin(state[s + 2u]);
  let force = select(-FORCE, FORCE, actions[a] == 1.0);

  let thrust = (force + POLE_MOMENT * spin * spin * circle.y) / TOTAL_MASS;
  let spin_rate = (GRAVITY * circle.y - circle.x * thrust)
    / (HALF_LENGTH * (4.0 / 3.0 - POLE_MASS * circle.x * circle.x / TOTAL_MASS));
  let acceleration = thrust - POLE_MOMENT * spin_rate * circle.x / TOTAL_MASS;

  let position = state[s] + SECONDS * velocity;
  let angle = state[s + 2u] + SECONDS * spin;
  state[s] = position;
  state[s + 1u] = velocity + SECONDS * acceleration;
  state[s + 2u] = angle;
  state[s + 3u] = spin + SECONDS * spin_rate;

  signal[0] = 1.0;
  signal[1] = abs(angle);
  signal[2] = abs(position);
  signal[3] = f32(steps == SOLVED_AT);
  return abs(position) > POSITION_LIMIT || abs(angle) > ANGLE_LIMIT;
}

fn environment_observe(s: u32, o: u32, final_row: bool) {
  for (var i = 0u; i < 4u; i += 1u) { emit(o + i, state[s + i], final_row); }
}

fn environment_legal(s: u32) -> u32 {
  return 3u;
}
