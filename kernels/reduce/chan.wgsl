// Mean and spread of numbers met in parts. Two parts are merged without loss of digits, which one
// pass over sums and sums of squares would not give.
// Chan, Golub, LeVeque: "Updating formulae and a pairwise algorithm for computing sample variances" (1979).
// Included by the kernels that need a variance. The same arithmetic as chan.ts.

struct Moments {
  n: f32,     // how many numbers
  mean: f32,
  m2: f32,    // Σ (x - mean)²
}

fn merge_moments(a: Moments, b: Moments) -> Moments {
  let n = a.n + b.n;
  if (n == 0.0) { return a; }
  let difference = b.mean - a.mean;
  let share = b.n / n;
  return Moments(n, a.mean + difference * share, a.m2 + b.m2 + difference * difference * a.n * share);
}

// A spread this small beside the mean is rounding noise of equal numbers, and counts as none.
fn deviation_is_zero(deviation: f32, mean: f32) -> bool {
  return deviation <= 1e-6 * abs(mean);
}
