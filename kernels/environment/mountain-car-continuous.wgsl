// MountainCarContinuous-v0: the action is a force in [-1, 1], cut off there; 100 at the flag, and the
// action as given costs 0.1 a square.

fn environment_step(s: u32, a: u32, steps: u32, random: ptr<function, Random>) -> bool {
  let arrived = drive(s, clamp(actions[a], -1.0, 1.0) * POWER);
  signal[0] = select(0.0, 100.0, arrived) - 0.1 * actions[a] * actions[a];
  return arrived;
}
