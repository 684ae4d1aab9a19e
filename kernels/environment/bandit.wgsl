// Multi-armed bandit: each arm pays from its own distribution, whose mean is hidden.
// Sutton and Barto, Reinforcement Learning, chapter 2 (10-armed testbed: means and noise standard normal).
// state: [pulls so far, then for each arm its mean, pulls, sum of what it paid].
// observation: [1]; with MEMORY, for each arm also its average pay so far (0 before the first pull) and its share of the pulls.
// signals: reward; regret (best mean less the mean of the arm pulled, before any drift); best (1 for the best arm);
// success: the best arm on the last pull. The episode terminates after PULLS pulls.
// tables: [ARMS] fixed means. Constants from bandit.ts: NOISE DRIFT ARMS PULLS BERNOULLI REDRAWN MEMORY.

const ARMS_AT = 1u;

fn arm_mean(s: u32, arm: u32) -> u32 { return s + ARMS_AT + 3u * arm; }

fn environment_reset(s: u32, random: ptr<function, Random>) {
  state[s] = 0.0;
  for (var arm = 0u; arm < ARMS; arm += 1u) {
    var mean = tables[arm];
    if (REDRAWN && BERNOULLI) { mean = random_uniform(random); }
    if (REDRAWN && !BERNOULLI) { mean = random_normal(random); }
    let at = arm_mean(s, arm);
    state[at] = mean;
    state[at + 1u] = 0.0;
    state[at + 2u] = 0.0;
  }
}

fn environment_step(s: u32, a: u32, steps: u32, random: ptr<function, Random>) -> bool {
  let arm = u32(actions[a]);
  let at = arm_mean(s, arm);
  let mean = state[at];
  var best = mean;
  for (var other = 0u; other < ARMS; other += 1u) { best = max(best, state[arm_mean(s, other)]); }

  var reward = 0.0;
  if (BERNOULLI) { reward = f32(random_uniform(random) < mean); }
  else { reward = mean + NOISE * random_normal(random); }
  state[s] += 1.0;
  state[at + 1u] += 1.0;
  state[at + 2u] += reward;
  if (DRIFT > 0.0) {
    for (var other = 0u; other < ARMS; other += 1u) {
      let moved = state[arm_mean(s, other)] + DRIFT * random_normal(random);
      state[arm_mean(s, other)] = select(moved, clamp(moved, 0.0, 1.0), BERNOULLI);
    }
  }

  let ended = state[s] >= f32(PULLS);
  signal[0] = reward;
  signal[1] = best - mean;
  signal[2] = f32(mean == best);
  signal[3] = f32(ended && mean == best);
  return ended;
}

fn environment_observe(s: u32, o: u32, final_row: bool) {
  emit(o, 1.0, final_row);
  if (!MEMORY) { return; }
  for (var arm = 0u; arm < ARMS; arm += 1u) {
    let pulls = state[arm_mean(s, arm) + 1u];
    emit(o + 1u + 2u * arm, state[arm_mean(s, arm) + 2u] / max(pulls, 1.0), final_row);
    emit(o + 2u + 2u * arm, pulls / f32(PULLS), final_row);
  }
}

fn environment_legal(s: u32) -> u32 {
  return (1u << ARMS) - 1u;
}
