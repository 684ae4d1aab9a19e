// The new value of a parameter, or the old one where the new is not finite (all exponent bits set): no weight
// that is not a number is ever stored. The next gradient of such a weight is not finite, and says so.
fn finite_or(value: f32, old: f32) -> f32 {
  return select(old, value, (bitcast<u32>(value) & 0x7f800000u) != 0x7f800000u);
}
