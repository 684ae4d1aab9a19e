// Grid world: MiniGrid's objects, actions and reward.
// Source: Farama-Foundation/Minigrid minigrid_env.py (step), core/world_object.py (objects).
// state: [agent x, agent y, direction, carried cell, goal x, goal y, cells by row]; a cell is
//   object + 16 colour + 256 state + 4096 content (objects.ts); x grows to the right, y downwards.
// direction: 0 right, 1 down, 2 left, 3 up.
// actions: 0 turn left, 1 turn right, 2 forward, 3 pick up, 4 drop, 5 toggle, 6 done (does nothing).
// signals: reward 1 - 0.9 step / max steps at the goal, else 0; pickup, opened (a door), lava, bump: 1 when it
//   happened on this step; distance to the goal in cells (Manhattan); approach: the distance that this step saved; success.
// Constants from grid.ts: WIDTH HEIGHT MAX_STEPS MASK.

const AGENT_X = 0u;
const AGENT_Y = 1u;
const DIRECTION = 2u;
const CARRIED = 3u;
const GOAL_X = 4u;
const GOAL_Y = 5u;
const CELLS = 6u;

const DOOR = 4u;
const KEY = 5u;
const BALL = 6u;
const BOX = 7u;
const UNSEEN_CELL = 0u;
const EMPTY_CELL = 1u;
const WALL_CELL = 82u;   // wall, grey
const GOAL_CELL = 24u;   // goal, green
const LAVA_CELL = 9u;    // lava, red
const DOOR_OPEN = 0u;
const DOOR_CLOSED = 1u;
const DOOR_LOCKED = 2u;

fn object_of(cell: u32) -> u32 { return cell & 15u; }
fn colour_of(cell: u32) -> u32 { return (cell >> 4u) & 15u; }
fn state_of(cell: u32) -> u32 { return (cell >> 8u) & 15u; }
fn content_of(cell: u32) -> u32 { return cell >> 12u; }

fn is_shut_door(cell: u32) -> bool { return object_of(cell) == DOOR && state_of(cell) != DOOR_OPEN; }
fn can_enter(cell: u32) -> bool {
  switch (object_of(cell)) {
    case 1u, 3u, 8u, 9u: { return true; } // empty, floor, goal, lava
    case DOOR: { return state_of(cell) == DOOR_OPEN; }
    default: { return false; }
  }
}
fn can_pick_up(cell: u32) -> bool { return object_of(cell) >= KEY && object_of(cell) <= BOX; }
fn can_see_past(cell: u32) -> bool { return object_of(cell) != 2u && !is_shut_door(cell); }

// The cell after toggling it while carrying `carried`; the same cell where toggling does nothing.
fn toggled(cell: u32, carried: u32) -> u32 {
  if (object_of(cell) == BOX) { return select(content_of(cell), EMPTY_CELL, content_of(cell) == 0u); }
  if (object_of(cell) != DOOR) { return cell; }
  let has_key = object_of(carried) == KEY && colour_of(carried) == colour_of(cell);
  if (state_of(cell) == DOOR_LOCKED && !has_key) { return cell; }
  let next = select(DOOR_OPEN, DOOR_CLOSED, state_of(cell) == DOOR_OPEN);
  return DOOR | (colour_of(cell) << 4u) | (next << 8u);
}

fn agent_at(s: u32) -> vec2i { return vec2i(i32(state[s + AGENT_X]), i32(state[s + AGENT_Y])); }
fn carried_by(s: u32) -> u32 { return u32(state[s + CARRIED]); }
fn cell_index(s: u32, at: vec2i) -> u32 { return s + CELLS + u32(at.y) * WIDTH + u32(at.x); }

// Outside the grid everything is wall, as in MiniGrid's views.
fn cell_at(s: u32, at: vec2i) -> u32 {
  if (any(at < vec2i(0)) || any(at >= vec2i(i32(WIDTH), i32(HEIGHT)))) { return WALL_CELL; }
  return u32(state[cell_index(s, at)]);
}
fn set_cell(s: u32, at: vec2i, cell: u32) { state[cell_index(s, at)] = f32(cell); }

fn heading(s: u32) -> vec2i {
  switch (u32(state[s + DIRECTION])) {
    case 0u: { return vec2i(1, 0); }
    case 1u: { return vec2i(0, 1); }
    case 2u: { return vec2i(-1, 0); }
    default: { return vec2i(0, -1); }
  }
}

fn goal_distance(s: u32) -> f32 {
  return abs(state[s + AGENT_X] - state[s + GOAL_X]) + abs(state[s + AGENT_Y] - state[s + GOAL_Y]);
}

fn environment_step(s: u32, a: u32, steps: u32, random: ptr<function, Random>) -> bool {
  let before = goal_distance(s);
  let front = agent_at(s) + heading(s);
  let ahead = cell_at(s, front);
  let carried = carried_by(s);
  let direction = u32(state[s + DIRECTION]);
  var arrived = false;
  var picked_up = false;
  var opened = false;
  var in_lava = false;
  var bumped = false;

  switch (u32(actions[a])) {
    case 0u: { state[s + DIRECTION] = f32((direction + 3u) & 3u); }
    case 1u: { state[s + DIRECTION] = f32((direction + 1u) & 3u); }
    case 2u: {
      bumped = !can_enter(ahead);
      if (!bumped) {
        state[s + AGENT_X] = f32(front.x);
        state[s + AGENT_Y] = f32(front.y);
      }
      arrived = object_of(ahead) == object_of(GOAL_CELL);
      in_lava = object_of(ahead) == object_of(LAVA_CELL);
    }
    case 3u: {
      picked_up = can_pick_up(ahead) && carried == EMPTY_CELL;
      if (picked_up) {
        state[s + CARRIED] = f32(ahead);
        set_cell(s, front, EMPTY_CELL);
      }
    }
    case 4u: {
      if (ahead == EMPTY_CELL && carried != EMPTY_CELL) {
        set_cell(s, front, carried);
        state[s + CARRIED] = f32(EMPTY_CELL);
      }
    }
    case 5u: {
      let after = toggled(ahead, carried);
      opened = is_shut_door(ahead) && !is_shut_door(after);
      if (after != ahead) { set_cell(s, front, after); }
    }
    default: {}
  }

  let distance = goal_distance(s);
  signal[0] = select(0.0, 1.0 - 0.9 * f32(steps) / f32(MAX_STEPS), arrived);
  signal[1] = f32(picked_up);
  signal[2] = f32(opened);
  signal[3] = f32(in_lava);
  signal[4] = f32(bumped);
  signal[5] = distance;
  signal[6] = before - distance;
  signal[7] = f32(arrived);
  return arrived || in_lava;
}

// With MASK, an action that would change nothing is not legal.
fn environment_legal(s: u32) -> u32 {
  if (!MASK) { return 127u; }
  let ahead = cell_at(s, agent_at(s) + heading(s));
  let carried = carried_by(s);
  var legal = 3u;
  if (can_enter(ahead)) { legal |= 4u; }
  if (can_pick_up(ahead) && carried == EMPTY_CELL) { legal |= 8u; }
  if (ahead == EMPTY_CELL && carried != EMPTY_CELL) { legal |= 16u; }
  if (toggled(ahead, carried) != ahead) { legal |= 32u; }
  return legal;
}
