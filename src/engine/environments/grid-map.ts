/**
 * The text map of a custom grid level. One symbol a cell, a row a line:
 *
 *   #  wall      .  empty     _  floor      G  goal      L  lava
 *   K  key       B  ball      X  box        D  door, locked    d  door, closed    o  door, open
 *   > v < ^      the agent, looking right, down, left, up (none: it starts anywhere)
 *
 * A digit after a symbol is its colour in MiniGrid's numbers: 0 red, 1 green, 2 blue, 3 purple, 4 yellow,
 * 5 grey (`K0` is a red key). A box may hold a key or a ball: `X(K4)`.
 */
import type { Layout } from '../../../kernels/environment/grid/levels';
import { COLOUR, cellOf, DOOR, EMPTY, OBJECT, objectOf } from '../../../kernels/environment/grid/objects';
import type { Place } from '../../../kernels/environment/grid/state';
import type { Problem } from '../parameters';
import { boardProblems, fewProblems, mapRows, symbolProblem } from './board';

export const GRID_MAP_HELP =
  'For the level "custom": one symbol a cell, # wall, . empty, _ floor, G goal, L lava, K key, B ball, X box (holding: X(K)), D locked, d closed, o open door, > v < ^ agent; a digit after a symbol is its colour, 0 red to 5 grey.';

const SYMBOLS: Readonly<Record<string, { readonly object: number; readonly colour: number; readonly state?: number }>> =
  {
    '#': { object: OBJECT.wall, colour: COLOUR.grey },
    '.': { object: OBJECT.empty, colour: 0 },
    _: { object: OBJECT.floor, colour: COLOUR.blue },
    G: { object: OBJECT.goal, colour: COLOUR.green },
    L: { object: OBJECT.lava, colour: COLOUR.red },
    K: { object: OBJECT.key, colour: COLOUR.yellow },
    B: { object: OBJECT.ball, colour: COLOUR.blue },
    X: { object: OBJECT.box, colour: COLOUR.purple },
    D: { object: OBJECT.door, colour: COLOUR.yellow, state: DOOR.locked },
    d: { object: OBJECT.door, colour: COLOUR.yellow, state: DOOR.closed },
    o: { object: OBJECT.door, colour: COLOUR.yellow, state: DOOR.open },
  };
const AGENT_SYMBOLS = '>v<^';
/** A symbol with its colour, and what a box holds. */
const CELL = /(.)([0-5]?)(?:\((.)([0-5]?)\))?/gsu;
const SIZE = { min: 3, max: 25 };

interface Symbol {
  readonly symbol: string;
  readonly colour: string;
  readonly content: string | undefined;
  readonly contentColour: string;
  readonly row: number;
  readonly column: number;
}

/** The layout, or everything that is wrong with the map. */
export function parseGridMap(map: string, path: string): { layout: Layout } | { problems: Problem[] } {
  const rows = mapRows(map).map((text, row) =>
    [...text.matchAll(CELL)].map(([, symbol, colour, content, contentColour], i, all): Symbol => {
      return { symbol, colour, content, contentColour: contentColour ?? '', row, column: all[i].index };
    }),
  );
  const symbols = rows.flat();
  const agents = symbols.filter(({ symbol }) => AGENT_SYMBOLS.includes(symbol));
  const problems = [
    ...boardProblems(
      rows.map((row) => row.length),
      SIZE,
      path,
    ),
    ...symbols.flatMap((symbol) => symbolProblems(symbol, path)),
    ...agents.slice(1).map(({ row, column }) => symbolProblem(row, column, 'a second agent; a level has one', path)),
  ];
  if (!symbols.some(({ symbol }) => symbol === 'G'))
    problems.push({ path, message: 'has no goal (G): no episode could succeed' });
  if (agents.length === 0 && !symbols.some(({ symbol }) => symbol === '.'))
    problems.push({ path, message: 'has neither an agent (> v < ^) nor an empty cell (.) to start from' });
  if (problems.length > 0) return { problems: fewProblems(problems) };

  const [width, height] = [rows[0].length, rows.length];
  const cells = symbols.map(cellOfSymbol);
  const start = symbols.findIndex(({ symbol }) => AGENT_SYMBOLS.includes(symbol));
  if (start < 0) return { layout: { width, height, cells } };
  const at: Place = [start % width, Math.floor(start / width)];
  return { layout: { width, height, cells, agent: { at, direction: AGENT_SYMBOLS.indexOf(symbols[start].symbol) } } };
}

function symbolProblems({ symbol, content, row, column }: Symbol, path: string): Problem[] {
  if (!Object.hasOwn(SYMBOLS, symbol) && !AGENT_SYMBOLS.includes(symbol)) {
    const known = [...Object.keys(SYMBOLS), ...AGENT_SYMBOLS].join(' ');
    return [symbolProblem(row, column, `${JSON.stringify(symbol)} is not a symbol of this map; known: ${known}`, path)];
  }
  if (content === undefined) return [];
  if (symbol !== 'X') return [symbolProblem(row, column, `only a box (X) can hold something, not ${symbol}`, path)];
  if (content !== 'K' && content !== 'B')
    return [symbolProblem(row, column, `a box can hold a key (K) or a ball (B), not ${JSON.stringify(content)}`, path)];
  return [];
}

function cellOfSymbol({ symbol, colour, content, contentColour }: Symbol): number {
  if (AGENT_SYMBOLS.includes(symbol)) return EMPTY;
  const kind = SYMBOLS[symbol];
  if (kind.object === OBJECT.empty) return EMPTY;
  const own = colour === '' ? kind.colour : Number(colour);
  if (content === undefined) return cellOf(kind.object, own, kind.state);
  const held = SYMBOLS[content];
  return cellOf(kind.object, own, 0, cellOf(held.object, contentColour === '' ? held.colour : Number(contentColour)));
}

/** Whether some cell of the layout lets an agent start there. */
export function hasEmptyCell(layout: Layout): boolean {
  return layout.cells.some((cell) => objectOf(cell) === OBJECT.empty);
}
