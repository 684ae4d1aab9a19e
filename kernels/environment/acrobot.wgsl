// Acrobot-v1: swing the free end of a two-link arm above the line, with a motor at the joint between the links.
// Sutton (1996), Sutton and Barto's book; dynamics (book version), constants, reset of Gymnasium acrobot.py (RK4).
// state: [angle 1, angle 2 (relative to link 1), velocity 1, velocity 2], rad, 0 hanging down;
// observation: [cos 1, sin 1, cos 2, sin 2, velocity 1, velocity 2]; actions: torque -1, 0, 1 N m.
// signals: reward (-1 a step, 0 at the goal), height of the free end above the pivot in m, success.
// Constants from acrobot.ts: GRAVITY LENGTH_1 MASS_1 MASS_2 CENTRE_1 CENTRE_2 INERTIA MAX_VELOCITY_1 MAX_VELOCITY_2 SECONDS GOAL_HEIGHT.

fn environment_reset(s: u32, random: ptr<function, Random>) {
  for (var i = 0u; i < 4u; i += 1u) { state[s + i] = -0.1 + 0.2 * random_uniform(random); }
}

// Time derivative of (angle 1, angle 2, velocity 1, velocity 2).
fn acrobot_rate(now: vec4f, torque: f32) -> vec4f {
  let second = cos_sin(now.y);
  let d1 = MASS_1 * CENTRE_1 * CENTRE_1
    + MASS_2 * (LENGTH_1 * LENGTH_1 + CENTRE_2 * CENTRE_2 + 2.0 * LENGTH_1 * CENTRE_2 * second.x) + 2.0 * INERTIA;
  let d2 = MASS_2 * (CENTRE_2 * CENTRE_2 + LENGTH_1 * CENTRE_2 * second.x) + INERTIA;
  // cos(angle - pi / 2) is written as sin(angle)
  let phi2 = MASS_2 * CENTRE_2 * GRAVITY * cos_sin(now.x + now.y).y;
  let phi1 = -MASS_2 * LENGTH_1 * CENTRE_2 * now.w * now.w * second.y
    - 2.0 * MASS_2 * LENGTH_1 * CENTRE_2 * now.w * now.z * second.y
    + (MASS_1 * CENTRE_1 + MASS_2 * LENGTH_1) * GRAVITY * cos_sin(now.x).y + phi2;
  let rate2 = (torque + d2 / d1 * phi1 - MASS_2 * LENGTH_1 * CENTRE_2 * now.z * now.z * second.y - phi2)
    / (MASS_2 * CENTRE_2 * CENTRE_2 + INERTIA - d2 * d2 / d1);
  return vec4f(now.z, now.w, -(d2 * rate2 + phi1) / d1, rate2);
}

fn environment_step(s: u32, a: u32, steps: u32, random: ptr<function, Random>) -> bool {
  let torque = actions[a] - 1.0;
  let start = vec4f(state[s], state[s + 1u], state[s + 2u], state[s + 3u]);
  let k1 = acrobot_rate(start, torque);
  let k2 = acrobot_rate(start + 0.5 * SECONDS * k1, torque);
  let k3 = acrobot_rate(start + 0.5 * SECONDS * k2, torque);
  let k4 = acrobot_rate(start + SECONDS * k3, torque);
  let next = start + SECONDS / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);

  let first = wrap_angle(next.x);
  let second = wrap_angle(next.y);
  state[s] = first;
  state[s + 1u] = second;
  state[s + 2u] = clamp(next.z, -MAX_VELOCITY_1, MAX_VELOCITY_1);
  state[s + 3u] = clamp(next.w, -MAX_VELOCITY_2, MAX_VELOCITY_2);

  let height = -cos_sin(first).x - cos_sin(second + first).x;
  let arrived = height > GOAL_HEIGHT;
  signal[0] = select(-1.0, 0.0, arrived);
  signal[1] = height;
  signal[2] = f32(arrived);
  return arrived;
}

fn environment_observe(s: u32, o: u32, final_row: bool) {
  let first = cos_sin(state[s]);
  let second = cos_sin(state[s + 1u]);
  emit(o, first.x, final_row);
  emit(o + 1u, first.y, final_row);
  emit(o + 2u, second.x, final_row);
  emit(o + 3u, second.y, final_row);
  emit(o + 4u, state[s + 2u], final_row);
  emit(o + 5u, state[s + 3u], final_row);
}

fn environment_legal(s: u32) -> u32 {
  return 7u;
}
