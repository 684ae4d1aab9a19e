// A level from a map. tables, from LAYOUT on: agent x (-1: none in the map), y, direction; goal x, y; the cells by row.
// Constants from levels.ts: LAYOUT.

fn environment_reset(s: u32, random: ptr<function, Random>) {
  for (var i = 0u; i < WIDTH * HEIGHT; i += 1u) { state[s + CELLS + i] = tables[LAYOUT + 5u + i]; }
  state[s + AGENT_X] = tables[LAYOUT];
  state[s + AGENT_Y] = tables[LAYOUT + 1u];
  state[s + DIRECTION] = tables[LAYOUT + 2u];
  state[s + CARRIED] = f32(EMPTY_CELL);
  state[s + GOAL_X] = tables[LAYOUT + 3u];
  state[s + GOAL_Y] = tables[LAYOUT + 4u];
  if (RANDOM_START) {
    state[s + AGENT_X] = -1.0;
    state[s + AGENT_Y] = -1.0;
    place_agent_anywhere(s, vec2i(i32(WIDTH), i32(HEIGHT)), random);
  }
}
