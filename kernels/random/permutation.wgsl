// indices[first + i] = where a random permutation of [0, count) sends i.
//
// The permutation is a keyed bijection that each invocation computes for itself, so that nothing is
// sorted or shared: a Feistel network (Luby and Rackoff 1988) on the next even power of two, walked
// until it is below count (Black and Rogaway, CT-RSA 2002). The walk ends, since i's own cycle leads
// back to i; from 17 elements on it takes fewer than 4 turns on average. Halves of 3 bits are the
// smallest with which every order of a few elements is equally likely (of 2 bits, they are not).

@group(0) @binding(0) var<storage, read_write> indices: array<u32>;

struct Uniforms {
  count: u32,
  first: u32,
  seed: u32,
  step: u32,
}
@group(0) @binding(1) var<uniform> u: Uniforms;

// Mixes 32 bits (Wellons 2018, "lowbias32").
fn scramble(bits: u32) -> u32 {
  var x = bits;
  x = (x ^ (x >> 16u)) * 0x7feb352du;
  x = (x ^ (x >> 15u)) * 0x846ca68bu;
  return x ^ (x >> 16u);
}

// One Feistel round on (left, right): the halves change places, one of them scrambled by the other.
fn feistel_round(halves: vec2u, key: u32, mask: u32) -> vec2u {
  return vec2u(halves.y, halves.x ^ (scramble(halves.y + key) & mask));
}

fn permute(i: u32, count: u32, key: vec2u) -> u32 {
  let bits = max(3u, (33u - countLeadingZeros(count - 1u)) / 2u);  // of one half
  let mask = (1u << bits) - 1u;
  var x = i;
  loop {
    var halves = vec2u(x >> bits, x & mask);
    halves = feistel_round(halves, key.x, mask);
    halves = feistel_round(halves, key.x + key.y, mask);
    halves = feistel_round(halves, key.x + 2u * key.y, mask);
    halves = feistel_round(halves, key.x + 3u * key.y, mask);
    halves = feistel_round(halves, key.x + 4u * key.y, mask);
    halves = feistel_round(halves, key.x + 5u * key.y, mask);
    x = (halves.x << bits) | halves.y;
    if (x < count) { break; }
  }
  return x;
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let i = (wg.y * workgroups.x + wg.x) * 64u + local;
  if (i >= u.count) { return; }
  var random = random_start(u.seed, STREAM_PERMUTATION, 0u, u.step);
  indices[u.first + i] = permute(i, u.count, random_bits(&random));
}
