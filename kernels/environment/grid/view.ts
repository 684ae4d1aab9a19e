/**
 * What the agent of the grid world observes: which cells (the 7×7 before it, or all), and how a cell
 * becomes numbers. The twins of view-*.wgsl and encode-*.wgsl.
 */
import { wgsl } from '../../kernel';
import { wgslConstants } from '../constants';
import objectsCode from './encode-objects.wgsl?raw';
import rawCode from './encode-raw.wgsl?raw';
import selfCode from './encode-self.wgsl?raw';
import { canSeePast, cellOf, colourOf, contentOf, DOOR, OBJECT, objectOf, stateOf } from './objects';
import type { GridState, Place } from './state';
import fullCode from './view-full.wgsl?raw';
import partialCode from './view-partial.wgsl?raw';

export type GridView = 'partial' | 'full';
export type GridEncoding = 'objects' | 'raw';

const VIEW = 7;
const UNSEEN = cellOf(OBJECT.unseen);

/** A cell that the agent sees: its place in the grid (it may lie outside) and in the view, column by column. */
export interface SeenCell {
  readonly at: Place;
  readonly index: number;
  /** The cell as the agent sees it; the unseen cell where its sight is blocked. */
  readonly cell: number;
}

/** The 7×7 view: process_vis of MiniGrid, a row at a time from the agent's own outwards. */
export function partialView(grid: GridState, seeThrough: boolean): SeenCell[] {
  const [[x, y], [dx, dy]] = [grid.agent, grid.heading];
  const [rightX, rightY] = [-dy, dx];
  const view: SeenCell[] = [];
  let seen = Array.from({ length: VIEW }, (_, i) => i === 3);
  for (let row = 0; row < VIEW; row++) {
    const places = seen.map((_, i): Place => [x + row * dx + (i - 3) * rightX, y + row * dy + (i - 3) * rightY]);
    const clear = places.map((at) => canSeePast(grid.cell(at)));
    const beyond = spreadLight(seen, clear);
    for (const [i, at] of places.entries()) {
      const cell = row === 0 && i === 3 ? grid.carried : grid.cell(at);
      view.push({ at, index: i * VIEW + VIEW - 1 - row, cell: seeThrough || seen[i] ? cell : UNSEEN });
    }
    seen = beyond;
  }
  return view;
}

/** Light runs along the row through clear cells, right and then left (`seen` grows); returns what it reaches of the row beyond. */
function spreadLight(seen: boolean[], clear: readonly boolean[]): boolean[] {
  const beyond = seen.map(() => false);
  const step = (from: number, to: number) => {
    if (!seen[from] || !clear[from]) return;
    seen[to] = true;
    beyond[from] = true;
    beyond[to] = true;
  };
  for (let i = 0; i < VIEW - 1; i++) step(i, i + 1);
  for (let i = VIEW - 1; i > 0; i--) step(i, i - 1);
  return beyond;
}

/** The whole grid, column by column, with the agent in its cell. */
function fullView(grid: GridState): SeenCell[] {
  const [agentX, agentY] = grid.agent;
  return Array.from({ length: grid.width * grid.height }, (_, index) => {
    const at: Place = [Math.floor(index / grid.height), index % grid.height];
    const isAgent = at[0] === agentX && at[1] === agentY;
    return { at, index, cell: isAgent ? cellOf(OBJECT.agent, 0, grid.direction) : grid.cell(at) };
  });
}

interface CellEncoding {
  readonly wgsl: string;
  /** Numbers a cell. */
  readonly size: number;
  /** 256 entries; empty where the encoding needs none. */
  readonly table: Float32Array;
  encode(cell: number, out: Float32Array, o: number): void;
}

const RAW: CellEncoding = {
  wgsl: rawCode,
  size: 3,
  table: new Float32Array(256),
  encode(cell, out, o) {
    out[o] = objectOf(cell) / 10;
    out[o + 1] = colourOf(cell) / 5;
    out[o + 2] = stateOf(cell) / 3;
  },
};

const COLOURED: readonly number[] = [OBJECT.door, OBJECT.key, OBJECT.ball, OBJECT.box];

/** A kind is an object, with its colour where that matters: `object + 16 colour`. */
function kindsOf(cells: readonly number[], view: GridView): number[] {
  const visible = cells.flatMap((cell) => [cell, contentOf(cell)]);
  if (view === 'full') visible.push(cellOf(OBJECT.agent));
  const kinds = visible.map((cell) => cellOf(objectOf(cell), COLOURED.includes(objectOf(cell)) ? colourOf(cell) : 0));
  return [...new Set(kinds)].filter((kind) => kind > cellOf(OBJECT.empty)).sort((a, b) => a - b);
}

function objectsEncoding(cells: readonly number[], view: GridView): CellEncoding {
  const table = new Float32Array(256).fill(-1);
  let size = 0;
  for (const kind of kindsOf(cells, view)) {
    const object = objectOf(kind);
    const colours = COLOURED.includes(object) ? [colourOf(kind)] : Array.from({ length: 16 }, (_, colour) => colour);
    for (const colour of colours) table[cellOf(object, colour)] = size;
    size += object === OBJECT.door ? 2 : 1;
  }
  return {
    wgsl: wgsl(wgslConstants({}, { cellSize: size }), objectsCode),
    size,
    table,
    encode(cell, out, o) {
      out.fill(0, o, o + size);
      const kind = table[cell & 255];
      if (kind < 0) return;
      if (objectOf(cell) !== OBJECT.door) out[o + kind] = 1;
      else if (stateOf(cell) === DOOR.open) out[o + kind + 1] = 1;
      else out[o + kind] = stateOf(cell) === DOOR.locked ? 1 : 0.5;
    },
  };
}

export interface GridObserver {
  readonly wgsl: string;
  readonly size: number;
  readonly table: Float32Array;
  /** Numbers a cell of the observation. */
  readonly cellSize: number;
  observe(grid: GridState, out: Float32Array, o: number): void;
}

/** `cells` are those that the level may hold, `seeThrough` concerns the partial view only. */
export function gridObserver(
  cells: readonly number[],
  size: Place,
  { view, encoding, seeThrough }: { view: GridView; encoding: GridEncoding; seeThrough: boolean },
): GridObserver {
  const code = encoding === 'raw' ? RAW : objectsEncoding(cells, view);
  const count = view === 'full' ? size[0] * size[1] : VIEW * VIEW;
  return {
    wgsl: wgsl(code.wgsl, selfCode, view === 'full' ? fullCode : wgsl(wgslConstants({}, { seeThrough }), partialCode)),
    size: (count + 1) * code.size + 4,
    table: code.table,
    cellSize: code.size,
    observe(grid, out, o) {
      const seen = view === 'full' ? fullView(grid) : partialView(grid, seeThrough);
      for (const { index, cell } of seen) code.encode(cell, out, o + index * code.size);
      const self = o + count * code.size;
      code.encode(grid.carried, out, self);
      for (let i = 0; i < 4; i++) out[self + code.size + i] = Number(grid.direction === i);
    },
  };
}
