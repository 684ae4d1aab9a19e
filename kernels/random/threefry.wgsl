// Counter-based random numbers: Threefry-2x32, 20 rounds.
// Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3" (SC 2011).
// Included by every kernel that draws. The same bits as threefry.ts.
//
// A draw is named by (seed, stream, copy, step, draw): no state is kept, so streams of different
// seeds, purposes and environment copies never overlap, and a draw can be repeated at will.

struct Random {
  key: vec2u,      // (seed, stream + 256 * draw)
  counter: vec2u,  // (copy, step)
}

fn threefry_rotate(x: vec2u, by: u32) -> vec2u {
  let sum = x.x + x.y;
  return vec2u(sum, ((x.y << by) | (x.y >> (32u - by))) ^ sum);
}

fn threefry(key: vec2u, counter: vec2u) -> vec2u {
  let k2 = key.x ^ key.y ^ 0x1BD11BDAu;
  var x = counter + key;
  x = threefry_rotate(x, 13u); x = threefry_rotate(x, 15u); x = threefry_rotate(x, 26u); x = threefry_rotate(x, 6u);
  x += vec2u(key.y, k2 + 1u);
  x = threefry_rotate(x, 17u); x = threefry_rotate(x, 29u); x = threefry_rotate(x, 16u); x = threefry_rotate(x, 24u);
  x += vec2u(k2, key.x + 2u);
  x = threefry_rotate(x, 13u); x = threefry_rotate(x, 15u); x = threefry_rotate(x, 26u); x = threefry_rotate(x, 6u);
  x += vec2u(key.x, key.y + 3u);
  x = threefry_rotate(x, 17u); x = threefry_rotate(x, 29u); x = threefry_rotate(x, 16u); x = threefry_rotate(x, 24u);
  x += vec2u(key.y, k2 + 4u);
  x = threefry_rotate(x, 13u); x = threefry_rotate(x, 15u); x = threefry_rotate(x, 26u); x = threefry_rotate(x, 6u);
  return x + vec2u(k2, key.x + 5u);
}

fn random_start(seed: u32, stream: u32, copy: u32, step: u32) -> Random {
  return Random(vec2u(seed, stream), vec2u(copy, step));
}

// Two words of 32 random bits; moves on to the next draw.
fn random_bits(random: ptr<function, Random>) -> vec2u {
  let bits = threefry((*random).key, (*random).counter);
  (*random).key.y += 256u;
  return bits;
}

// Uniform in [0, 1), a multiple of 2^-24: exact in float32, never 1.
fn random_uniform(random: ptr<function, Random>) -> f32 {
  return f32(random_bits(random).x >> 8u) * 5.9604644775390625e-8;
}

// Uniform integer in [0, n), n > 0.
fn random_below(random: ptr<function, Random>, n: u32) -> u32 {
  return min(u32(random_uniform(random) * f32(n)), n - 1u);
}

// cos(2 pi v) for v in [0, 1] to 2e-7, as sin(pi/2 t) with t = 4 |v - 1/2| - 1, by a minimax polynomial:
// the built-in cosine may err by 5e-4, and one executor would not draw what the other draws.
fn random_cosine(v: f32) -> f32 {
  let t = 4.0 * abs(v - 0.5) - 1.0;
  let s = t * t;
  return t * (1.57079629 + s * (-0.64596336 + s * (0.07968848 + s * (-0.004672228 + s * 0.00015082056))));
}

// Standard normal by Box and Muller (1958). 1 - u keeps the logarithm's argument above 0; log(1) may
// come out a little above 0, hence max.
fn random_normal(random: ptr<function, Random>) -> f32 {
  let bits = random_bits(random);
  let u = 1.0 - f32(bits.x >> 8u) * 5.9604644775390625e-8;
  let v = f32(bits.y >> 8u) * 5.9604644775390625e-8;
  return sqrt(max(-2.0 * log(u), 0.0)) * random_cosine(v);
}
