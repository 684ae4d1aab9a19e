// MountainCar-v0: actions 0 left, 1 none, 2 right; reward -1 a step until the flag.

fn environment_step(s: u32, a: u32, steps: u32, random: ptr<function, Random>) -> bool {
  signal[0] = -1.0;
  return drive(s, (actions[a] - 1.0) * POWER);
}
