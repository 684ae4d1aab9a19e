// The distribution of the next token: softmax of logits / temperature over the tokens that the grammar
// allows. Included by the kernel that samples a turn and by those that evaluate one, so that both give
// the same log-probability. The including module defines
//   fn logit(i: u32) -> f32           entry i of its logits
//   fn grammar_entry(i: u32) -> u32   entry i of the grammar's table
// and its uniforms hold vocabulary, temperature and grammar.
//
// The table is [states, vocabulary]: 0 where the token is illegal, otherwise the state after it, plus 1.
// Without a grammar every token is legal but 0, the padding. An illegal token counts as a logit far below
// all others, so that it adds exactly 0 to entropy and gradient. The twin is next_token.ts.

// Stands for log 0: exp gives 0, and unlike for -infinity 0 times it is 0.
const LOG_ZERO = -1e30;

struct NextToken {
  first: u32,      // its logits are first … first + vocabulary - 1
  rules: u32,      // the grammar state's row of the table begins here
  peak: f32,       // the highest legal logit: subtracted before exp
  total: f32,      // sum exp((logit - peak) / temperature)
  log_total: f32,
  entropy: f32,
}

fn next_token_legal(policy: NextToken, token: u32) -> bool {
  if (u.grammar == 0u) { return token != 0u; }
  return grammar_entry(policy.rules + token) != 0u;
}

// The first legal token with the highest logit; 0 if none is legal.
fn next_token_mode(policy: NextToken) -> u32 {
  var mode = 0u;
  var peak = -3.4e38;
  for (var token = 0u; token < u.vocabulary; token++) {
    let l = logit(policy.first + token);
    if (l > peak && next_token_legal(policy, token)) {
      mode = token;
      peak = l;
    }
  }
  return mode;
}

// The token's logit less the peak, by temperature.
fn next_token_below_peak(policy: NextToken, token: u32) -> f32 {
  let below = (logit(policy.first + token) - policy.peak) / u.temperature;
  return select(LOG_ZERO, max(below, LOG_ZERO), next_token_legal(policy, token));
}

// With d = (logit - peak) / temperature, w = exp(d) and total = sum w: entropy = log(total) - sum(w d) / total.
fn next_token(row: u32, state: u32) -> NextToken {
  var policy = NextToken(row * u.vocabulary, state * u.vocabulary, 0.0, 0.0, 0.0, 0.0);
  policy.peak = logit(policy.first + next_token_mode(policy));
  var total = 0.0;
  var weighted = 0.0;
  for (var token = 0u; token < u.vocabulary; token++) {
    let d = next_token_below_peak(policy, token);
    let weight = exp(d);
    total += weight;
    weighted += weight * d;
  }
  // The peak itself counts 1, so total < 1 only when nothing is legal: then keep it finite.
  policy.total = max(total, 1.0);
  policy.log_total = log(policy.total);
  policy.entropy = policy.log_total - weighted / policy.total;
  return policy;
}

fn next_token_log_prob(policy: NextToken, token: u32) -> f32 {
  return next_token_below_peak(policy, token) - policy.log_total;
}

// How many tokens may follow.
fn next_token_choices(policy: NextToken) -> f32 {
  var choices = 0.0;
  for (var token = 0u; token < u.vocabulary; token++) { choices += select(0.0, 1.0, next_token_legal(policy, token)); }
  return choices;
}

// Mean of the log-probability over those.
fn next_token_mean_log_prob(policy: NextToken) -> f32 {
  var sum = 0.0;
  for (var token = 0u; token < u.vocabulary; token++) {
    sum += select(0.0, next_token_log_prob(policy, token), next_token_legal(policy, token));
  }
  return sum / next_token_choices(policy);
}
