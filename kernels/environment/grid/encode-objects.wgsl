// A cell as one number for each kind of object that the level has: 1 where it is, else 0. A door has two:
// shut (1 locked, 1/2 closed) and open. Empty and unseen cells are all 0.
// tables[object + 16 colour] is the kind's first number, -1 for none (view.ts).
// Constants from view.ts: CELL_SIZE.

fn encode_cell(o: u32, cell: u32, final_row: bool) {
  var kind = i32(tables[cell & 255u]);
  var value = 1.0;
  if (object_of(cell) == DOOR) {
    if (state_of(cell) == DOOR_OPEN) { kind += 1; }
    if (state_of(cell) == DOOR_CLOSED) { value = 0.5; }
  }
  for (var k = 0u; k < CELL_SIZE; k += 1u) { emit(o + k, select(0.0, value, i32(k) == kind), final_row); }
}
