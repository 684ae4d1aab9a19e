// The categorical distribution over A actions given by unnormalised log-probabilities (logits), for
// kernels that sample from it or differentiate it. Included as text; the including module defines
//   fn logit(i: u32) -> f32         entry i of its logits
// `legal` has bit a set where action a is allowed (A <= 32), or every bit set where all are. A
// forbidden action counts as a logit far below all others, so that it adds exactly 0 to entropy and
// gradient; so does a logit of -infinity (pytorch/pytorch#40553). The twin is categorical.ts.

const ALL_LEGAL = 0xffffffffu;
// Stands for log 0: exp gives 0, and unlike for -infinity 0 times it is 0.
const LOG_ZERO = -1e30;

struct Categorical {
  first: u32,      // its logits are first … first + actions - 1
  actions: u32,
  legal: u32,
  peak: f32,       // the highest legal logit: subtracted before exp
  log_total: f32,  // log sum exp(logit - peak)
  entropy: f32,
}

// ALL_LEGAL serves any number of actions.
fn categorical_legal(policy: Categorical, action: u32) -> bool {
  return ((policy.legal >> (action % 32u)) & 1u) == 1u;
}

// The first legal action with the highest logit; 0 if none is legal.
fn categorical_mode(policy: Categorical) -> u32 {
  var mode = 0u;
  var peak = -3.4e38;
  for (var a = 0u; a < policy.actions; a++) {
    let l = logit(policy.first + a);
    if (categorical_legal(policy, a) && l > peak) {
      mode = a;
      peak = l;
    }
  }
  return mode;
}

// The action's logit less the peak.
fn categorical_below_peak(policy: Categorical, action: u32) -> f32 {
  return select(LOG_ZERO, max(logit(policy.first + action) - policy.peak, LOG_ZERO), categorical_legal(policy, action));
}

// With d = logit - peak, w = exp(d) and total = sum w: entropy = log(total) - sum(w d) / total.
fn categorical(first: u32, actions: u32, legal: u32) -> Categorical {
  var policy = Categorical(first, actions, legal, 0.0, 0.0, 0.0);
  policy.peak = logit(first + categorical_mode(policy));
  var total = 0.0;
  var weighted = 0.0;
  for (var a = 0u; a < actions; a++) {
    let d = categorical_below_peak(policy, a);
    let weight = exp(d);
    total += weight;
    weighted += weight * d;
  }
  // The peak itself counts 1, so total < 1 only when nothing is legal: then keep it finite.
  total = max(total, 1.0);
  policy.log_total = log(total);
  policy.entropy = policy.log_total - weighted / total;
  return policy;
}

fn categorical_log_prob(policy: Categorical, action: u32) -> f32 {
  return categorical_below_peak(policy, action) - policy.log_total;
}

// Inverse of the distribution function over the actions in order, at uniform in [0, 1). Where rounding
// carries the threshold past the last sum, the last action that has any weight is chosen.
fn categorical_choice(policy: Categorical, uniform: f32) -> u32 {
  let threshold = uniform * exp(policy.log_total);
  var sum = 0.0;
  var chosen = 0u;
  for (var a = 0u; a < policy.actions; a++) {
    let weight = exp(categorical_below_peak(policy, a));
    if (weight > 0.0) {
      sum += weight;
      chosen = a;
      if (sum > threshold) { break; }
    }
  }
  return chosen;
}

// d(log_prob_gradient * log_prob(chosen) + entropy_gradient * entropy) / d logit of `action`.
fn categorical_gradient(
  policy: Categorical, action: u32, chosen: u32, log_prob_gradient: f32, entropy_gradient: f32,
) -> f32 {
  let log_prob = categorical_log_prob(policy, action);
  let prob = exp(log_prob);
  let slope = log_prob_gradient * (select(0.0, 1.0, action == chosen) - prob)
    - entropy_gradient * prob * (log_prob + policy.entropy);
  return select(0.0, slope, categorical_legal(policy, action));
}
