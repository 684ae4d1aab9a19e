/** Copies of matrices between arrays, row by row where the rows lie in one piece, else number by number. */
import type { TypedArray } from '../kernel';

/** Element (r, c) stands at first + r · row + c · column. */
export interface Place {
  readonly first: number;
  readonly row: number;
  readonly column: number;
}

export function copyMatrix(
  from: TypedArray,
  source: Place,
  to: TypedArray,
  target: Place,
  rows: number,
  columns: number,
): void {
  const inPieces = source.column === 1 && target.column === 1;
  if (inPieces && source.row === columns && target.row === columns) {
    to.set(from.subarray(source.first, source.first + rows * columns), target.first);
    return;
  }
  for (let r = 0; r < rows; r++) {
    const [s, t] = [source.first + r * source.row, target.first + r * target.row];
    if (inPieces && columns > FEW) to.set(from.subarray(s, s + columns), t);
    else for (let c = 0; c < columns; c++) to[t + c * target.column] = from[s + c * source.column];
  }
}

/** Up to so many numbers a loop is quicker than a view. */
const FEW = 32;
