// LavaGap: a strip of lava with one gap between the agent and the goal. Source: Minigrid envs/lavagap.py.

fn environment_reset(s: u32, random: ptr<function, Random>) {
  build_room(s);
  place_goal(s, vec2i(i32(WIDTH) - 2, i32(HEIGHT) - 2));
  let gap_x = random_between(random, 2u, WIDTH - 2u);
  let gap = vec2i(gap_x, random_between(random, 1u, HEIGHT - 1u));
  build_line(s, vec2i(gap.x, 1), vec2i(0, 1), HEIGHT - 2u, LAVA_CELL);
  set_cell(s, gap, EMPTY_CELL);
  if (RANDOM_START) { place_agent_anywhere(s, vec2i(i32(WIDTH), i32(HEIGHT)), random); }
  else { place_agent(s, vec2i(1, 1), 0u); }
}
