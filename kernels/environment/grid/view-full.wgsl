// The whole grid, column by column, with the agent in its cell (its state is its direction).
// Source: Minigrid wrappers.py (FullyObsWrapper).
// observation: [WIDTH columns × HEIGHT rows × one encoded cell, the carried cell encoded, direction one-hot].
// An encoding gives CELL_SIZE and encode_cell.

const AGENT = 10u;

fn environment_observe(s: u32, o: u32, final_row: bool) {
  let agent = agent_at(s);
  for (var x = 0u; x < WIDTH; x += 1u) {
    for (var y = 0u; y < HEIGHT; y += 1u) {
      let at = vec2i(i32(x), i32(y));
      let cell = select(cell_at(s, at), AGENT | (u32(state[s + DIRECTION]) << 8u), all(at == agent));
      encode_cell(o + (x * HEIGHT + y) * CELL_SIZE, cell, final_row);
    }
  }
  encode_self(s, o + WIDTH * HEIGHT * CELL_SIZE, final_row);
}
