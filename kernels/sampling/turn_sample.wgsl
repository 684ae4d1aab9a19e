// After the model has been fed one token in each active slot: where that was the last token written and
// the slot is writing a turn, draws the next one from the model's logits and writes it.
//
// The distribution is next_token.wgsl's. From it only the top_k highest logits may be drawn (0: all), and
// of these only the fewest that together have top_p of their probability (1: all); tokens of equal logit
// share one fate. Order and renormalisation as in Hugging Face transformers: temperature, top-k, top-p.
// Greedy: the most likely legal token, the first among equals. The log-probability kept is that before
// top-k and top-p, which is what the training pass computes.
//
// The draw is Random(seed, stream, key, position): it depends on the episode and the position alone, not
// on the slot or on who shares the batch. A stop token, the turn's limit and a full context end the turn.
//
// Shapes: logits [S, V], grammar [states, V], stops [V] (1: the token ends a turn), slots [S, 6] (slots.ts),
// tokens, log_probs, states [S, context]. states: the grammar state in which the token was chosen.

@group(0) @binding(0) var<storage, read> logits: array<f32>;
@group(0) @binding(1) var<storage, read> grammar: array<u32>;
@group(0) @binding(2) var<storage, read> stops: array<u32>;
@group(0) @binding(3) var<storage, read_write> slots: array<u32>;
@group(0) @binding(4) var<storage, read_write> tokens: array<u32>;
@group(0) @binding(5) var<storage, read_write> log_probs: array<f32>;
@group(0) @binding(6) var<storage, read_write> states: array<u32>;

struct Uniforms {
  slots: u32,
  context: u32,
  vocabulary: u32,
  grammar: u32,
  turn_limit: u32,
  seed: u32,
  stream: u32,
  temperature: f32,
  top_k: u32,
  top_p: f32,
  greedy: u32,
}
@group(0) @binding(7) var<uniform> u: Uniforms;

// Enough for the smallest top_p; a bound, so that logits that are no numbers cannot hang the device.
const MAX_DRAWS = 256u;

fn logit(i: u32) -> f32 { return logits[i]; }
fn grammar_entry(i: u32) -> u32 { return grammar[i]; }

// Tokens that may be drawn: those with at least this logit, and the sum of their exp.
struct Kept {
  lowest: f32,
  total: f32,
}

// Walks down from the highest logit, level by level, until at least `count` tokens are kept, or no token is
// left that has any weight.
fn keep_highest(policy: NextToken, count: u32) -> Kept {
  var kept = Kept(3.4e38, 0.0);
  var kept_count = 0u;
  while (kept_count < count) {
    var level = -3.4e38;
    var level_count = 0u;
    var weight = 0.0;
    for (var token = 0u; token < u.vocabulary; token++) {
      let l = logit(policy.first + token);
      if (l >= kept.lowest || l < level || !next_token_legal(policy, token)) { continue; }
      if (l > level) { level_count = 0u; }
      level = l;
      level_count += 1u;
      weight = exp(next_token_below_peak(policy, token));
    }
    if (level_count == 0u || weight == 0.0) { break; }
    kept = Kept(level, kept.total + f32(level_count) * weight);
    kept_count += level_count;
  }
  return kept;
}

// The sum of exp over the tokens with a higher logit than this one's.
fn total_above(policy: NextToken, than: u32) -> f32 {
  let level = logit(policy.first + than);
  var sum = 0.0;
  for (var token = 0u; token < u.vocabulary; token++) {
    if (logit(policy.first + token) > level) { sum += exp(next_token_below_peak(policy, token)); }
  }
  return sum;
}

// Inverse of the distribution function over the kept tokens in order, at uniform in [0, 1). Where rounding
// carries the threshold past the last sum, the last token that has any weight is chosen.
fn draw(policy: NextToken, kept: Kept, uniform: f32) -> u32 {
  let threshold = uniform * kept.total;
  var sum = 0.0;
  var chosen = 0u;
  for (var token = 0u; token < u.vocabulary; token++) {
    let weight = exp(next_token_below_peak(policy, token));
    if (weight > 0.0 && logit(policy.first + token) >= kept.lowest) {
      sum += weight;
      chosen = token;
      if (sum > threshold) { break; }
    }
  }
  return chosen;
}

// A token outside top_p is drawn again: that gives the distribution cut off at top_p, and takes 1 / top_p
// draws on average at most. The likeliest token is never outside.
fn choose(policy: NextToken, key: u32, position: u32) -> u32 {
  if (u.greedy == 1u) { return next_token_mode(policy); }
  var kept = Kept(-3.4e38, policy.total);
  if (u.top_k > 0u) { kept = keep_highest(policy, u.top_k); }
  var random = random_start(u.seed, u.stream, key, position);
  for (var attempt = 0u; attempt < MAX_DRAWS; attempt++) {
    let token = draw(policy, kept, random_uniform(&random));
    if (u.top_p >= 1.0 || total_above(policy, token) < u.top_p * kept.total) { return token; }
  }
  return next_token_mode(policy);
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let slot = (wg.y * workgroups.x + wg.x) * 64u + local;
  if (slot >= u.slots) { return; }
  let words = slot * SLOT_WORDS;
  let length = slots[words + SLOT_LENGTH];
  let fed = slots[words + SLOT_FED] + 1u;
  if (fed > length) { return; }
  slots[words + SLOT_FED] = fed;
  if (fed < length || slots[words + SLOT_SAMPLING] == 0u) { return; }
  if (length >= u.context) {
    slots[words + SLOT_SAMPLING] = 0u;
    return;
  }

  let state = slots[words + SLOT_STATE];
  let policy = next_token(slot, state);
  let token = choose(policy, slots[words + SLOT_KEY], length);
  let at = slot * u.context + length;
  tokens[at] = token;
  log_probs[at] = next_token_log_prob(policy, token);
  states[at] = state;

  let written = slots[words + SLOT_WRITTEN] + 1u;
  slots[words + SLOT_LENGTH] = length + 1u;
  slots[words + SLOT_WRITTEN] = written;
  if (u.grammar == 1u) { slots[words + SLOT_STATE] = max(grammar[state * u.vocabulary + token], 1u) - 1u; }
  if (stops[token] == 1u || written >= u.turn_limit || length + 1u >= u.context) { slots[words + SLOT_SAMPLING] = 0u; }
}
