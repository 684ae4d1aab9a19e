// Pendulum-v1: swing a pendulum up with a weak motor and hold it there.
// Dynamics, constants, reward and reset of Gymnasium pendulum.py.
// state: [angle rad (0 is upright), angular velocity rad/s, steps held upright]; observation: [cos, sin, velocity];
// the action is a torque in N m, cut off at +-MAX_TORQUE.
// signals: reward -(angle^2 + 0.1 velocity^2 + 0.001 torque^2) before the step; angle, speed, torque without sign; success.
// Gymnasium has no verdict for this task. Ours: upright within HOLD_ANGLE for HOLD_STEPS steps on end.
// Constants from pendulum.ts: GRAVITY MASS LENGTH MAX_TORQUE MAX_SPEED SECONDS HOLD_ANGLE HOLD_STEPS.

fn environment_reset(s: u32, random: ptr<function, Random>) {
  state[s] = PI * (2.0 * random_uniform(random) - 1.0);
  state[s + 1u] = 2.0 * random_uniform(random) - 1.0;
  state[s + 2u] = 0.0;
}

fn environment_step(s: u32, a: u32, steps: u32, random: ptr<function, Random>) -> bool {
  let torque = clamp(actions[a], -MAX_TORQUE, MAX_TORQUE);
  let velocity = state[s + 1u];
  let before = wrap_angle(state[s]);
  signal[0] = -(before * before + 0.1 * velocity * velocity + 0.001 * torque * torque);

  let push = 3.0 * GRAVITY / (2.0 * LENGTH) * cos_sin(state[s]).y + 3.0 / (MASS * LENGTH * LENGTH) * torque;
  let next = clamp(velocity + push * SECONDS, -MAX_SPEED, MAX_SPEED);
  let angle = state[s] + next * SECONDS;
  let tilt = abs(wrap_angle(angle));
  let held = select(0.0, state[s + 2u] + 1.0, tilt < HOLD_ANGLE);
  state[s] = angle;
  state[s + 1u] = next;
  state[s + 2u] = held;

  signal[1] = tilt;
  signal[2] = abs(next);
  signal[3] = abs(torque);
  signal[4] = f32(held == f32(HOLD_STEPS));
  return false;
}

fn environment_observe(s: u32, o: u32, final_row: bool) {
  let circle = cos_sin(state[s]);
  emit(o, circle.x, final_row);
  emit(o + 1u, circle.y, final_row);
  emit(o + 2u, state[s + 1u], final_row);
}

fn environment_legal(s: u32) -> u32 {
  return 1u;
}
