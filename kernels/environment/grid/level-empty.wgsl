// Empty: a room with the goal in the far corner. Source: Minigrid envs/empty.py.

fn environment_reset(s: u32, random: ptr<function, Random>) {
  build_room(s);
  place_goal(s, vec2i(i32(WIDTH) - 2, i32(HEIGHT) - 2));
  if (RANDOM_START) { place_agent_anywhere(s, vec2i(i32(WIDTH), i32(HEIGHT)), random); }
  else { place_agent(s, vec2i(1, 1), 0u); }
}
