// What the agent sees: the 7×7 cells before it, turned so that it looks up, itself at the middle of the
// last row (showing what it carries). Walls and shut doors hide what is behind them.
// Source: Minigrid minigrid_env.py (gen_obs_grid, get_view_coords), core/grid.py (process_vis).
// observation: [7 columns × 7 rows × one encoded cell, the carried cell encoded, direction one-hot].
// Constants from view.ts: SEE_THROUGH. An encoding gives CELL_SIZE and encode_cell.

const VIEW = 7u;

fn environment_observe(s: u32, o: u32, final_row: bool) {
  let agent = agent_at(s);
  let ahead = heading(s);
  let right = vec2i(-ahead.y, ahead.x);
  let carried = carried_by(s);

  // Bit i: column i of this row is seen. Light starts at the agent, runs along each row through the
  // cells that let it pass, and from those on to the row beyond, straight and diagonally.
  var seen = 8u;
  for (var row = 0u; row < VIEW; row += 1u) {
    var cells: array<u32, VIEW>;
    var clear = 0u;
    for (var i = 0u; i < VIEW; i += 1u) {
      cells[i] = cell_at(s, agent + i32(row) * ahead + (i32(i) - 3) * right);
      clear |= u32(can_see_past(cells[i])) << i;
    }
    var beyond = 0u;
    for (var i = 0u; i < VIEW - 1u; i += 1u) {
      if ((((seen & clear) >> i) & 1u) == 1u) {
        seen |= 2u << i;
        beyond |= 3u << i;
      }
    }
    for (var i = VIEW - 1u; i > 0u; i -= 1u) {
      if ((((seen & clear) >> i) & 1u) == 1u) {
        seen |= 1u << (i - 1u);
        beyond |= 3u << (i - 1u);
      }
    }
    if (row == 0u) { cells[3] = carried; }
    for (var i = 0u; i < VIEW; i += 1u) {
      let visible = SEE_THROUGH || ((seen >> i) & 1u) == 1u;
      encode_cell(o + (i * VIEW + VIEW - 1u - row) * CELL_SIZE, select(UNSEEN_CELL, cells[i], visible), final_row);
    }
    seen = beyond;
  }
  encode_self(s, o + VIEW * VIEW * CELL_SIZE, final_row);
}
