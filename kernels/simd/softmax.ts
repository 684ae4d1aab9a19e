/**
 * The softmax of attention, and its gradient, over matrices [keys, queries]: four queries at once, and their keys one
 * after the other, so that a query's sums do not depend on the queries beside it.
 */
import {
  block,
  type Code,
  f32x4,
  get,
  i32,
  type Local,
  load,
  loop,
  type NewLocal,
  set,
  store,
  type WasmFunction,
  wasmFunction,
} from './assembler';
import { exp } from './exponential';

const { add, subtract, multiply, atMost, atLeast, constant } = f32x4;
const FOUR = i32.constant(16);

/** Runs `body` for the four columns at each `column`, 0, 16 … below `width` bytes. */
function columns(column: Local, width: Local, body: Code): Code {
  return block(set(column, i32.constant(0)), loop(column, FOUR, width, body));
}

/** Sets `cell` to each row of the columns in turn. */
function rows(cell: Local, first: Local, column: Local, row: Local, end: Local, body: Code): Code {
  return block(set(cell, i32.add(get(first), get(column))), loop(cell, get(row), end, body));
}

const at = (array: Local, column: Local): Code => i32.add(get(array), get(column));
const vectors = (count: number, local: NewLocal) => Array.from({ length: count }, () => local('v128'));

/** scores [keys, queries] from `first` to `end` → exp(score − peak), with the peaks and the totals of the queries. */
const softmax = wasmFunction('softmax', ['first', 'end', 'row', 'width', 'peaks', 'totals'], (p, local) => {
  const [column, cell] = [local('i32'), local('i32')];
  const [peak, total, x] = vectors(3, local);
  const walk = (body: Code) => rows(cell, p.first, column, p.row, p.end, body);
  return columns(
    column,
    p.width,
    block(
      set(peak, constant(-3e38)),
      walk(set(peak, atLeast(load(get(cell)), get(peak)))),
      set(total, constant(0)),
      walk(
        block(
          set(x, subtract(load(get(cell)), get(peak))),
          set(x, exp(x, local)),
          store(get(cell), get(x)),
          set(total, add(get(total), get(x))),
        ),
      ),
      store(at(p.peaks, column), get(peak)),
      store(at(p.totals, column), get(total)),
    ),
  );
});

/**
 * scores and slopes [keys, queries] → probabilities p = exp(score − logSum) in the first, p (slope − delta), the
 * gradient of the scores, in the second.
 */
const softmaxSlope = wasmFunction(
  'softmaxSlope',
  ['first', 'end', 'row', 'width', 'slopes', 'logSums', 'deltas'],
  (p, local) => {
    const [column, cell, slope] = [local('i32'), local('i32'), local('i32')];
    const [logSum, delta, x] = vectors(3, local);
    return columns(
      column,
      p.width,
      block(
        set(logSum, load(at(p.logSums, column))),
        set(delta, load(at(p.deltas, column))),
        set(slope, at(p.slopes, column)),
        rows(
          cell,
          p.first,
          column,
          p.row,
          p.end,
          block(
            set(x, atMost(subtract(load(get(cell)), get(logSum)), constant(0))),
            set(x, exp(x, local)),
            store(get(cell), get(x)),
            store(get(slope), multiply(get(x), subtract(load(get(slope)), get(delta)))),
            set(slope, i32.add(get(slope), get(p.row))),
          ),
        ),
      ),
    );
  },
);

export const SOFTMAX_FUNCTIONS: readonly WasmFunction[] = [softmax, softmaxSlope];
