// DoorKey: a wall with a locked door; agent and key on the left of it, the goal on the right.
// Source: Minigrid envs/doorkey.py.

const YELLOW = 4u;

fn environment_reset(s: u32, random: ptr<function, Random>) {
  build_room(s);
  place_goal(s, vec2i(i32(WIDTH) - 2, i32(HEIGHT) - 2));
  let split = random_between(random, 2u, WIDTH - 2u);
  build_line(s, vec2i(split, 0), vec2i(0, 1), HEIGHT, WALL_CELL);
  let left = vec2i(split, i32(HEIGHT));
  place_agent_anywhere(s, left, random);
  set_cell(s, vec2i(split, random_between(random, 1u, HEIGHT - 2u)), DOOR | (YELLOW << 4u) | (DOOR_LOCKED << 8u));
  set_cell(s, free_place(s, left, random), KEY | (YELLOW << 4u));
}
