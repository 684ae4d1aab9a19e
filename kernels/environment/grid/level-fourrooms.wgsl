// FourRooms: four rooms joined by a gap in each wall; agent and goal anywhere. Source: Minigrid envs/fourrooms.py.

fn environment_reset(s: u32, random: ptr<function, Random>) {
  build_room(s);
  let middle = vec2u(WIDTH / 2u, HEIGHT / 2u);
  let centre = vec2i(middle);
  build_line(s, vec2i(centre.x, 0), vec2i(0, 1), HEIGHT, WALL_CELL);
  build_line(s, vec2i(0, centre.y), vec2i(1, 0), WIDTH, WALL_CELL);
  set_cell(s, vec2i(centre.x, random_between(random, 1u, middle.y)), EMPTY_CELL);
  set_cell(s, vec2i(centre.x, random_between(random, middle.y + 1u, 2u * middle.y)), EMPTY_CELL);
  set_cell(s, vec2i(random_between(random, 1u, middle.x), centre.y), EMPTY_CELL);
  set_cell(s, vec2i(random_between(random, middle.x + 1u, 2u * middle.x), centre.y), EMPTY_CELL);
  let whole = vec2i(i32(WIDTH), i32(HEIGHT));
  place_agent_anywhere(s, whole, random);
  place_goal(s, free_place(s, whole, random));
}
