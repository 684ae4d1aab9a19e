// MiniGrid's own numbers of a cell, scaled: object / 10, colour / 5, state / 3.

const CELL_SIZE = 3u;

fn encode_cell(o: u32, cell: u32, final_row: bool) {
  emit(o, f32(object_of(cell)) / 10.0, final_row);
  emit(o + 1u, f32(colour_of(cell)) / 5.0, final_row);
  emit(o + 2u, f32(state_of(cell)) / 3.0, final_row);
}
