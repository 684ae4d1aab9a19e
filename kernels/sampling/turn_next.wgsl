// What the model is fed next in each slot: the first token that it has not seen, at its position. A slot
// that has none is not running; it is given token 0 at position 0, which the model must not keep.
// Shapes: slots [S, 6] (slots.ts), tokens [S, context], inputs, positions, running [S].

@group(0) @binding(0) var<storage, read> slots: array<u32>;
@group(0) @binding(1) var<storage, read> tokens: array<u32>;
@group(0) @binding(2) var<storage, read_write> inputs: array<u32>;
@group(0) @binding(3) var<storage, read_write> positions: array<u32>;
@group(0) @binding(4) var<storage, read_write> running: array<u32>;

struct Uniforms {
  slots: u32,
  context: u32,
}
@group(0) @binding(5) var<uniform> u: Uniforms;

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let slot = (wg.y * workgroups.x + wg.x) * 64u + local;
  if (slot >= u.slots) { return; }
  let fed = slots[slot * SLOT_WORDS + SLOT_FED];
  let waits = fed < slots[slot * SLOT_WORDS + SLOT_LENGTH];
  inputs[slot] = select(0u, tokens[slot * u.context + min(fed, u.context - 1u)], waits);
  positions[slot] = select(0u, fed, waits);
  running[slot] = select(0u, 1u, waits);
}
