// PPO's clipped surrogate (Schulman et al. 2017) with its two later changes: a range that is wider above
// than below (DAPO, Yu et al. 2025), and the dual clip (Ye et al. 2020), which holds the loss of a bad token at
// -A c where its ratio has grown beyond c. verl core_algos.py compute_policy_loss_vanilla @ 1dda039. With the
// ratio of whole sequences it is GSPO (Zheng et al. 2025).
//   max(-A r, -A clip(r, 1 - low, 1 + high)), and for A < 0 at most -A c

const SEQUENCE_LOSS = false;

fn sequence_term(log_ratio: f32, advantage: f32) -> f32 { return log_ratio; }

fn surrogate(token: Token) -> Surrogate {
  let a = token.advantage;
  let plain = -a * token.ratio;
  let clipped = -a * clamp(token.ratio, 1.0 - u.clip_low, 1.0 + u.clip_high);
  let is_clipped = clipped > plain;
  let loss = max(plain, clipped);
  let limit = -a * u.dual_clip;
  let dual = u.dual_clip > 0.0 && a < 0.0 && loss > limit;
  let slope = select(plain * token.moves, 0.0, is_clipped || dual);
  return Surrogate(select(loss, limit, dual), slope, is_clipped && (a < 0.0), is_clipped && (a > 0.0), dual);
}
