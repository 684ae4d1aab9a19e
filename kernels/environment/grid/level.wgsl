// Building blocks of the levels: a room, lines of cells, and random places.
// Source: Minigrid core/grid.py (wall_rect, vert_wall), minigrid_env.py (place_obj, place_agent).
// Constants from grid.ts: RANDOM_START.

// Walls around the whole grid, empty within; no agent yet, nothing carried.
fn build_room(s: u32) {
  for (var y = 0u; y < HEIGHT; y += 1u) {
    for (var x = 0u; x < WIDTH; x += 1u) {
      let edge = x == 0u || y == 0u || x == WIDTH - 1u || y == HEIGHT - 1u;
      state[s + CELLS + y * WIDTH + x] = f32(select(EMPTY_CELL, WALL_CELL, edge));
    }
  }
  state[s + AGENT_X] = -1.0;
  state[s + AGENT_Y] = -1.0;
  state[s + DIRECTION] = 0.0;
  state[s + CARRIED] = f32(EMPTY_CELL);
}

// `length` equal cells from `at` on, in steps of `by`.
fn build_line(s: u32, at: vec2i, by: vec2i, length: u32, cell: u32) {
  for (var i = 0u; i < length; i += 1u) { set_cell(s, at + i32(i) * by, cell); }
}

fn place_goal(s: u32, at: vec2i) {
  set_cell(s, at, GOAL_CELL);
  state[s + GOAL_X] = f32(at.x);
  state[s + GOAL_Y] = f32(at.y);
}

fn place_agent(s: u32, at: vec2i, direction: u32) {
  state[s + AGENT_X] = f32(at.x);
  state[s + AGENT_Y] = f32(at.y);
  state[s + DIRECTION] = f32(direction);
}

fn place_agent_anywhere(s: u32, size: vec2i, random: ptr<function, Random>) {
  let at = free_place(s, size, random);
  place_agent(s, at, random_below(random, 4u));
}

// A place drawn evenly from the empty cells of the top-left rectangle of this size, the agent's own
// excepted. MiniGrid draws until it meets one; counting them first takes one draw and always ends.
fn free_place(s: u32, size: vec2i, random: ptr<function, Random>) -> vec2i {
  var free = 0u;
  for (var y = 0; y < size.y; y += 1) {
    for (var x = 0; x < size.x; x += 1) { free += u32(is_free(s, vec2i(x, y))); }
  }
  var chosen = random_below(random, free);
  for (var y = 0; y < size.y; y += 1) {
    for (var x = 0; x < size.x; x += 1) {
      if (!is_free(s, vec2i(x, y))) { continue; }
      if (chosen == 0u) { return vec2i(x, y); }
      chosen -= 1u;
    }
  }
  return vec2i(0, 0);
}

fn is_free(s: u32, at: vec2i) -> bool { return cell_at(s, at) == EMPTY_CELL && any(at != agent_at(s)); }

// Uniform integer in [low, high).
fn random_between(random: ptr<function, Random>, low: u32, high: u32) -> i32 {
  return i32(low + random_below(random, high - low));
}
