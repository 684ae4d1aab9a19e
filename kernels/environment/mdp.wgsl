// A finite Markov decision process from a transition table (Gymnasium's toy_text layout, see mdp.ts).
// state: [state index]. The observation is a row of one-hot parts: one part of STATES numbers, or several
// where the state is made of parts (Taxi: row, column, passenger, destination).
// signals: reward; failed (terminated without success); with DISTANCES distance (fewest steps to success from here)
// and approach, the distance that this step saved; success.
// tables, from each constant's place on:
//   LEGAL_AT      [STATES] legal actions as bits
//   FIRST_AT      [STATES * ACTIONS + 1] first outcome of each state and action; none where the next is the same
//   OUTCOMES_AT   [outcomes, 4] cumulative probability, next state, reward, flags (1 terminated, 2 success)
//   STARTS_AT     [STARTS, 2] cumulative probability, state
//   PARTS_AT      [PARTS] numbers in each part of the observation
//   HOT_AT        [STATES, PARTS] which of them is 1
//   DISTANCE_AT   [STATES] fewest steps to success (only with DISTANCES)
// Constants from mdp.ts: ACTIONS STARTS PARTS DISTANCES and the places.

fn environment_reset(s: u32, random: ptr<function, Random>) {
  var i = 0u;
  if (STARTS > 1u) {
    let u = random_uniform(random);
    while (i < STARTS - 1u && u >= tables[STARTS_AT + 2u * i]) { i += 1u; }
  }
  state[s] = tables[STARTS_AT + 2u * i + 1u];
}

fn environment_step(s: u32, a: u32, steps: u32, random: ptr<function, Random>) -> bool {
  let now = u32(state[s]);
  let pair = FIRST_AT + now * ACTIONS + u32(actions[a]);
  var outcome = u32(tables[pair]);
  let end = u32(tables[pair + 1u]);
  var next = now;
  var reward = 0.0;
  var flags = 0u;
  if (outcome < end) {
    if (outcome + 1u < end) {
      let u = random_uniform(random);
      while (outcome + 1u < end && u >= tables[OUTCOMES_AT + 4u * outcome]) { outcome += 1u; }
    }
    let row = OUTCOMES_AT + 4u * outcome;
    next = u32(tables[row + 1u]);
    reward = tables[row + 2u];
    flags = u32(tables[row + 3u]);
  }
  state[s] = f32(next);
  signal[0] = reward;
  signal[1] = f32(flags == 1u);
  if (DISTANCES) {
    signal[SIGNALS - 3u] = tables[DISTANCE_AT + next];
    signal[SIGNALS - 2u] = tables[DISTANCE_AT + now] - tables[DISTANCE_AT + next];
  }
  signal[SIGNALS - 1u] = f32(flags == 3u);
  return (flags & 1u) == 1u;
}

fn environment_observe(s: u32, o: u32, final_row: bool) {
  let now = u32(state[s]);
  var at = o;
  for (var part = 0u; part < PARTS; part += 1u) {
    let size = u32(tables[PARTS_AT + part]);
    let hot = u32(tables[HOT_AT + now * PARTS + part]);
    for (var i = 0u; i < size; i += 1u) { emit(at + i, f32(i == hot), final_row); }
    at += size;
  }
}

fn environment_legal(s: u32) -> u32 {
  return u32(tables[LEGAL_AT + u32(state[s])]);
}
