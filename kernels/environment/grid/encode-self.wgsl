// What the agent knows of itself, at the end of every observation: the carried cell, and its direction one-hot.

fn encode_self(s: u32, o: u32, final_row: bool) {
  encode_cell(o, carried_by(s), final_row);
  for (var i = 0u; i < 4u; i += 1u) { emit(o + CELL_SIZE + i, f32(u32(state[s + DIRECTION]) == i), final_row); }
}
